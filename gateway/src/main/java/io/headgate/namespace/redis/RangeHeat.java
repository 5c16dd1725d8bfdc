package io.headgate.namespace.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** How often this gateway has asked each range, and for which keys. Thread-safe. */
final class RangeHeat {
    /** Ranges that are counted at a time; more are cold. */
    private static final int MOST_RANGES = 10_000;
    /** Keys that are kept of each range: every so many-th. */
    private static final int SAMPLES = 32;

    private static final int SAMPLE_EVERY = 8;

    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    private static final class Counter {
        final LongAdder requests = new LongAdder();
        final AtomicReferenceArray<byte @Nullable []> samples = new AtomicReferenceArray<>(SAMPLES);
        private int next;

        void add(byte[] key) {
            requests.increment();
            int number = next++; // may lose one to another thread: it only chooses
            if (number % SAMPLE_EVERY == 0) {
                samples.set(Math.floorMod(number / SAMPLE_EVERY, SAMPLES), key);
            }
        }
    }

    /**
     * What a range was asked.
     *
     * @param samples some of the encoded keys, in order
     */
    record Asked(long requests, List<byte[]> samples) {
        Asked plus(Asked other) {
            List<byte[]> all = new ArrayList<>(samples);
            all.addAll(other.samples);
            all.sort(Arrays::compareUnsigned);
            return new Asked(requests + other.requests, all);
        }
    }

    void add(Range range, byte[] key) {
        Counter counter = counters.get(range.id());
        if (counter == null) {
            if (counters.size() >= MOST_RANGES) {
                return;
            }
            counter = counters.computeIfAbsent(range.id(), _ -> new Counter());
        }
        counter.add(key);
    }

    /** By the ids of ranges, since this was called last; at least so many requests. */
    Map<String, Asked> take(long leastRequests) {
        Map<String, Asked> taken = new HashMap<>();
        counters.forEach((id, counter) -> {
            long requests = counter.requests.sum();
            if (requests >= leastRequests) {
                List<byte[]> samples = new ArrayList<>();
                for (int i = 0; i < SAMPLES; i++) {
                    byte[] sample = counter.samples.get(i);
                    if (sample != null) {
                        samples.add(sample);
                    }
                }
                samples.sort(Arrays::compareUnsigned);
                taken.put(id, new Asked(requests, samples));
            }
        });
        counters.clear();
        return taken;
    }
}
