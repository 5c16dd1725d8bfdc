package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The regions that buckets prefer, remembered for a moment, so that a write need not look its bucket up before it commits. What is old does
 * no harm: it is a wish, and the commit finds out whether the bucket exists. Thread-safe.
 */
final class BucketRegions {
    private static final Duration REMEMBERED = Duration.ofSeconds(5);
    private static final int MOST = 10_000;

    private final InstantSource clock;
    private final Map<BucketName, Known> known = new ConcurrentHashMap<>();

    private record Known(String region, Instant until) {}

    BucketRegions(InstantSource clock) {
        this.clock = clock;
    }

    /** @param lookUp asked if nothing is remembered; may throw */
    String of(BucketName bucket, Supplier<String> lookUp) {
        Instant now = clock.instant();
        Known remembered = known.get(bucket);
        if (remembered != null && now.isBefore(remembered.until)) {
            return remembered.region;
        }
        String region = lookUp.get();
        if (known.size() >= MOST) {
            known.clear();
        }
        known.put(bucket, new Known(region, now.plus(REMEMBERED)));
        return region;
    }

    /** The bucket goes. */
    void forget(BucketName bucket) {
        known.remove(bucket);
    }
}
