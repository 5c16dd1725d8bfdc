package io.headgate.s3.op;

import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketClaim;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;

/**
 * Makes a bucket. Its LocationConstraint is the preferred region of its blobs' accounts.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html">S3: CreateBucket</a>
 */
final class CreateBucket {
    static final Action ACTION = Action.CREATE_BUCKET;

    private static final int MAX_LOCATION_CHARACTERS = 64;
    private static final String HASHED_RANGES = "x-headgate-hashed-ranges";
    private static final int MAX_HASHED_RANGES = 1_024;

    private final Storage storage;

    CreateBucket(Storage storage) {
        this.storage = storage;
    }

    Response handle(S3Request.CreateBucket request, Call call) {
        RequestAttributes.refuseUnsupported(call.head());
        if ("true".equalsIgnoreCase(call.header("x-amz-bucket-object-lock-enabled"))) {
            throw new S3Exception(S3Error.NOT_IMPLEMENTED, "Not implemented: object lock");
        }
        Bucket wanted = new Bucket(request.bucket(), call.user().userId(), location(call), storage.now());
        int hashedRanges = hashedRanges(call);
        BucketClaim claim = hashedRanges == 0
                ? storage.namespace().createBucket(wanted)
                : storage.namespace().createHashedBucket(wanted, hashedRanges);
        if (!claim.made()) {
            throw new S3Exception(
                    claim.bucket().owner().equals(wanted.owner())
                            ? S3Error.BUCKET_ALREADY_OWNED_BY_YOU
                            : S3Error.BUCKET_ALREADY_EXISTS);
        }
        return Responses.empty(200, new Field("location", "/" + request.bucket()));
    }

    /** For keys that come in order: see {@link io.headgate.namespace.Namespace#createHashedBucket}. */
    private static int hashedRanges(Call call) {
        String value = call.header(HASHED_RANGES);
        if (value == null) {
            return 0;
        }
        if (!value.matches("[1-9][0-9]{0,3}") || Integer.parseInt(value) > MAX_HASHED_RANGES) {
            throw S3Exception.invalidArgument(
                    HASHED_RANGES, value, "The number of hashed ranges is 1 to " + MAX_HASHED_RANGES);
        }
        return Integer.parseInt(value);
    }

    private static String location(Call call) {
        byte[] document = call.document(Call.DigestOf.DOCUMENT);
        if (document.length == 0) {
            return "";
        }
        XmlElement configuration = XmlElement.parse(document, "CreateBucketConfiguration");
        String location = configuration.childText("LocationConstraint").orElse("");
        boolean valid = location.length() <= MAX_LOCATION_CHARACTERS
                && location.chars()
                        .allMatch(c -> (c >= 'a' && c <= 'z')
                                || (c >= 'A' && c <= 'Z')
                                || (c >= '0' && c <= '9')
                                || c == '-'
                                || c == '_');
        if (!valid) {
            throw new S3Exception(S3Error.INVALID_LOCATION_CONSTRAINT);
        }
        return location;
    }
}
