package io.headgate.account;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * A count and its rate over the last five seconds. Adding is free of contention; the rate covers whole buckets of 250 ms, so it lags
 * by one at most, and is computed once a bucket. While younger than its window it reads low.
 */
final class RollingRate {
    private static final long BUCKET_NANOS = 250_000_000;
    private static final int WINDOW_BUCKETS = 20;
    private static final double WINDOW_SECONDS = WINDOW_BUCKETS * BUCKET_NANOS / 1e9;
    /** One more than the window for the bucket that is being filled, rounded up to make the index a mask. */
    private static final int RING = 32;

    private record Bucket(long number, LongAdder count) {}

    private record Computed(long number, double perSecond) {}

    private final long originNanos;
    private final LongAdder total = new LongAdder();
    private final AtomicReferenceArray<Bucket> ring = new AtomicReferenceArray<>(RING);
    private volatile Computed computed = new Computed(-1, 0);

    RollingRate(long nowNanos) {
        this.originNanos = nowNanos;
        for (int i = 0; i < RING; i++) {
            ring.set(i, new Bucket(-1, new LongAdder()));
        }
    }

    void add(long nowNanos, long amount) {
        total.add(amount);
        current((nowNanos - originNanos) / BUCKET_NANOS).add(amount);
    }

    /** All that was ever added. */
    long total() {
        return total.sum();
    }

    double perSecond(long nowNanos) {
        long number = (nowNanos - originNanos) / BUCKET_NANOS;
        Computed last = computed;
        if (last.number == number) {
            return last.perSecond;
        }
        long sum = 0;
        for (int i = 0; i < RING; i++) {
            Bucket bucket = ring.get(i);
            if (bucket.number >= Math.max(0, number - WINDOW_BUCKETS) && bucket.number < number) {
                sum += bucket.count.sum();
            }
        }
        double perSecond = sum / WINDOW_SECONDS;
        computed = new Computed(number, perSecond);
        return perSecond;
    }

    private LongAdder current(long number) {
        int index = (int) number & (RING - 1);
        while (true) {
            Bucket bucket = ring.get(index);
            if (bucket.number >= number) {
                return bucket.count; // a caller delayed by a whole turn of the ring counts a little late
            }
            Bucket fresh = new Bucket(number, new LongAdder());
            if (ring.compareAndSet(index, bucket, fresh)) {
                return fresh.count;
            }
        }
    }
}
