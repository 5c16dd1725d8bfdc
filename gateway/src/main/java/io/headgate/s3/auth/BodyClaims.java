package io.headgate.s3.auth;

import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.http.RequestHead;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a request's head says of its body: how it is framed and signed, how long it is, and its digests. Made before the first byte of
 * the body is read, so that what is wrong with the head is refused before the client sends the body. Immutable.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html">S3: checking integrity
 *     of uploads</a>
 */
public final class BodyClaims {
    private static final String CHECKSUM_PREFIX = "x-amz-checksum-";
    private static final int MD5_BYTES = 16;
    private static final long UNDECLARED = -1;

    private final Payload payload;
    private final long lengthBytes;
    private final byte @Nullable [] md5;
    private final @Nullable ChecksumAlgorithm algorithm;
    private final byte @Nullable [] checksum;

    private BodyClaims(
            Payload payload,
            long lengthBytes,
            byte @Nullable [] md5,
            @Nullable ChecksumAlgorithm algorithm,
            byte @Nullable [] checksum) {
        this.payload = payload;
        this.lengthBytes = lengthBytes;
        this.md5 = md5;
        this.algorithm = algorithm;
        this.checksum = checksum;
    }

    /**
     * The claims of a request whose checksum headers are about its body.
     *
     * @param contentLengthBytes the declared Content-Length
     * @throws S3Exception MissingContentLength if the length of the content is not declared, InvalidDigest, InvalidRequest or
     *     InvalidArgument if a header is malformed or contradicts another
     */
    public static BodyClaims of(RequestHead head, Payload payload, OptionalLong contentLengthBytes) {
        String inHeader = checksumHeader(head);
        ChecksumAlgorithm inTrailer = trailerAlgorithm(head, payload);
        if (inHeader != null && inTrailer != null) {
            throw manyChecksums();
        }
        ChecksumAlgorithm algorithm = inHeader == null ? inTrailer : algorithmOf(inHeader);
        checkAnnounced(head, algorithm);
        byte[] checksum = null;
        if (inHeader != null && algorithm != null) {
            checksum = decode(head.header(inHeader), algorithm.lengthBytes());
            if (checksum == null) {
                // No body can have it. S3's documentation is silent about the code; the public tests for S3 ask for
                // this one.
                throw new S3Exception(S3Error.BAD_DIGEST, "Value for " + inHeader + " header is invalid.");
            }
        }
        return new BodyClaims(payload, length(head, payload, contentLengthBytes), md5(head), algorithm, checksum);
    }

    /**
     * The claims of a request whose checksum headers are about something else than its body, as those of CompleteMultipartUpload are;
     * throws as {@link #of} does.
     */
    public static BodyClaims withoutChecksum(RequestHead head, Payload payload, OptionalLong contentLengthBytes) {
        return new BodyClaims(payload, length(head, payload, contentLengthBytes), md5(head), null, null);
    }

    /**
     * The claims of a form about its file, whose length nobody declares: it ends where its source ends. Throws as {@link #of} does.
     *
     * @param head a head with the form's fields as its headers
     */
    public static BodyClaims ofForm(RequestHead head) {
        return of(head, new Payload.Unsigned(), OptionalLong.of(UNDECLARED));
    }

    /** How the body is framed and signed. */
    Payload payload() {
        return payload;
    }

    /** Whether the length of the content is declared. */
    boolean isLengthDeclared() {
        return lengthBytes != UNDECLARED;
    }

    /** The length of the content, without its framing; negative if it is not declared. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** The algorithm of the checksum that the client sends, as a header or a trailer. */
    public Optional<ChecksumAlgorithm> checksumAlgorithm() {
        return Optional.ofNullable(algorithm);
    }

    /** Whether the client sends a Content-MD5 or a checksum, as some operations require. */
    public boolean hasDigest() {
        return md5 != null || algorithm != null;
    }

    /** The value of Content-MD5. */
    byte @Nullable [] md5() {
        return md5;
    }

    /** The checksum's value; {@code null} if it comes in the trailer, or not at all. */
    byte @Nullable [] checksum() {
        return checksum;
    }

