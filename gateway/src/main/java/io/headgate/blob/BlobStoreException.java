package io.headgate.blob;

import java.io.IOException;

/** An account did not do what it was asked. */
public final class BlobStoreException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Who or what is at fault. */
    public enum Kind {
        /** The account's own fault: network error, time-out, 5xx, I/O error, no space, no permission. Counts for the breaker. */
        ACCOUNT_FAULT,
        /** The account asks for fewer requests (503 SlowDown, 429). Back-pressure, not a breaker failure. */
        THROTTLED,
        /** The blob is not there, or shorter than asked. Not a breaker failure; for a live version it means corruption. */
        MISSING
    }

    private final Kind kind;

    public BlobStoreException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public BlobStoreException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
