package io.headgate.namespace;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The reads of blobs that are under way, by the second in which each looked up its version: garbage queued after the oldest of them
 * began may still be being read. Where several gateways share a namespace, the reads through the others count too. Thread-safe.
 */
public final class ReadsInFlight {
    private static final Duration LONGEST_COMMIT = Duration.ofSeconds(30);

    private final InstantSource clock;
    private final ConcurrentSkipListMap<Long, Integer> countBySecond = new ConcurrentSkipListMap<>();

    private volatile @Nullable Instant ofAllGateways;

    public ReadsInFlight(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Tells the other gateways how far back the reads through this one go, and learns how far back theirs do. From the first time on
     * {@link #oldestBegin} is as of the latest.
     *
     * @param gateway the id of this run of a gateway
     * @param patience after so long without a word another gateway is not waited for any more
     */
    public void exchange(Namespace namespace, String gateway, Duration patience) {
        Instant now = clock.instant();
        ofAllGateways = namespace.oldestRead(gateway, oldestHere(), now, now.minus(patience));
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

    /** Garbage queued before this instant is not being read. */
    public Instant oldestBegin() {
        Instant ofAll = ofAllGateways;
        return ofAll == null ? oldestHere() : ofAll;
    }

    /**
     * A commit queues garbage as of its beginning and may take a while, in which a read still sees the old version; hence the margin.
     */
    private Instant oldestHere() {
        Map.Entry<Long, Integer> oldest = countBySecond.firstEntry();
        Instant begin = oldest == null ? clock.instant() : Instant.ofEpochSecond(oldest.getKey());
        return begin.minus(LONGEST_COMMIT);
    }
}
