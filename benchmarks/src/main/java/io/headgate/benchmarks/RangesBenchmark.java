package io.headgate.benchmarks;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketRange;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.redis.RangeLimits;
import io.headgate.namespace.redis.RedisNamespace;
import io.headgate.namespace.redis.RedisOptions;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;

/**
 * What ranges cost and bring in the engine redis: a page of a bucket in one range and in many, clients while ranges are split, and keys that come in
 * the order of time in a bucket of each kind.
 */
final class RangesBenchmark {
    private static final int CALLERS = 16;
    private static final int PAGE_KEYS = 1_000;
    private static final int HASHED_RANGES = 16;
    private static final long NEVER = 1_000_000_000;

    /**
     * @param objects in the bucket that is listed and split
     * @param ranges how many ranges that is cut into, ascending
     * @param seconds of each turn
     * @param rounds turns of each case of listings
     */
    record Plan(RedisOptions options, int objects, List<Integer> ranges, int seconds, int rounds) {}

    private final Plan plan;
    private final PrintStream out;
    /** Of this run, whose buckets stay. */
    private final String run = Long.toString(System.currentTimeMillis(), 36);
    /** Each turn of the upkeep is ten seconds for it. */
    private final AtomicLong aheadSeconds = new AtomicLong();

    private RangesBenchmark(Plan plan, PrintStream out) {
        this.plan = plan;
        this.out = out;
    }

    static void run(Plan plan, PrintStream out) throws InterruptedException {
        RangesBenchmark benchmark = new RangesBenchmark(plan, out);
        benchmark.orderOfTime(); // first: the splits of a turn are few, and the large bucket would have them all
        benchmark.pages();
    }

    private RedisNamespace open(RangeLimits limits) {
        return RedisNamespace.open(
                plan.options().withRanges(limits), InstantSource.system(), RandomGenerator.of("Random"));
    }

    private void upkeep(RedisNamespace namespace) {
        namespace.upkeep("bench-" + run, Instant.now().plusSeconds(aheadSeconds.addAndGet(10)));
    }

    private BucketName bucket(String name) {
        return new BucketName("bench-" + run + "-" + name);
    }

    /** Pages, and the splits on the way from few ranges to many, while clients work. */
    private void pages() throws InterruptedException {
        BucketName bucket = bucket("pages");
        RangeLimits never = new RangeLimits(NEVER, NEVER, 0);
        try (RedisNamespace namespace = open(never)) {
            namespace.createBucket(new Bucket(bucket, "bench", "", Instant.now()));
            SyntheticObjects objects = new SyntheticObjects(namespace, "bench", Duration.ofHours(6));
            AtomicLong next = new AtomicLong();
            List<long[]> unused = Callers.measured(64, _ -> true, random -> {
                long number = next.getAndIncrement();
                if (number >= plan.objects()) {
                    return false;
                }
                objects.put(bucket, key(number), random);
                return true;
            });
            out.printf(
                    Locale.ROOT,
                    "%n%,d objects, pages of %,d keys, rounds of %d s%n",
                    plan.objects(),
                    PAGE_KEYS,
                    plan.seconds());
            out.printf(Locale.ROOT, "%8s %12s %10s %10s %10s%n", "ranges", "pages/s", "p50 us", "p99 us", "max us");
            turn(1, random -> page(namespace, bucket, random)); // or the first case would be that of a cold program
            turn(1, random -> page(namespace, bucket, random));
            for (int ranges : plan.ranges()) {
                if (ranges > 1) {
                    split(bucket, namespace, objects, ranges);
                }
                List<long[]> pages = new ArrayList<>();
                for (int round = 0; round <= plan.rounds(); round++) {
                    List<long[]> turn = turn(1, random -> page(namespace, bucket, random));
                    if (round > 0) {
                        pages.addAll(turn);
                    }
                }
                line("%8d".formatted(namespace.ranges(bucket).size()), pages, (double) plan.rounds() * plan.seconds());
            }
        }
    }

    private static String key(long number) {
        return "photos/%012d.jpg".formatted(number);
    }

    private boolean page(RedisNamespace namespace, BucketName bucket, SplittableRandom random) {
        String after = key(random.nextInt(plan.objects() - PAGE_KEYS));
        if (namespace.listObjects(new ObjectQuery(bucket, "photos/", "", after, PAGE_KEYS))
                        instanceof Outcome.Done<ObjectPage>(ObjectPage page)
                && page.entries().size() >= PAGE_KEYS - 1) {
            return true;
        }
        throw new IllegalStateException("a page is not full");
    }

