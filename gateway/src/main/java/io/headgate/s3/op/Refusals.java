package io.headgate.s3.op;

import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;

/** The S3 error of each reason for which the namespace refuses an operation. */
final class Refusals {
    private Refusals() {}

    /** The outcome's value, or its refusal as an exception. */
    static <T> T done(Outcome<T> outcome) {
        return switch (outcome) {
            case Outcome.Done<T>(T value) -> value;
            case Outcome.Refused<T>(Refusal reason, String detail) -> throw exception(reason, detail);
        };
    }

    static S3Exception exception(Refusal reason, String detail) {
        S3Error error = error(reason);
        return detail.isEmpty()
                ? new S3Exception(error)
                : new S3Exception(error, error.message() + " (" + detail + ")");
    }

    private static S3Error error(Refusal reason) {
        return switch (reason) {
            case NO_SUCH_BUCKET -> S3Error.NO_SUCH_BUCKET;
            case NO_SUCH_KEY -> S3Error.NO_SUCH_KEY;
            case NO_SUCH_UPLOAD -> S3Error.NO_SUCH_UPLOAD;
            case BUCKET_NOT_EMPTY -> S3Error.BUCKET_NOT_EMPTY;
            case PRECONDITION_FAILED -> S3Error.PRECONDITION_FAILED;
            case INVALID_PART -> S3Error.INVALID_PART;
            case INVALID_PART_ORDER -> S3Error.INVALID_PART_ORDER;
            case ENTITY_TOO_SMALL -> S3Error.ENTITY_TOO_SMALL;
            case ENTITY_TOO_LARGE -> S3Error.ENTITY_TOO_LARGE;
            case SIZE_MISMATCH -> S3Error.INVALID_REQUEST;
            case BAD_DIGEST -> S3Error.BAD_DIGEST;
            case SOURCE_CHANGED -> S3Error.CONDITIONAL_REQUEST_CONFLICT;
            case INVALID_RANGE -> S3Error.INVALID_RANGE;
            case INTENT_EXPIRED -> S3Error.SERVICE_UNAVAILABLE;
            case SUPERSEDED -> S3Error.OPERATION_ABORTED;
        };
    }
}
