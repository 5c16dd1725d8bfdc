package io.headgate.namespace.cache;

import io.headgate.namespace.NamespaceException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * How a write tells the cache: its keys are marked before it can take effect, and the marks are taken back before it is acknowledged. In
 * between nobody reads an entry of them, nor makes one. If Redis does not take part, the cache is switched off for all first. If the
 * write's outcome is not known the marks stay for as long as it may still take effect. Thread-safe.
 */
final class CachedWrites {
    private static final long NONE = -1;

    private final CacheLease lease;
    private final RedisLink link;
    private final CacheSettings settings;
    private final CacheStatistics statistics;
    private final RandomGenerator random;

    CachedWrites(
            CacheLease lease,
            RedisLink link,
            CacheSettings settings,
            CacheStatistics statistics,
            RandomGenerator random) {
        this.lease = lease;
        this.link = link;
        this.settings = settings;
        this.statistics = statistics;
        this.random = random;
    }

    /** What a write leaves at its keys, in their order; nothing if empty. */
    record Left(List<byte[]> entries, Duration lifetime) {
        static final Left NOTHING = new Left(List.of(), Duration.ofSeconds(1));
    }

    /** @param keys that the write may change what is read by, given the generation */
    <T> T run(LongFunction<List<byte[]>> keys, Supplier<T> write) {
        return run(keys, write, outcome -> Left.NOTHING);
    }

    <T> T run(LongFunction<List<byte[]>> keys, Supplier<T> write, Function<T, Left> left) {
        byte[] token = token();
        long marked = mark(keys, token);
        T outcome;
        try {
            outcome = write.get();
        } catch (NamespaceException unknown) {
            lease.doubt();
            throw unknown;
        }
        lift(keys, token, left.apply(outcome), marked);
        return outcome;
    }

    /** The generation in which the keys are marked now, or {@link #NONE}. */
    private long mark(LongFunction<List<byte[]>> keys, byte[] token) {
        while (true) {
            CacheState state = lease.forWrite();
            if (!state.isToBeTold()) {
                return NONE;
            }
            Duration lifetime = state.longestWrite().plus(state.lease()).plus(settings.writeTimeout());
            if (link.mark(state.serverId(), keys.apply(state.generation()), token, lifetime)) {
                return state.generation();
            }
            lease.switchOff(state);
        }
    }

    /** Until that is done in a generation that is the current one afterwards. */
    private void lift(LongFunction<List<byte[]>> keys, byte[] token, Left left, long marked) {
        while (true) {
            CacheState state = lease.forWrite();
            if (!state.isToBeTold()) {
                return;
            }
            List<byte[]> named = keys.apply(state.generation());
            long lost = link.lift(state.serverId(), named, token, left.entries(), left.lifetime());
            if (lost > 0 && marked == state.generation()) {
                statistics.markLost(lost);
            }
            if (lost == RedisLink.NO_ANSWER) {
                lease.switchOff(state);
            } else if (lease.holds(state)) {
                return;
            }
        }
    }

    byte[] token() {
        byte[] token = new byte[Scripts.TOKEN_BYTES];
        random.nextBytes(token);
        return token;
    }
}
