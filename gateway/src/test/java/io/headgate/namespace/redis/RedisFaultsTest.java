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
import io.headgate.servers.RedisCluster.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Clients write, overwrite and delete while slots move, masters hand over and functions are forgotten: they see nothing of it. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisFaultsTest {
    private static final BucketName BUCKET = new BucketName("photos");
    private static final int WRITERS = 6;
    private static final int KEYS = 40;
    private static final int LEAST_WRITES = 150;

    private final RedisCluster cluster = RedisCluster.start("--cluster-node-timeout", "8000");
    private final AtomicLong writes = new AtomicLong();
    private RedisNamespace namespace;
    private long intent;

    @BeforeEach
    void open() {
        List<RedisOptions.Node> nodes = cluster.masters().stream()
                .map(node -> new RedisOptions.Node("127.0.0.1", node.port()))
                .toList();
        namespace = RedisNamespace.open(
                new RedisOptions(nodes, false, null, null, Duration.ofSeconds(60), 1),
                InstantSource.system(),
                RandomGenerator.of("L64X128MixRandom"));
        Instant now = Instant.now();
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        intent = namespace
                .openIntent("gateway", now, now.plusSeconds(3_600), now.plusSeconds(3_600))
                .id();
    }

    @AfterEach
    void close() {
        namespace.close();
        cluster.close();
    }

    @Test
    void an_operator_moves_the_slot_of_a_range_while_clients_write() throws Exception {
        int slot = slotOfTheRange();
        whileWriting(() -> {
            for (int round = 0; round < 2; round++) {
                Node from = cluster.masterOf(slot);
                Node to = cluster.masters().stream()
                        .filter(master -> !master.id().equals(from.id()))
                        .findFirst()
                        .orElseThrow();
                cluster.beginMove(slot, to);
                while (cluster.moveKeys(slot, 1) > 0) {
                    // one key at a time, so that scripts meet a slot in two places
                }
                cluster.finishMove(slot);
                awaitWrites();
            }
        });
    }

    @Test
    void the_master_of_a_range_hands_over_while_clients_write() throws Exception {
        int slot = slotOfTheRange();
        whileWriting(() -> {
            cluster.failOver(cluster.masterOf(slot));
            awaitWrites();
        });
    }

    @Test
    void functions_are_forgotten_while_clients_write() throws Exception {
        whileWriting(() -> {
            for (int round = 0; round < 3; round++) {
                cluster.flushFunctions();
                awaitWrites();
            }
        });
    }

    private int slotOfTheRange() {
        for (Node master : cluster.masters()) {
            if (master.ask("KEYS", "{*}r*") instanceof List<?> keys && !keys.isEmpty()) {
                return Math.toIntExact((Long) master.ask("CLUSTER", "KEYSLOT", String.valueOf(keys.getFirst())));
            }
        }
        throw new AssertionError("there is no range");
    }

    private void awaitWrites() {
        long before = writes.get();
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> writes.get() >= before + LEAST_WRITES);
    }

    private interface Fault {
        void happen();
    }

    /** Each writer has keys of its own, of which it knows what stands there. */
    private void whileWriting(Fault fault) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Map<String, ObjectVersion> expected = new ConcurrentHashMap<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                writers.add(threads.submit(() -> write(number, over, expected)));
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
        assertThat(namespace.accountUsage().get("disk-1").blobs()).isEqualTo(expected.size());
    }

    private void write(int writer, AtomicBoolean over, Map<String, ObjectVersion> expected) {
        RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
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
        Instant now = Instant.now();
        long size = 1 + random.nextInt(1_000);
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
}
