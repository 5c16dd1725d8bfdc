package io.headgate.namespace.cache;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Counts what the cache does, since the start of the gateway. Thread-safe. */
public final class CacheStatistics {
    /** What became of a look-up. */
    public enum LookUp {
        /** Answered by an entry. */
        HIT,
        /** Answered by an entry that says that there is nothing. */
        NEGATIVE_HIT,
        /** There was no entry. */
        MISS,
        /** A write of it was under way, or had an unknown outcome lately. */
        BEING_WRITTEN,
        /** The cache is off, or not on yet. */
        OFF,
        /** The gateway's knowledge of the cache's state was too old. */
        LAPSED,
        /** Redis cannot be reached, or was too slow just now. */
        UNREACHABLE,
        /** Redis did not answer in time, or refused. */
        FAILED
    }

    /** What is asked of Redis, each in one round trip. */
    public enum Step {
        READ,
        RESERVE,
        MARK,
        LIFT
    }

    private final Map<LookUp, LongAdder> lookUps = new EnumMap<>(LookUp.class);
    private final Map<Step, LongAdder> steps = new EnumMap<>(Step.class);
    private final Map<Step, LongAdder> stepNanos = new EnumMap<>(Step.class);
    private final LongAdder fills = new LongAdder();
    private final LongAdder fillsRefused = new LongAdder();
    private final LongAdder switchOffs = new LongAdder();
    private final LongAdder marksLost = new LongAdder();
    private volatile LongSupplier generation = () -> 0;
    private volatile BooleanSupplier on = () -> false;

    CacheStatistics() {
        for (LookUp kind : LookUp.values()) {
            lookUps.put(kind, new LongAdder());
        }
        for (Step step : Step.values()) {
            steps.put(step, new LongAdder());
            stepNanos.put(step, new LongAdder());
        }
    }

    void count(LookUp kind) {
        of(lookUps, kind).increment();
    }

    void took(Step step, long nanos) {
        of(steps, step).increment();
        of(stepNanos, step).add(nanos);
    }

    void filled(boolean accepted) {
        (accepted ? fills : fillsRefused).increment();
    }

    void switchedOff() {
        switchOffs.increment();
    }

    void markLost(long count) {
        marksLost.add(count);
    }

    /** Where to ask for the state. */
    void state(LongSupplier ofGeneration, BooleanSupplier isOn) {
        generation = ofGeneration;
        on = isOn;
    }

    private static <K extends Enum<K>> LongAdder of(Map<K, LongAdder> map, K key) {
        return Objects.requireNonNull(map.get(key));
    }

    public long lookUps(LookUp kind) {
        return of(lookUps, kind).sum();
    }

    public long steps(Step step) {
        return of(steps, step).sum();
    }

    public long stepNanos(Step step) {
        return of(stepNanos, step).sum();
    }

    /** Entries that were written. */
    public long fills() {
        return fills.sum();
    }

    /** Entries that were not written because a write came between, or the key was evicted. */
    public long fillsRefused() {
        return fillsRefused.sum();
    }

    /** How often this gateway switched the cache off for all. */
    public long switchOffs() {
        return switchOffs.sum();
    }

    /** Marks of writes under way that Redis evicted before the write was done: it has too little memory. */
    public long marksLost() {
        return marksLost.sum();
    }

    public long generation() {
        return generation.getAsLong();
    }

    /** Whether this gateway answers look-ups from the cache. */
    public boolean isOn() {
        return on.getAsBoolean();
    }
}
