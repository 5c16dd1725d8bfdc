package io.headgate.work;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Lets bytes pass at a bounded rate, whoever brings them: each waits until the time of those before is over. What was not used is not
 * saved up. Thread-safe.
 */
public final class Pace {
    private final long bytesPerSecond;
    private final LongSupplier nanoClock;
    private final Pause pause;
    private final ReentrantLock lock = new ReentrantLock();
    /** When the time of those before is over. Guarded by {@link #lock}. */
    private long freeAtNanos;

    /** Lets time go by. */
    public interface Pause {
        void await(Duration wait) throws InterruptedException;
    }

    /**
     * A pace that begins now.
     *
     * @param bytesPerSecond at least 1
     * @param nanoClock as {@link System#nanoTime}
     * @param pause such as {@link Thread#sleep}
     */
    public Pace(long bytesPerSecond, LongSupplier nanoClock, Pause pause) {
        this.bytesPerSecond = bytesPerSecond;
        this.nanoClock = nanoClock;
        this.pause = pause;
        this.freeAtNanos = nanoClock.getAsLong();
    }

    long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** Waits until bytes that come now may pass. */
    void pass(int bytes) throws InterruptedException {
        long wait;
        lock.lock();
        try {
            long now = nanoClock.getAsLong();
            wait = Math.max(0, freeAtNanos - now);
            freeAtNanos = now + wait + (long) (bytes * 1e9 / bytesPerSecond);
        } finally {
            lock.unlock();
        }
        if (wait > 0) {
            pause.await(Duration.ofNanos(wait));
        }
    }
}
