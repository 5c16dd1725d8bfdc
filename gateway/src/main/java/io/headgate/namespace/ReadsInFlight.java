package io.headgate.namespace;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The reads of blobs that are under way, by the second in which each looked up its version: garbage queued after the oldest of them
 * began may still be being read. Thread-safe.
 */
public final class ReadsInFlight {
    private static final Duration LONGEST_COMMIT = Duration.ofSeconds(30);

    private final InstantSource clock;
    private final ConcurrentSkipListMap<Long, Integer> countBySecond = new ConcurrentSkipListMap<>();

    public ReadsInFlight(InstantSource clock) {
        this.clock = clock;
    }

    /** Notes a read that is about to look up its version. The result is for {@link #end}. */
    public long begin() {
        long second = clock.instant().getEpochSecond();
        countBySecond.merge(second, 1, Integer::sum);
        return second;
    }

    /** Notes that a read has ended; once for each {@link #begin}. */
    public void end(long begun) {
        countBySecond.computeIfPresent(begun, (second, count) -> count == 1 ? null : count - 1);
    }

    /**
     * Garbage queued before this instant is not being read. A commit queues it as of its beginning and may take a while, in which a read
     * still sees the old version; hence the margin.
     */
    public Instant oldestBegin() {
        Map.Entry<Long, Integer> oldest = countBySecond.firstEntry();
        Instant begin = oldest == null ? clock.instant() : Instant.ofEpochSecond(oldest.getKey());
        return begin.minus(LONGEST_COMMIT);
    }
}
