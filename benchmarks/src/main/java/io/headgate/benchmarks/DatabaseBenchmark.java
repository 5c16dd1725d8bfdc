package io.headgate.benchmarks;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.postgres.PostgresOptions;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * What the engine {@code postgres} does a second: puts into one bucket and spread over many, and look-ups, with several sizes of its
 * pool. The cases take turns, so that whatever else the machine does meets them all. It leaves its buckets in the database.
 */
final class DatabaseBenchmark {
    /**
     * @param options of the database; the pool's size is set here
     * @param pools sizes of the pool
     * @param buckets the many
     * @param seconds of a turn
     * @param rounds how many turns each case has
     */
    record Plan(
            PostgresOptions options,
            List<Integer> pools,
            int callers,
            int buckets,
            int gateways,
            int seconds,
            int rounds) {}

    private interface Operation {
        void run(int caller, SplittableRandom random);
    }

    private final Plan plan;
    private final PrintStream out;
    /** The one, and then the many. */
    private final List<BucketName> buckets;
    /** Every key is new. */
    private final AtomicLong keysOfFirst = new AtomicLong();

    private final AtomicLong keysOfMany = new AtomicLong();

    private DatabaseBenchmark(Plan plan, PrintStream out) {
        this.plan = plan;
        this.out = out;
        String prefix = "bench-" + UUID.randomUUID().toString().substring(0, 8) + "-";
        this.buckets = IntStream.rangeClosed(0, plan.buckets())
                .mapToObj(number -> new BucketName(prefix + number))
                .toList();
    }

    static void run(Plan plan, PrintStream out) throws InterruptedException {
        new DatabaseBenchmark(plan, out).measure();
    }

    private void measure() throws InterruptedException {
        out.printf(
                Locale.ROOT,
                "operations/s, %d callers on each of %d gateways, %d rounds of %d s%n",
                plan.callers(),
                plan.gateways(),
                plan.rounds(),
                plan.seconds());
        out.printf(
                Locale.ROOT,
                "%5s %5s %14s %14s %7s %14s%n",
                "pool",
                "round",
                "put, 1 bucket",
                "put, " + plan.buckets(),
                "ratio",
                "look-up");
        for (int round = 0; round <= plan.rounds(); round++) {
            for (int pool : plan.pools()) {
                measure(pool, round);
            }
        }
    }

    /** Round 0 warms up and fills. */
    private void measure(int pool, int round) throws InterruptedException {
        List<Namespace> gateways = new ArrayList<>();
        List<SyntheticObjects> objects = new ArrayList<>();
        try {
            for (int i = 0; i < plan.gateways(); i++) {
                Namespace gateway =
                        PostgresNamespace.open(plan.options().withConnections(pool), InstantSource.system());
                gateways.add(gateway);
                objects.add(new SyntheticObjects(gateway, "one", Duration.ofHours(1)));
            }
            for (BucketName bucket : buckets) {
                gateways.getFirst().createBucket(new Bucket(bucket, "root", "", Instant.now()));
            }
            double one = rate((caller, random) -> objects.get(caller % objects.size())
                    .put(buckets.getFirst(), key(keysOfFirst.getAndIncrement()), random));
            double many = rate((caller, random) -> objects.get(caller % objects.size())
                    .put(
                            buckets.get(1 + random.nextInt(buckets.size() - 1)),
                            key(keysOfMany.getAndIncrement()),
                            random));
            long known = keysOfFirst.get();
            double lookUps = rate((caller, random) ->
                    lookUp(gateways.get(caller % gateways.size()), buckets.getFirst(), key(random.nextLong(known))));
            if (round > 0) {
                out.printf(
                        Locale.ROOT,
                        "%5d %5d %,14.0f %,14.0f %7.2f %,14.0f%n",
                        pool,
                        round,
                        one,
                        many,
                        one / many,
                        lookUps);
            }
        } finally {
            gateways.forEach(Namespace::close);
        }
    }

    private static void lookUp(Namespace namespace, BucketName bucket, String key) {
        Outcome<?> outcome = namespace.currentVersion(bucket, new ObjectKey(key));
        if (!(outcome instanceof Outcome.Done<?>)) {
            throw new IllegalStateException("a look-up was refused: " + outcome);
        }
    }

    private double rate(Operation operation) throws InterruptedException {
        AtomicLong done = new AtomicLong();
        long begin = System.nanoTime();
        long end = begin + Duration.ofSeconds(plan.seconds()).toNanos();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < plan.callers() * plan.gateways(); i++) {
                int caller = i;
                callers.add(threads.submit(() -> {
                    SplittableRandom random = new SplittableRandom(begin ^ caller);
                    while (System.nanoTime() - end < 0) {
                        operation.run(caller, random);
                        done.getAndIncrement();
                    }
                }));
            }
            for (Future<?> caller : callers) {
                caller.get();
            }
        } catch (ExecutionException failed) {
            throw new IllegalStateException("the database failed", failed);
        }
        return done.get() * 1e9 / (System.nanoTime() - begin);
    }

    /** In no order: the multiplier is odd, so every number has a key of its own. */
    private static String key(long number) {
        return "photos/%016x.jpg".formatted(number * 0x9E3779B97F4A7C15L);
    }
}