    /** Splits until there are so many, while clients overwrite and look up. */
    private void split(BucketName bucket, RedisNamespace clients, SyntheticObjects objects, int ranges)
            throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Map<String, List<long[]>> latencies = new HashMap<>();
        long begin;
        int before = clients.ranges(bucket).size();
        try (RedisNamespace mover = open(new RangeLimits(plan.objects() / ranges * 11L / 10, NEVER, 0));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            latencies.put("quiet", turn(CALLERS, random -> one(clients, bucket, objects, random)));
            Future<List<long[]>> working = threads.submit(
                    () -> Callers.measured(CALLERS, _ -> !over.get(), random -> one(clients, bucket, objects, random)));
            begin = System.nanoTime();
            try {
                int pieces = before;
                do {
                    upkeep(mover);
                    int now = clients.ranges(bucket).size();
                    if (now == pieces) {
                        break;
                    }
                    pieces = now;
                } while (pieces < ranges);
            } finally {
                over.set(true);
            }
            latencies.put("splitting", working.get());
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        int after = clients.ranges(bucket).size();
        out.printf(
                Locale.ROOT,
                "# %d to %d ranges in %.1f s, %d callers overwrite and look up:%n",
                before,
                after,
                seconds,
                CALLERS);
        latencies.forEach(
                (when, all) -> line("# %-9s".formatted(when), all, when.equals("quiet") ? plan.seconds() : seconds));
    }

    private boolean one(
            RedisNamespace namespace, BucketName bucket, SyntheticObjects objects, SplittableRandom random) {
        long number = random.nextInt(plan.objects());
        if (random.nextBoolean()) {
            objects.put(bucket, key(number), random);
        } else if (!(namespace.currentVersion(bucket, new ObjectKey(key(number))) instanceof Outcome.Done<?>)) {
            throw new IllegalStateException("a look-up found nothing");
        }
        return true;
    }

    private void line(String what, List<long[]> all, double seconds) {
        long[] sorted = all.stream().flatMapToLong(LongStream::of).sorted().toArray();
        out.printf(
                Locale.ROOT,
                "%s %,12.0f %,10.0f %,10.0f %,10.0f%n",
                what,
                sorted.length / seconds,
                Summary.percentile(sorted, 0.50) / 1e3,
                Summary.percentile(sorted, 0.99) / 1e3,
                sorted.length == 0 ? 0 : sorted[sorted.length - 1] / 1e3);
    }

    /** Keys that begin with the time: where they go in a bucket of one range, in one that is split, and in one of hashed ranges. */
    private void orderOfTime() throws InterruptedException {
        out.printf(Locale.ROOT, "keys in the order of time, %d callers, %d s%n", 64, plan.seconds());
        out.printf(
                Locale.ROOT,
                "%-28s %10s %8s %22s %22s%n",
                "bucket",
                "puts/s",
                "slots",
                "of puts in one slot",
                "of objects in one slot");
        RangeLimits never = new RangeLimits(NEVER, NEVER, 0);
        ordered("ranged", never, 0);
        ordered("ranged-and-split", new RangeLimits(5_000, NEVER, 0), 0);
        ordered("hashed", never, HASHED_RANGES);
    }

    private void ordered(String kind, RangeLimits limits, int hashedRanges) throws InterruptedException {
        BucketName bucket = bucket(kind);
        Map<Integer, LongAdder> slots = new ConcurrentHashMap<>();
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong number = new AtomicLong();
        try (RedisNamespace namespace = open(limits);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Bucket made = new Bucket(bucket, "bench", "", Instant.now());
            if (hashedRanges > 0) {
                namespace.createHashedBucket(made, hashedRanges);
            } else {
                namespace.createBucket(made);
            }
            namespace.bucket(bucket);
            SyntheticObjects objects = new SyntheticObjects(namespace, "bench", Duration.ofHours(6));
            Future<?> moving = threads.submit(() -> {
                while (!over.get()) {
                    upkeep(namespace);
                    Thread.sleep(500);
                }
                return null;
            });
            List<long[]> puts = turn(64, random -> {
                String key = "2026-11-30/%012d.log".formatted(number.getAndIncrement());
                objects.put(bucket, key, random);
                slots.computeIfAbsent(
                                namespace.blobSlot(bucket, new ObjectKey(key)).orElseThrow(), _ -> new LongAdder())
                        .increment();
                return true;
            });
            over.set(true);
            moving.get();
            long all = slots.values().stream().mapToLong(LongAdder::sum).sum();
            long most = slots.values().stream().mapToLong(LongAdder::sum).max().orElse(0);
            Map<Integer, Long> held = new HashMap<>();
            namespace.ranges(bucket).forEach(range -> held.merge(range.slot(), range.objects(), Long::sum));
            long fullest =
                    held.values().stream().mapToLong(Long::longValue).max().orElse(0);
            long total = namespace.ranges(bucket).stream()
                    .mapToLong(BucketRange::objects)
                    .sum();
            out.printf(
                    Locale.ROOT,
                    "%-28s %,10.0f %8d %21.1f%% %21.1f%%%n",
                    kind,
                    (double) puts.stream().mapToLong(one -> one.length).sum() / plan.seconds(),
                    held.size(),
                    100.0 * most / Math.max(1, all),
                    100.0 * fullest / Math.max(1, total));
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private List<long[]> turn(int callers, Callers.Operation operation) throws InterruptedException {
        return Callers.turn(callers, Duration.ofSeconds(plan.seconds()), operation);
    }
}
