package io.headgate.account;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bytes set aside on an account for one write, from the choice of the account to the namespace's commit, so that writes in progress
 * count against its capacity. Ends once, by {@link #commit} or {@link #close}, whichever comes first. Thread-safe.
 */
public final class Reservation implements AutoCloseable {
    private final Account account;
    private final long bytes;
    private final boolean admitted;
    private final long admittedBytes;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param bytes reserved on the account's meter already
     * @param admitted whether the account's rates have counted the request that will write them
     * @param admittedBytes how many of them the account's rates have counted
     */
    Reservation(Account account, long bytes, boolean admitted, long admittedBytes) {
        this.account = account;
        this.bytes = bytes;
        this.admitted = admitted;
        this.admittedBytes = admittedBytes;
    }

    boolean admitted() {
        return admitted;
    }

    long admittedBytes() {
        return admittedBytes;
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
