package io.headgate.account;

import io.headgate.placement.AccountState.Load;
import java.util.Arrays;

/**
 * How much happened within the last second, to a hundredth of a second and never too little; also within the last quarter of it. It covers
 * a hundredth more, as what is counted here at one distance may arrive at the account at a shorter one. Unlike {@link RollingRate} it counts what happens now, so it can be held to. Thread-safe.
 */
final class RateWindow {
    private static final long BUCKET_NANOS = 10_000_000;
    /** So many buckets, the current one included, cover a second and a hundredth, and a quarter of a second. */
    private static final int SECOND = 102;

    private static final int QUARTER = 26;
    private static final int RING = 128;

    private final long originNanos;
    private final long[] counts = new long[RING];
    private long newest;
    private long inSecond;
    private long inQuarter;

    RateWindow(long nowNanos) {
        this.originNanos = nowNanos;
    }

    synchronized void add(long nowNanos, long amount) {
        advance(nowNanos);
        add(amount);
    }

    /** Adds {@code amount}, unless the second, or its last quarter taken twice, would hold more than {@code most} then. */
    synchronized boolean tryAdd(long nowNanos, long amount, double most) {
        advance(nowNanos);
        if (most <= 0) {
            return false;
        }
        // To the nearest: whoever may have 26.7 may have 27; but one at least, or tiny limits would come to nothing.
        double whole = Math.max(1, Math.rint(most));
        boolean fits = inSecond + amount <= whole && 2 * (inQuarter + amount) < whole + 2;
        if (!fits && inSecond > 0) {
            return false;
        }
        add(amount);
        return true;
    }

    /** Of the last second. */
    synchronized long perSecond(long nowNanos) {
        advance(nowNanos);
        return inSecond;
    }

    /**
     * Of the last second, or twice that of its last quarter if that is more: held to a limit by this, a second's worth does not come all at
     * once.
     */
    synchronized Load load(long nowNanos, double limit) {
        advance(nowNanos);
        return new Load(Math.max(inSecond, 2 * inQuarter), inQuarter, limit);
    }

    private void add(long amount) {
        counts[index(newest)] += amount;
        inSecond += amount;
        inQuarter += amount;
    }

    /** Nothing to do for a caller whose reading of the clock has been overtaken. */
    private void advance(long nowNanos) {
        long number = (nowNanos - originNanos) / BUCKET_NANOS;
        if (number - newest >= RING) {
            Arrays.fill(counts, 0);
            inSecond = 0;
            inQuarter = 0;
            newest = number;
        }
        while (newest < number) {
            newest++;
            inSecond -= counts[index(newest - SECOND)];
            inQuarter -= counts[index(newest - QUARTER)];
            counts[index(newest)] = 0;
        }
    }

    private static int index(long number) {
        return (int) (number & (RING - 1));
    }
}
