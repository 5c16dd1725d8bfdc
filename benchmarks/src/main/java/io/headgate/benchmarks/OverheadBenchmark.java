package io.headgate.benchmarks;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.redis.RedisNamespace;
import io.headgate.namespace.redis.RedisOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * What the engine redis adds to the functions that it calls: an overwrite, a look-up and a page through the engine, and the same call of
 * the same function on the same master, by a client that knows nothing but its words. One caller; both take turns.
 */
final class OverheadBenchmark {
    private static final BucketName BUCKET =
            new BucketName("bench-" + Long.toString(System.currentTimeMillis(), 36) + "-overhead");
    private static final String KEY = "photos/%012d.jpg";
    private static final int PAGE_KEYS = 1_000;
    private static final int WARM_UP = 5_000;
    private static final int BATCH = 200;
    /** The random part of an id that is drawn anew, the last bytes of it, of values that are not escaped. */
    private static final int FRESH_BYTES = 6;

    private final RedisOptions options;
    private final int objects;
    private final int rounds;
    private final PrintStream out;
    private final SplittableRandom random = new SplittableRandom();

    /** A call of a function. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Call(String function, byte[][] keys, byte[][] arguments) {
        static Call of(List<byte[]> words) {
            int keys = Integer.parseInt(new String(words.get(2), StandardCharsets.US_ASCII));
            return new Call(
                    new String(words.get(1), StandardCharsets.US_ASCII),
                    words.subList(3, 3 + keys).toArray(byte[][]::new),
                    words.subList(3 + keys, words.size()).toArray(byte[][]::new));
        }
    }

    private interface Operation {
        void run() throws IOException;
    }

    private OverheadBenchmark(RedisOptions options, int objects, int rounds, PrintStream out) {
        this.options = options;
        this.objects = objects;
        this.rounds = rounds;
        this.out = out;
    }

    /** @param options one node of a cluster of one master, which is asked for everything */
    static void run(RedisOptions options, int objects, int rounds, PrintStream out) throws IOException {
        new OverheadBenchmark(options, objects, rounds, out).measure();
    }

    private void measure() throws IOException {
        RedisOptions.Node node = options.nodes().getFirst();
        RedisURI uri = RedisURI.builder()
                .withHost(node.host())
                .withPort(node.port())
                .withTimeout(Duration.ofSeconds(30))
                .build();
        RedisClient client = RedisClient.create(uri);
        try (RedisNamespace namespace =
                        RedisNamespace.open(options, InstantSource.system(), RandomGenerator.of("Random"));
                StatefulRedisConnection<byte[], byte[]> bare = client.connect(ByteArrayCodec.INSTANCE)) {
            namespace.createBucket(new Bucket(BUCKET, "bench", "", Instant.now()));
            namespace.bucket(BUCKET);
            SyntheticObjects puts = new SyntheticObjects(namespace, "bench", Duration.ofHours(6));
            for (int i = 0; i < objects; i++) {
                puts.put(BUCKET, KEY.formatted(i), random);
            }
            String key = KEY.formatted(objects / 2);
            Operation put = () -> puts.put(BUCKET, key, random);
            Operation get = () -> found(namespace.currentVersion(BUCKET, new ObjectKey(key)));
            Operation page = () -> found(namespace.listObjects(new ObjectQuery(BUCKET, "", "", key, PAGE_KEYS)));
            Call barePut = watched(node, "_put", put);
            Call bareGet = watched(node, "_current", get);
            Call barePage = watched(node, "_list", page);
            out.printf(Locale.ROOT, "%,d objects, one caller%n", objects);
            out.printf(Locale.ROOT, "%-10s %14s %14s %8s%n", "operation", "engine p50 us", "bare p50 us", "ratio");
            compare("overwrite", put, () -> call(bare, fresh(barePut), ScriptOutputType.VALUE));
            compare("look-up", get, () -> call(bare, bareGet, ScriptOutputType.VALUE));
            compare("page", page, () -> call(bare, barePage, ScriptOutputType.MULTI));
        } finally {
            client.shutdown();
        }
    }

    private static void found(Outcome<?> outcome) {
        if (!(outcome instanceof Outcome.Done<?>(Object value))
                || (value instanceof ObjectPage page && page.entries().size() != PAGE_KEYS)) {
            throw new IllegalStateException("not what is to be measured: " + outcome);
        }
    }

    private static Call watched(RedisOptions.Node node, String function, Operation operation) throws IOException {
        try (BareCalls calls = new BareCalls(node.host(), node.port())) {
            operation.run();
            return Call.of(calls.next(function));
        }
    }

    private static void call(StatefulRedisConnection<byte[], byte[]> bare, Call call, ScriptOutputType type) {
        Object answer = bare.sync().fcall(call.function, type, call.keys, call.arguments);
        if (answer == null) {
            throw new IllegalStateException("a function answered nothing");
        }
    }

    /** As a put by another id, which stands in the record and, encoded, among the arguments: both end with the same bytes. */
    private Call fresh(Call put) {
        byte[][] arguments = put.arguments.clone();
        byte[] record = arguments[3].clone();
        byte[] encoded = arguments[9].clone();
        for (int i = 1; i <= FRESH_BYTES; i++) {
            byte drawn = (byte) random.nextInt(2, 256);
            record[17 - i] = drawn;
            encoded[encoded.length - i] = drawn;
        }
        arguments[3] = record;
        arguments[9] = encoded;
        return new Call(put.function, put.keys, arguments);
    }

    private void compare(String name, Operation engine, Operation bare) throws IOException {
        List<Long> through = new ArrayList<>();
        List<Long> direct = new ArrayList<>();
        for (int i = 0; i < WARM_UP; i += BATCH) {
            batch(engine, new ArrayList<>());
            batch(bare, new ArrayList<>());
        }
        for (int round = 0; round < rounds; round++) {
            batch(engine, through);
            batch(bare, direct);
        }
        double engineMicros = p50(through) / 1e3;
        double bareMicros = p50(direct) / 1e3;
        out.printf(
                Locale.ROOT, "%-10s %14.1f %14.1f %8.2f%n", name, engineMicros, bareMicros, engineMicros / bareMicros);
    }

    private static long p50(List<Long> nanos) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        return Summary.percentile(sorted, 0.50);
    }

    private static void batch(Operation operation, List<Long> nanos) throws IOException {
        for (int i = 0; i < BATCH; i++) {
            long begin = System.nanoTime();
            operation.run();
            nanos.add(System.nanoTime() - begin);
        }
    }
}
