package io.headgate.admin;

import io.headgate.region.Regions;
import io.headgate.region.RegistryStatistics;
import io.headgate.region.Traffic;
import io.headgate.work.RegistryUpkeep;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The meters of regions: what goes from this one to each other, and what is asked of the registry. */
final class RegionMetrics {
    private RegionMetrics() {}

    static void add(MeterRegistry registry, Regions regions, RegistryUpkeep upkeep) {
        for (String to : regions.names()) {
            if (!to.equals(regions.own())) {
                addPair(registry, regions, to);
            }
        }
        RegistryStatistics statistics = regions.directory().statistics();
        lookUps(registry, statistics, "hit", RegistryStatistics::hits);
        lookUps(registry, statistics, "miss", RegistryStatistics::misses);
        FunctionCounter.builder("headgate.registry.failures", statistics, RegistryStatistics::failures)
                .description("Questions that the registry of bucket names did not answer")
                .register(registry);
        Gauge.builder("headgate.registry.conflicts", upkeep, RegistryUpkeep::conflictCount)
                .description("Buckets of this region whose names another region has")
                .register(registry);
    }

    private static void lookUps(
            MeterRegistry registry,
            RegistryStatistics statistics,
            String result,
            ToDoubleFunction<RegistryStatistics> count) {
        FunctionCounter.builder("headgate.registry.lookups", statistics, count)
                .description("Look-ups of bucket names, answered from memory or by the registry")
                .tag("result", result)
                .register(registry);
    }

    private static void addPair(MeterRegistry registry, Regions regions, String to) {
        counter(registry, regions, to, "requests", "Requests sent to another region", Traffic::requests);
        counter(registry, regions, to, "failures", "Those that no gateway of the region answered", Traffic::failures);
        counter(
                registry,
                regions,
                to,
                "misdirected",
                "Those for a bucket that the region has not",
                Traffic::misdirected);
        counter(registry, regions, to, "sent.bytes", "Bytes of bodies sent to another region", Traffic::sentBytes);
        counter(
                registry,
                regions,
                to,
                "received.bytes",
                "Bytes of bodies received from another region",
                Traffic::receivedBytes);
        FunctionTimer.builder(
                        "headgate.peer.answer",
                        regions,
                        of -> of(of, to, Traffic::answers),
                        of -> of(of, to, Traffic::answerNanos),
                        TimeUnit.NANOSECONDS)
                .description("Time until another region began to answer")
                .tag("from", regions.own())
                .tag("to", to)
                .register(registry);
    }

    private static void counter(
            MeterRegistry registry,
            Regions regions,
            String to,
            String name,
            String description,
            ToLongFunction<Traffic> count) {
        FunctionCounter.builder("headgate.peer." + name, regions, of -> of(of, to, count))
                .description(description)
                .tag("from", regions.own())
                .tag("to", to)
                .register(registry);
    }

    private static long of(Regions regions, String to, ToLongFunction<Traffic> count) {
        return regions.peers().traffic().stream()
                .filter(traffic -> traffic.region().equals(to))
                .mapToLong(count)
                .sum();
    }
}
