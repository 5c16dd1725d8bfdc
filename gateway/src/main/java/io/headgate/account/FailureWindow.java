package io.headgate.account;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** Counts the calls of one closed state of a breaker, and says when failures open it. Thread-safe; a success takes no lock. */
final class FailureWindow {
    private static final int BUCKETS = 12;

    private final long windowNanos;
    private final CircuitBreaker.@Nullable ErrorRate errorRate;
    private final long originNanos;
    /** When the last failures were, a ring of as many as open the breaker. */
    private final long[] failedAtNanos;

    private int failures;

    /** Calls in twelfths of the window, each a bucket number (upper 32 bits) with its count: kept only for an error rate. */
    private final AtomicLongArray calls = new AtomicLongArray(BUCKETS);

    private final AtomicLongArray failedCalls = new AtomicLongArray(BUCKETS);

    FailureWindow(CircuitBreaker.Settings settings, long nowNanos) {
        this.windowNanos = settings.window().toNanos();
        this.errorRate = settings.errorRate();
        this.originNanos = nowNanos;
        this.failedAtNanos = new long[settings.failures()];
    }

    void success(long nowNanos) {
        if (errorRate != null) {
            count(calls, bucket(nowNanos));
        }
    }

    /** Whether this failure opens the breaker. */
    synchronized boolean failure(long nowNanos) {
        int slot = failures % failedAtNanos.length;
        failedAtNanos[slot] = nowNanos;
        // Stays between one and two rings' lengths once the ring is full, so that it never overflows.
        failures = failures + 1 < 2 * failedAtNanos.length ? failures + 1 : failedAtNanos.length;
        boolean enough = failures >= failedAtNanos.length
                && nowNanos - failedAtNanos[failures % failedAtNanos.length] <= windowNanos;
        CircuitBreaker.ErrorRate rate = errorRate;
        if (rate == null) {
            return enough;
        }
        long bucket = bucket(nowNanos);
        count(calls, bucket);
        count(failedCalls, bucket);
        long all = sum(calls, bucket);
        return enough && (all < rate.minCalls() || sum(failedCalls, bucket) >= rate.ratio() * all);
    }

    private long bucket(long nowNanos) {
        return (nowNanos - originNanos) / Math.max(1, windowNanos / BUCKETS);
    }

    private static void count(AtomicLongArray counts, long bucket) {
        int index = (int) (bucket % BUCKETS);
        counts.updateAndGet(index, old -> old >>> 32 == bucket ? old + 1 : bucket << 32 | 1);
    }

    private static long sum(AtomicLongArray counts, long bucket) {
        long sum = 0;
        for (int i = 0; i < BUCKETS; i++) {
            long count = counts.get(i);
            long age = bucket - (count >>> 32);
            if (age >= 0 && age < BUCKETS) {
                sum += count & 0xFFFF_FFFFL;
            }
        }
        return sum;
    }
}
