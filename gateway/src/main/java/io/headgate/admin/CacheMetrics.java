package io.headgate.admin;

import io.headgate.namespace.cache.CacheStatistics;
import io.headgate.namespace.cache.CacheStatistics.LookUp;
import io.headgate.namespace.cache.CacheStatistics.Step;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** The meters of the namespace's cache. */
final class CacheMetrics {
    private CacheMetrics() {}

    static void add(MeterRegistry registry, CacheStatistics statistics) {
        for (LookUp kind : LookUp.values()) {
            FunctionCounter.builder("headgate.cache.lookups", statistics, all -> all.lookUps(kind))
                    .description("Look-ups of buckets and versions, by what became of them in the cache")
                    .tag("result", label(kind))
                    .register(registry);
        }
        for (Step step : Step.values()) {
            FunctionTimer.builder(
                            "headgate.cache.step",
                            statistics,
                            all -> all.steps(step),
                            all -> all.stepNanos(step),
                            TimeUnit.NANOSECONDS)
                    .description("Time that Redis took for what it answered")
                    .tag("step", label(step))
                    .register(registry);
        }
        counter(registry, statistics, "fills", "Entries written", CacheStatistics::fills);
        counter(
                registry,
                statistics,
                "fills.refused",
                "Entries not written because a write came between",
                CacheStatistics::fillsRefused);
        counter(
                registry,
                statistics,
                "switch.offs",
                "How often this gateway switched the cache off for all",
                CacheStatistics::switchOffs);
        counter(
                registry,
                statistics,
                "marks.lost",
                "Marks of writes under way that Redis had evicted: it has too little memory",
                CacheStatistics::marksLost);
        Gauge.builder("headgate.cache.on", statistics, all -> all.isOn() ? 1 : 0)
                .description("1 while this gateway answers look-ups from the cache")
                .register(registry);
        Gauge.builder("headgate.cache.generation", statistics, CacheStatistics::generation)
                .description("Grows whenever the cache is switched off")
                .register(registry);
    }

    private static void counter(
            MeterRegistry registry,
            CacheStatistics statistics,
            String name,
            String description,
            ToDoubleFunction<CacheStatistics> count) {
        FunctionCounter.builder("headgate.cache." + name, statistics, count)
                .description(description)
                .register(registry);
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
