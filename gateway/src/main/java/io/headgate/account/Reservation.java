package io.headgate.account;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bytes set aside on an account for one write, from the choice of the account to the namespace's commit, so that writes in progress
 * count against its capacity. Ends once, by {@link #commit} or {@link #close}, whichever comes first. Thread-safe.
 */
public final class Reservation implements AutoCloseable {
    private final Account account;
    private final long bytes;
    private final AtomicBoolean ended = new AtomicBoolean();

    /** @param bytes reserved on the account's meter already */
    Reservation(Account account, long bytes) {
        this.account = account;
        this.bytes = bytes;
    }

    public Account account() {
        return account;
    }

    public long bytes() {
        return bytes;
    }

    /** The namespace refers to the blob: its bytes are held from now on. */
    public void commit() {
        if (ended.compareAndSet(false, true)) {
            account.meter().commit(bytes);
        }
    }

    /** Releases the bytes, unless committed. */
    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) {
            account.meter().release(bytes);
        }
    }
}
