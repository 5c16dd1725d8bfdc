package io.headgate.s3;

import java.util.Map;

/** A request ends with an S3 error. Has no stack trace: it is an answer, not a fault. */
public final class S3Exception extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final S3Error error;
    private final String answer;
    private final transient Map<String, String> details;

    public S3Exception(S3Error error) {
        this(error, error.message());
    }

    /** @param message for the client; must hold no secret and no internal name */
    public S3Exception(S3Error error, String message) {
        this(error, message, Map.of());
    }

    /** @param details further elements of the error's XML, such as {@code ArgumentName} */
    public S3Exception(S3Error error, String message, Map<String, String> details) {
        super(message, null, false, false);
        this.error = error;
        this.answer = message;
        this.details = Map.copyOf(details);
    }

    /** InvalidArgument, naming the argument and its value as S3 does. */
    public static S3Exception invalidArgument(String name, String value, String message) {
        return new S3Exception(S3Error.INVALID_ARGUMENT, message, Map.of("ArgumentName", name, "ArgumentValue", value));
    }

    public S3Error error() {
        return error;
    }

    /** The message for the client. */
    public String answer() {
        return answer;
    }

    public Map<String, String> details() {
        return details;
    }
}
