package io.headgate.namespace;

/**
 * The namespace could not answer: the database is down, too slow, full or broken. Whether a write took effect is unknown; sending
 * the same command again is safe and takes effect once.
 */
public final class NamespaceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean full;

    public NamespaceException(String message, Throwable cause) {
        this(message, cause, false);
    }

    public NamespaceException(String message) {
        super(message);
        full = false;
    }

    private NamespaceException(String message, Throwable cause, boolean full) {
        super(message, cause);
        this.full = full;
    }

    /** There is no room left for what was to be written, which has had no effect. */
    public static NamespaceException full(String message, Throwable cause) {
        return new NamespaceException(message, cause, true);
    }

    /** Whether that is for want of room. */
    public boolean isFull() {
        return full;
    }
}
