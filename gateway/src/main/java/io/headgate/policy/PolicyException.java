package io.headgate.policy;

/** A document is no valid policy; the message tells its author why, as S3's MalformedPolicy does. */
public final class PolicyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PolicyException(String message) {
        super(message);
    }
}
