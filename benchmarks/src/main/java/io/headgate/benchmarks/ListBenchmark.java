package io.headgate.benchmarks;

import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * What a page of 1,000 keys costs in the embedded namespace, whatever the bucket holds. Both buckets are in one database, and their
 * pages are measured in turns, so that whatever else the machine does meets both.
 */
final class ListBenchmark {
    private static final int PAGE_KEYS = 1000;
    private static final int WRITERS = 256;
    private static final int WARM_UP_PAGES = 300;
    /** A prime, so that keys come in no order and every key comes once. */
    private static final long STRIDE = 999_999_937;

    /**
     * @param rounds how often each bucket has its turn
     * @param pages how many pages a turn reads
     */
    record Plan(int small, int large, int rounds, int pages) {}

    private final Namespace namespace;
    private final SyntheticObjects objects;
    private final SplittableRandom random = new SplittableRandom(1);

    private ListBenchmark(Namespace namespace) {
        this.namespace = namespace;
        this.objects = new SyntheticObjects(namespace, "one", Duration.ofHours(1));
    }

    static void run(Plan plan, PrintStream out) throws IOException, InterruptedException {
        try (Scratch scratch = Scratch.create();
                Namespace namespace = SqliteNamespace.open(
                        scratch.path().resolve("namespace.db"),
                        InstantSource.system(),
                        SqliteOptions.defaults().withFlush(false))) {
            new ListBenchmark(namespace).measure(plan, out);
        }
    }

    private void measure(Plan plan, PrintStream out) throws InterruptedException {
        BucketName small = fill("small", plan.small(), out);
        BucketName large = fill("large", plan.large(), out);
        read(small, plan.small(), WARM_UP_PAGES);
        read(large, plan.large(), WARM_UP_PAGES);
        List<long[]> ofSmall = new ArrayList<>();
        List<long[]> ofLarge = new ArrayList<>();
        out.printf(Locale.ROOT, "median µs a page of %,d keys at random places:%n", PAGE_KEYS);
        out.printf(Locale.ROOT, "round %,12d keys %,12d keys   ratio%n", plan.small(), plan.large());
        for (int round = 1; round <= plan.rounds(); round++) {
            ofSmall.add(read(small, plan.small(), plan.pages()));
            ofLarge.add(read(large, plan.large(), plan.pages()));
            print(String.valueOf(round), ofSmall.getLast(), ofLarge.getLast(), out);
        }
        print("all", concatenated(ofSmall), concatenated(ofLarge), out);
        double[] ratios = IntStream.range(0, plan.rounds())
                .mapToDouble(i -> (double) Summary.median(ofLarge.get(i)) / Summary.median(ofSmall.get(i)))
                .sorted()
                .toArray();
        out.printf(Locale.ROOT, "median of the rounds' ratios: %.2f%n", ratios[plan.rounds() / 2]);
    }

    private static void print(String round, long[] small, long[] large, PrintStream out) {
        double smallMicros = Summary.median(small) / 1e3;
        double largeMicros = Summary.median(large) / 1e3;
        out.printf(
                Locale.ROOT, "%5s %17.0f %17.0f   %5.2f%n", round, smallMicros, largeMicros, largeMicros / smallMicros);
    }

    private static long[] concatenated(List<long[]> rounds) {
        return rounds.stream().flatMapToLong(Arrays::stream).toArray();
    }

    /** Nanoseconds of each page. */
    private long[] read(BucketName bucket, int keys, int pages) {
        long[] nanos = new long[pages];
        for (int i = 0; i < pages; i++) {
            // A whole page follows after each of these.
            String after = key(random.nextInt(keys - PAGE_KEYS));
            long begin = System.nanoTime();
            Outcome<ObjectPage> page = namespace.listObjects(new ObjectQuery(bucket, "", "", after, PAGE_KEYS));
            nanos[i] = System.nanoTime() - begin;
            if (!(page instanceof Outcome.Done<ObjectPage>(ObjectPage done))
                    || done.entries().size() != PAGE_KEYS) {
                throw new IllegalStateException("not a whole page: " + page);
            }
        }
        return nanos;
    }

    private BucketName fill(String name, int keys, PrintStream out) throws InterruptedException {
        BucketName bucket = new BucketName(name);
        namespace.createBucket(new Bucket(bucket, "root", "", Instant.now()));
        long begin = System.nanoTime();
        List<Future<?>> writers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < WRITERS; i++) {
                int first = i;
                SplittableRandom ids = random.split();
                writers.add(threads.submit(() -> {
                    for (long n = first; n < keys; n += WRITERS) {
                        objects.put(bucket, key((int) (n * STRIDE % keys)), ids);
                    }
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        } catch (ExecutionException failed) {
            throw new IllegalStateException("the bucket could not be filled", failed);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        out.printf(Locale.ROOT, "filled a bucket with %,d keys: %,.0f puts/s%n", keys, keys / seconds);
        return bucket;
    }

    /** In the order of the numbers. */
    private static String key(int number) {
        return "photos/2026/%08d.jpg".formatted(number);
    }
}
