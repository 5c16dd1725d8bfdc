package io.headgate.blob;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reads of one account that are in their caller's hands just now, each a mark with its time. Once one of them takes too long, the
 * account is doubtful for a while, and its reads should go where they hold up nobody. Thread-safe; a mark is one compare-and-set.
 */
final class DirectReads {
    /** Not to be had: the account is doubtful, or too many reads are under way. */
    static final int NONE = -1;

    /** More than carriers, so that a healthy account never lacks one: a read that is not in the system's hands is none. */
    private static final int MARKS = 64;

    private static final int PROBES = 8;
    /** How long an account is doubtful after it has last been slow. */
    private static final Duration DOUBT = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(DirectReads.class);

    private final String account;
    private final long slowNanos;
    /** When the read began, in nanoseconds from {@link #originNanos}, at least 1; 0 for no read. */
    private final AtomicLongArray begun = new AtomicLongArray(MARKS);

    /** What the latest look saw of slow reads; only that thread's. */
    private final long[] seenSlow = new long[MARKS];

    private final long originNanos = System.nanoTime();
    /** From the origin; 0 for never. */
    private volatile long doubtfulUntil;

    DirectReads(String account, long slowNanos) {
        this.account = account;
        this.slowNanos = slowNanos;
    }

    /** A mark, to be given to {@link #end}; or {@link #NONE}. */
    int begin() {
        long now = elapsed(System.nanoTime());
        if (now < doubtfulUntil) {
            return NONE;
        }
        int first = (int) Thread.currentThread().threadId();
        for (int i = 0; i < PROBES; i++) {
            int mark = first + i & MARKS - 1;
            if (begun.get(mark) == 0 && begun.compareAndSet(mark, 0, now)) {
                return mark;
            }
        }
        return NONE;
    }

    void end(int mark) {
        begun.set(mark, 0);
    }

    /** The account took long for something. */
    void slow() {
        long now = elapsed(System.nanoTime());
        if (now >= doubtfulUntil) {
            LOG.warn("account {} is slow to read: its reads are watched", account);
        }
        doubtfulUntil = now + DOUBT.toNanos();
    }

    boolean isSlow(long nanos) {
        return nanos >= slowNanos;
    }

    /**
     * How many reads have been under way for too long. The account is doubtful once one of them was so already at the last look: a pause
     * of the whole process ages every read, but not twice. Called by one thread.
     */
    int look(long nowNanos) {
        long now = elapsed(nowNanos);
        int stuck = 0;
        boolean still = false;
        for (int mark = 0; mark < MARKS; mark++) {
            long since = begun.get(mark);
            boolean slow = since != 0 && isSlow(now - since);
            if (slow) {
                stuck++;
                still |= seenSlow[mark] == since;
            }
            seenSlow[mark] = slow ? since : 0;
        }
        if (still) {
            slow();
        }
        return stuck;
    }

    private long elapsed(long nanoTime) {
        return nanoTime - originNanos + 1;
    }
}