    /** Decodes base64 with its padding to exactly {@code lengthBytes} bytes; {@code null} if it is anything else. */
    static byte @Nullable [] decode(@Nullable String base64, int lengthBytes) {
        if (base64 == null || base64.length() != (lengthBytes + 2) / 3 * 4) {
            return null;
        }
        try {
            byte[] decoded = Base64.getDecoder().decode(base64);
            return decoded.length == lengthBytes ? decoded : null;
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    /** The length of the content; throws as {@link #of} does. */
    static long length(RequestHead head, Payload payload, OptionalLong contentLengthBytes) {
        return payload.isChunked()
                ? decodedLength(head)
                : contentLengthBytes.orElseThrow(() -> new S3Exception(S3Error.MISSING_CONTENT_LENGTH));
    }

    private static long decodedLength(RequestHead head) {
        String text = head.header("x-amz-decoded-content-length");
        if (text == null) {
            throw new S3Exception(
                    S3Error.MISSING_CONTENT_LENGTH, "You must provide the x-amz-decoded-content-length HTTP header");
        }
        boolean digits = !text.isEmpty() && text.length() <= 18 && text.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!digits) {
            throw invalid("Value for x-amz-decoded-content-length header is invalid.");
        }
        return Long.parseLong(text);
    }

    private static byte @Nullable [] md5(RequestHead head) {
        List<String> values = head.headers("content-md5");
        if (values.isEmpty()) {
            return null;
        }
        byte[] md5 = values.size() == 1 ? decode(values.getFirst(), MD5_BYTES) : null;
        if (md5 == null) {
            throw new S3Exception(S3Error.INVALID_DIGEST, "The Content-MD5 you specified was invalid.");
        }
        return md5;
    }

    /** The name of the one header that holds a checksum. */
    private static @Nullable String checksumHeader(RequestHead head) {
        String found = null;
        for (int i = 0; i < head.fields().size(); i++) {
            String name = head.fields().get(i).name();
            if (name.startsWith(CHECKSUM_PREFIX) && !isAboutChecksums(name)) {
                if (found != null) {
                    throw manyChecksums();
                }
                found = name;
            }
        }
        return found;
    }

    private static boolean isAboutChecksums(String name) {
        return switch (name) {
            case "x-amz-checksum-algorithm", "x-amz-checksum-mode", "x-amz-checksum-type" -> true;
            default -> false;
        };
    }

    private static ChecksumAlgorithm algorithmOf(String header) {
        return ChecksumAlgorithm.named(header.substring(CHECKSUM_PREFIX.length()))
                .orElseThrow(() -> invalid("The algorithm type you specified in x-amz-checksum- header is invalid."));
    }

    private static @Nullable ChecksumAlgorithm trailerAlgorithm(RequestHead head, Payload payload) {
        List<String> values = head.headers("x-amz-trailer");
        if (values.isEmpty()) {
            return null;
        }
        String name = values.getFirst().strip().toLowerCase(Locale.ROOT);
        if (!payload.isTrailed() || values.size() > 1 || !name.startsWith(CHECKSUM_PREFIX) || isAboutChecksums(name)) {
            throw invalid("The value specified in the x-amz-trailer header is not supported");
        }
        return algorithmOf(name);
    }

    /** Checks what SDKs announce against what they send. */
    private static void checkAnnounced(RequestHead head, @Nullable ChecksumAlgorithm sent) {
        String announced = head.header("x-amz-sdk-checksum-algorithm");
        if (announced == null) {
            return;
        }
        ChecksumAlgorithm algorithm = ChecksumAlgorithm.named(announced)
                .orElseThrow(() -> invalid("Value for x-amz-sdk-checksum-algorithm header is invalid."));
        if (sent == null) {
            throw invalid(
                    "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer"
                            + " headers were found.");
        }
        if (sent != algorithm) {
            throw invalid("Value for x-amz-sdk-checksum-algorithm header is invalid.");
        }
    }

    private static S3Exception manyChecksums() {
        return invalid("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
    }

    private static S3Exception invalid(String message) {
        return new S3Exception(S3Error.INVALID_REQUEST, message);
    }
}
