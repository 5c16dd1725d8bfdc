package io.headgate.blob;

import io.headgate.blob.BlobStoreException.Kind;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A bounded amount of what calls share, such as connections or memory. Who finds none waits in turn, and is told to slow down when it
 * takes too long. Thread-safe.
 */
public final class Allowance {
    private final Semaphore free;
    private final int total;
    private final String what;
    private final Duration patience;

    /**
     * @param what is shared, for messages: "connections of account x"
     * @param total at least 1
     * @param patience how long a call waits
     */
    public Allowance(String what, int total, Duration patience) {
        this.free = new Semaphore(total, true);
        this.total = total;
        this.what = what;
        this.patience = patience;
    }

    /** An allowance of memory, handed out in steps of 64 KiB. */
    public static Allowance ofMemory(String what, long bytes, Duration patience) {
        return new Allowance(what, Math.clamp(bytes >> 16, 1, Integer.MAX_VALUE), patience);
    }

    /**
     * Takes a share of memory.
     *
     * @throws BlobStoreException {@code THROTTLED} when it is not free in time
     */
    public Grant takeBytes(long bytes) throws BlobStoreException {
        return take((bytes + 0xFFFF) >> 16);
    }

    /**
     * Takes a share; more than the total is the total.
     *
     * @throws BlobStoreException {@code THROTTLED} when it is not free in time
     */
    public Grant take(long count) throws BlobStoreException {
        int share = (int) Math.min(count, total);
        try {
            // Without barging: a stream of small shares must not keep a large one waiting for ever.
            if (!free.tryAcquire(share, patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new BlobStoreException(
                        Kind.THROTTLED, "all of the " + total + " " + what + " are in use for " + patience);
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "interrupted while waiting for " + what, interrupt);
        }
        return new Grant(share);
    }

    /** A share, given back by closing it, once or more often. */
    public final class Grant implements AutoCloseable {
        private final int share;
        private final AtomicBoolean held = new AtomicBoolean(true);

        private Grant(int share) {
            this.share = share;
        }

        @Override
        public void close() {
            if (held.compareAndSet(true, false)) {
                free.release(share);
            }
        }
    }
}
