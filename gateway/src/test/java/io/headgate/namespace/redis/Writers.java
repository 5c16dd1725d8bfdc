package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.WriteCondition;
import io.headgate.servers.RedisCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.awaitility.Awaitility;

/** Clients of a gateway, each with keys of its own, of which it knows what stands there: they put, overwrite and delete. */
final class Writers implements AutoCloseable {
    static final BucketName BUCKET = new BucketName("photos");

    private static final int WRITERS = 6;
    private static final int KEYS = 40;
    private static final int LEAST_WRITES = 150;

    private final AtomicLong writes = new AtomicLong();
    private final Map<String, ObjectVersion> expected = new ConcurrentHashMap<>();
    private final RedisNamespace namespace;
    private final long intent;
    private volatile Duration ahead = Duration.ZERO;

    Writers(RedisCluster cluster) {
        namespace = RedisNamespace.open(
                options(cluster, Duration.ofSeconds(60)),
                () -> Instant.now().plus(ahead),
                RandomGenerator.of("Random"));
        Instant now = Instant.now();
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        intent = namespace
                .openIntent("gateway", now, now.plusSeconds(3_600), now.plusSeconds(3_600))
                .id();
    }

    static RedisOptions options(RedisCluster cluster, Duration timeout) {
        List<RedisOptions.Node> nodes = cluster.masters().stream()
                .map(node -> new RedisOptions.Node("127.0.0.1", node.port()))
                .toList();
        return new RedisOptions(nodes, false, null, null, timeout, 1);
    }

    /** Where the ranges are of all buckets. */
    static List<Integer> rangeSlots(RedisCluster cluster) {
        List<Integer> slots = new ArrayList<>();
        for (RedisCluster.Node master : cluster.masters()) {
            if (master.ask("KEYS", "{*}r*") instanceof List<?> keys) {
                keys.forEach(key ->
                        slots.add(Math.toIntExact((Long) master.ask("CLUSTER", "KEYSLOT", String.valueOf(key)))));
            }
        }
        return slots;
    }

    /** Waits for some more writes to be done. */
    void awaitWrites() {
        long before = writes.get();
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> writes.get() >= before + LEAST_WRITES);
    }

    interface Fault {
        void happen();
    }

    /** The writers see nothing of the fault, and afterwards everything is as they left it. */
    void whileWriting(Fault fault) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                writers.add(threads.submit(() -> write(number, over)));
            }
            try {
                awaitWrites();
                fault.happen();
            } finally {
                over.set(true);
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        }
        assertThat(namespace.bucketUsage(BUCKET))
                .isEqualTo(new Outcome.Done<>(new BucketUsage(
                        expected.size(),
                        expected.values().stream()
                                .mapToLong(ObjectVersion::sizeBytes)
                                .sum())));
        expected.forEach((key, version) -> assertThat(namespace.currentVersion(BUCKET, new ObjectKey(key)))
                .isEqualTo(new Outcome.Done<>(version)));
        ahead = Duration.ofHours(1);
        namespace.dueGarbage("disk-1", Instant.EPOCH, 1); // does what answers told to do that were lost
        assertThat(namespace.accountUsage().get("disk-1").blobs()).isEqualTo(expected.size());
    }

    private void write(int writer, AtomicBoolean over) {
        RandomGenerator random = RandomGenerator.of("Random");
        while (!over.get()) {
            String key = "writer-" + writer + "/" + random.nextInt(KEYS);
            if (random.nextInt(4) == 0) {
                boolean was = expected.remove(key) != null;
                assertThat(namespace.deleteObjects(
                                BUCKET,
                                List.of(new DeleteObject(new ObjectKey(key), WriteCondition.NONE)),
                                Instant.now()))
                        .containsExactly(new Outcome.Done<>(was));
            } else {
                PutObject put = put(key, random);
                assertThat(namespace.putObject(put)).isEqualTo(new Outcome.Done<>(put.version()));
                expected.put(key, put.version());
            }
            writes.incrementAndGet();
        }
    }

    private PutObject put(String key, RandomGenerator random) {
        return put(key, 1 + random.nextInt(1_000), intent, Instant.now(), random);
    }

    /** Whose blob lies in any slot. */
    static PutObject put(String key, long size, long intent, Instant now, RandomGenerator random) {
        BlobId blob =
                BlobId.of(now.getEpochSecond(), random.nextInt(BlobId.SLOTS), random.nextLong(), random.nextLong());
        return new PutObject(
                BUCKET,
                new ObjectKey(key),
                new UUID(random.nextLong(), random.nextLong()).toString(),
                new ObjectAttributes(Map.of("content-type", "text/plain"), Map.of(), Map.of(), "STANDARD"),
                size,
                new ETag("%016x%016x".formatted(random.nextLong(), random.nextLong())),
                List.of(),
                Optional.of(new Slice(blob, "disk-1", 0, size)),
                WriteCondition.NONE,
                intent,
                Optional.empty(),
                now);
    }

    /** Of an object without bytes. */
    static PutObject emptyPut(BucketName bucket, String key) {
        return new PutObject(
                bucket,
                new ObjectKey(key),
                UUID.randomUUID().toString(),
                new ObjectAttributes(Map.of(), Map.of(), Map.of(), "STANDARD"),
                0,
                new ETag("d41d8cd98f00b204e9800998ecf8427e"),
                List.of(),
                Optional.empty(),
                WriteCondition.NONE,
                0,
                Optional.empty(),
                Instant.now());
    }

    @Override
    public void close() {
        namespace.close();
    }
}
