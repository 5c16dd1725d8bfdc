package io.headgate.region;

import java.util.concurrent.atomic.LongAdder;

/** Counts what a gateway asks of the registry, and what it need not ask, since its start. Thread-safe. */
public final class RegistryStatistics {
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder failures = new LongAdder();

    void hit() {
        hits.increment();
    }

    void miss() {
        misses.increment();
    }

    void failure() {
        failures.increment();
    }

    /** Look-ups that were answered from memory. */
    public long hits() {
        return hits.sum();
    }

    /** Look-ups that had to wait for the registry. */
    public long misses() {
        return misses.sum();
    }

    /** Questions, also in the background, that the registry did not answer. */
    public long failures() {
        return failures.sum();
    }
}
