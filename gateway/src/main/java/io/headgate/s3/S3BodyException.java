package io.headgate.s3;

import io.headgate.domain.BodyException;

/** The body that is being read turns out to be wrong in a way that has an S3 error: a bad digest, a bad chunk signature. */
public final class S3BodyException extends BodyException {
    private static final long serialVersionUID = 1L;

    private final S3Error error;
    private final String answer;

    public S3BodyException(S3Error error) {
        this(error, error.message());
    }

    /** @param message for the client */
    public S3BodyException(S3Error error, String message) {
        super(message);
        this.error = error;
        this.answer = message;
    }

    public S3Error error() {
        return error;
    }

    /** The answer to the request whose body this was. */
    public S3Exception asAnswer() {
        return new S3Exception(error, answer);
    }
}
