package io.headgate.region;

/**
 * The registry of bucket names could not answer: it is down, too slow, or has lost who would keep what it was told. Whether a change took
 * effect is unknown; sending the same again is safe.
 */
public final class RegistryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RegistryException(String message, Throwable cause) {
        super(message, cause);
    }

    public RegistryException(String message) {
        super(message);
    }
}
