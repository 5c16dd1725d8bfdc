package io.headgate.s3;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import java.util.Optional;

/**
 * The source of a copy, as the header {@code x-amz-copy-source} names it: {@code [/]bucket/key[?versionId=id]}, percent-encoded.
 */
public record CopySource(BucketName bucket, ObjectKey key, Optional<String> versionId) {
    private static final String VERSION = "?versionId=";

    /**
     * Parses the header.
     *
     * @throws S3Exception InvalidArgument if the header does not name a bucket and a key
     */
    public static CopySource parse(String header) {
        // '?' inside a key arrives encoded from clients that encode; only the last bare "?versionId=" is the version.
        int question = header.lastIndexOf(VERSION);
        String path = question < 0 ? header : header.substring(0, question);
        Optional<String> version =
                question < 0 ? Optional.empty() : Optional.of(header.substring(question + VERSION.length()));
        String decoded;
        try {
            decoded = PercentCoding.decode(path, false);
        } catch (IllegalArgumentException malformed) {
            throw invalid(header, "The x-amz-copy-source header is not validly URL-encoded");
        }
        if (decoded.startsWith("/")) {
            decoded = decoded.substring(1);
        }
        int slash = decoded.indexOf('/');
        if (slash <= 0 || slash == decoded.length() - 1) {
            throw invalid(header, "Copy Source must mention the source bucket and key: sourcebucket/sourcekey");
        }
        String bucket = decoded.substring(0, slash);
        if (!BucketName.isValid(bucket)) {
            throw new S3Exception(S3Error.INVALID_BUCKET_NAME);
        }
        return new CopySource(new BucketName(bucket), Router.key(decoded.substring(slash + 1)), version);
    }

    private static S3Exception invalid(String header, String message) {
        return S3Exception.invalidArgument("x-amz-copy-source", header, message);
    }
}
