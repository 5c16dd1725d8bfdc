package io.headgate.namespace;

/**
 * The namespace could not answer: the database is down, too slow, full or broken. Whether a write took effect is unknown; sending
 * the same command again is safe and takes effect once.
 */
public final class NamespaceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NamespaceException(String message, Throwable cause) {
        super(message, cause);
    }

    public NamespaceException(String message) {
        super(message);
    }
}
