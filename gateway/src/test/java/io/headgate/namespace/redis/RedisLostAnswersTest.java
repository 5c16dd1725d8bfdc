package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.domain.ByteRange;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.AccountMode;
import io.headgate.namespace.BlobMove;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.CompleteUpload;
import io.headgate.namespace.CopyObject;
import io.headgate.namespace.CopyPart;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.Intent;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.MultipartContract;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceSuite;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PartsPage;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.ReadCondition;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.Upload;
import io.headgate.namespace.WriteCondition;
import io.headgate.namespace.codec.Codec;
import io.headgate.servers.LossyWires;
import io.headgate.servers.RedisCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/**
 * Connections break: of each function that changes something, the answer to the first call is lost after Redis has done it, and it is sent
 * again.
 */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisLostAnswersTest {
    private static final RedisCluster CLUSTER = RedisCluster.shared();
    private static final LossyWires WIRES = new LossyWires(CLUSTER);
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    /** What these answer tells the gateway what to do at once; it is done ten minutes later by those who look for what was left. */
    private static final Set<Script> TELLING = EnumSet.of(Script.REGISTER, Script.UPLOAD_DROP, Script.UPLOAD_FINISH);

    /** Those that change something, and whose first answer is lost. */
    private static final Set<String> LOSING = Arrays.stream(Script.values())
            .filter(script -> script.effect() != Script.Effect.READS && !TELLING.contains(script))
            .map(Library::function)
            .collect(Collectors.toSet());

    /** Functions whose first answer was lost. */
    private static final Set<String> LOST = ConcurrentHashMap.newKeySet();

    private int lostBefore;

    @AfterAll
    static void close() {
        WIRES.close();
    }

    @BeforeEach
    void flush() {
        CLUSTER.flush();
        LOST.clear();
        lostBefore = WIRES.lost();
        WIRES.breakAfter(function -> LOSING.contains(function) && LOST.add(function));
    }

    @AfterEach
    void something_was_lost() {
        assertThat(WIRES.lost()).isGreaterThan(lostBefore);
        WIRES.breakAfter(_ -> false);
    }

    private static RedisNamespace openCluster(InstantSource clock) {
        return RedisNamespace.open(options(WIRES), clock, RandomGenerator.of("Random"));
    }

    private static RedisOptions options(LossyWires wires) {
        List<RedisOptions.Node> nodes = wires.ports().stream()
                .map(port -> new RedisOptions.Node("127.0.0.1", port))
                .toList();
        return new RedisOptions(nodes, false, null, null, Duration.ofSeconds(30), NamespaceSuite.MIN_PART_BYTES)
                .withReplicas(0);
    }

    @Test
    void an_intent_is_opened_once() {
        try (RedisNamespace namespace = openCluster(() -> NOW)) {
            Intent intent = namespace.openIntent("gateway", NOW, NOW.plusSeconds(60), NOW.plusSeconds(120));

            assertThat(LOST).contains(Library.function(Script.INTENT_OPEN));
            assertThat(namespace.standingIntents()).containsExactly(intent);
        }
    }

    @Test
    void blobs_that_have_moved_are_counted_once() {
        try (RedisNamespace namespace = openCluster(() -> NOW)) {
            namespace.setDraining("disk-1", true);
            BlobId blob = blobOf(put(namespace, "a"));
            List<BlobMove> moves = namespace.beginMoves(List.of(new BlobMove(blob, "disk-1", "disk-2", 5)), NOW);
            LOST.clear();

            assertThat(namespace.finishMoves(moves, NOW)).isEqualTo(moves);

            assertThat(LOST).contains(Library.function(Script.MOVE_END), Library.function(Script.SWAP));
            assertThat(namespace.accountModes()).containsEntry("disk-1", new AccountMode(true, false, 1, 5));
        }
    }

    private static ObjectVersion put(RedisNamespace namespace, String key) {
        return put(namespace, key, 4_711);
    }

    private static ObjectVersion put(RedisNamespace namespace, String key, int slot) {
        namespace.createBucket(new Bucket(Writers.BUCKET, "alice", "", NOW));
        long intent = namespace
                .openIntent("gateway", NOW, NOW.plusSeconds(60), NOW.plusSeconds(120))
                .id();
        RandomGenerator random = RandomGenerator.of("Random");
        BlobId blob = BlobId.of(NOW.getEpochSecond(), slot, random.nextLong(), random.nextLong());
        PutObject put = new PutObject(
                Writers.BUCKET,
                new ObjectKey(key),
                UUID.randomUUID().toString(),
                new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD),
                5,
                new ETag("%032x".formatted(5)),
                List.of(),
                Optional.of(new Slice(blob, "disk-1", 0, 5)),
                WriteCondition.NONE,
                intent,
                Optional.empty(),
                NOW);
        assertThat(namespace.putObject(put)).isEqualTo(new Outcome.Done<>(put.version()));
        return put.version();
    }

    private static BlobId blobOf(ObjectVersion version) {
        return version.manifest() instanceof Manifest.Inline(Optional<Slice> slice)
                ? slice.orElseThrow().blob()
                : BlobId.of(0, 0, 0, 0);
    }

    @Test
    void a_blob_that_is_given_a_holder_again_is_known_to_have_it() {
        try (RedisNamespace namespace = openCluster(() -> NOW);
                Cluster cluster = new Cluster(options(WIRES));
                Damage damage = new Damage(options(WIRES), () -> NOW)) {
            ObjectVersion version = put(namespace, "a");
            damage.miscount(version, -1);
            BlobId blob = blobOf(version);

            byte[] held = cluster.one(
                    Script.HOLD,
                    SlotKeys.of(blob.slot(), NOW),
                    Blobs.encoded(blob),
                    new byte[] {'g'},
                    Codec.writeId(version.writeId()));

            assertThat(LOST).contains(Library.function(Script.HOLD));
            assertThat(held).containsExactly('1');
            assertThat(audit(namespace)).isEmpty();
        }
    }

    @Test
    void a_counter_is_corrected_once_though_its_range_changes_its_slot_meanwhile() {
        try (RedisNamespace namespace = openCluster(() -> NOW);
                RedisNamespace other =
                        RedisNamespace.open(RedisNamespaceTest.options(), () -> NOW, RandomGenerator.of("Random"))) {
            put(namespace, "a");
            Range range = java.util.Objects.requireNonNull(other.buckets().load(Writers.BUCKET))
                    .all()
                    .iterator()
                    .next();
            CLUSTER.masterOf(range.slot()).ask("HINCRBY", new String(range.root(), UTF_8), "n", "7");
            List<Discrepancy.Correctable> wrong = new ArrayList<>();
            long number = namespace.audit(found -> wrong.add((Discrepancy.Correctable) found));
            assertThat(wrong).hasSize(1);
            AtomicInteger corrections = new AtomicInteger();
            List<Boolean> moved = new CopyOnWriteArrayList<>();
            WIRES.breakAfter(function -> {
                int call = function.equals(Library.function(Script.CORRECT)) ? corrections.incrementAndGet() : 0;
                if (call == 2) {
                    Range elsewhere = range.movedTo("moved", (range.slot() + 1) % Slots.COUNT, range.low(), NOW);
                    moved.add(other.rangeMoves().move(new RangeMove(Writers.BUCKET, range, elsewhere)));
                }
                return call == 1;
            });

            assertThat(namespace.correct(number, wrong, NOW)).isTrue();

            assertThat(moved).containsExactly(true);
            assertThat(namespace.bucketUsage(Writers.BUCKET)).isEqualTo(new Outcome.Done<>(new BucketUsage(1, 5)));
        }
    }

    @Test
    void an_upload_is_aborted_whose_completion_does_not_come_to_its_end() throws Exception {
        try (LossyWires stalling = new LossyWires(CLUSTER);
                RedisNamespace namespace = openCluster(() -> NOW);
                RedisNamespace completing =
                        RedisNamespace.open(options(stalling), () -> NOW, RandomGenerator.of("Random"));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            namespace.createBucket(new Bucket(Writers.BUCKET, "alice", "", NOW));
            Upload upload = start(namespace);
            Part part = new Part(1, 0, new ETag("d41d8cd98f00b204e9800998ecf8427e"), Optional.empty(), NOW);
            assertThat(namespace.putPart(
                            new PutPart(Writers.BUCKET, upload.key(), upload.id(), part, Optional.empty(), 0)))
                    .isInstanceOf(Outcome.Done.class);
            CountDownLatch sealed = new CountDownLatch(1);
            CountDownLatch aborted = new CountDownLatch(1);
            stalling.breakAfter(function -> {
                if (function.equals(Library.function(Script.PUT))) {
                    sealed.countDown();
                    await(aborted);
                }
                return false;
            });
            Future<Outcome<ObjectVersion>> completion =
                    threads.submit(() -> completing.completeUpload(complete(upload, part)));
            await(sealed);
            LOST.clear();

            assertThat(namespace.abortUpload(Writers.BUCKET, upload.key(), upload.id(), NOW))
                    .isEqualTo(new Outcome.Done<>(upload));

            assertThat(LOST).contains(Library.function(Script.UPLOAD_INDEX), Library.function(Script.UPLOAD_ABORT));
            aborted.countDown();
            assertThat(completion.get()).isEqualTo(new Outcome.Refused<>(Refusal.NO_SUCH_UPLOAD, upload.id()));
        }
    }

    private static Upload start(RedisNamespace namespace) {
        Upload upload = new Upload(
                UUID.randomUUID().toString(),
                Writers.BUCKET,
                new ObjectKey("film"),
                new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD),
                Optional.empty(),
                "alice",
                NOW);
        assertThat(namespace.createUpload(upload)).isEqualTo(new Outcome.Done<>(upload));
        return upload;
    }

    @Test
    void a_copied_part_does_not_come_back_when_another_has_taken_its_place() {
        try (RedisNamespace namespace = openCluster(() -> NOW);
                RedisNamespace other =
                        RedisNamespace.open(RedisNamespaceTest.options(), () -> NOW, RandomGenerator.of("Random"))) {
            namespace.createBucket(new Bucket(Writers.BUCKET, "alice", "", NOW));
            Upload upload = start(namespace);
            put(namespace, "a", StoredUpload.slot(upload.id()));
            Part another = new Part(1, 0, new ETag("d41d8cd98f00b204e9800998ecf8427e"), Optional.empty(), NOW);
            AtomicInteger parts = new AtomicInteger();
            WIRES.breakAfter(function -> {
                int call = function.equals(Library.function(Script.PART_PUT)) ? parts.incrementAndGet() : 0;
                if (call == 2) {
                    other.putPart(new PutPart(Writers.BUCKET, upload.key(), upload.id(), another, Optional.empty(), 0));
                }
                return call == 1;
            });

            assertThat(namespace.copyPart(new CopyPart(
                            Writers.BUCKET,
                            new ObjectKey("a"),
                            Optional.empty(),
                            ReadCondition.NONE,
                            new ByteRange.Between(0, 4),
                            Writers.BUCKET,
                            upload.key(),
                            upload.id(),
                            1,
                            Optional.empty(),
                            NOW)))
                    .isInstanceOf(Outcome.Done.class);

            assertThat(parts).hasValue(2);
            assertThat(namespace.listParts(Writers.BUCKET, upload.key(), upload.id(), 0, 10))
                    .isEqualTo(new Outcome.Done<>(new PartsPage(upload, List.of(another), false)));
        }
    }

    @Test
    void a_copy_that_was_made_before_and_is_gone_leaves_its_blob_no_holder() {
        AtomicReference<Instant> time = new AtomicReference<>(NOW);
        try (RedisNamespace namespace = openCluster(time::get);
                RedisNamespace other =
                        RedisNamespace.open(RedisNamespaceTest.options(), time::get, RandomGenerator.of("Random"))) {
            put(namespace, "a");
            CopyObject copy = new CopyObject(
                    Writers.BUCKET,
                    new ObjectKey("a"),
                    Optional.empty(),
                    ReadCondition.NONE,
                    Writers.BUCKET,
                    new ObjectKey("b"),
                    UUID.randomUUID().toString(),
                    Optional.empty(),
                    Optional.empty(),
                    ObjectAttributes.STANDARD,
                    Optional.empty(),
                    Optional.empty(),
                    WriteCondition.NONE,
                    NOW);
            List<List<Outcome<Boolean>>> deleted = new CopyOnWriteArrayList<>();
            LOST.clear();
            WIRES.breakAfter(function -> {
                if (function.equals(Library.function(Script.SHARE)) && deleted.isEmpty()) {
                    other.copyObject(copy);
                    deleted.add(other.deleteObjects(
                            Writers.BUCKET, List.of(new DeleteObject(copy.key(), WriteCondition.NONE)), NOW));
                }
                return LOSING.contains(function) && LOST.add(function);
            });

            assertThat(namespace.copyObject(copy)).isInstanceOf(Outcome.Done.class);

            assertThat(deleted).containsExactly(List.of(new Outcome.Done<>(true)));
            time.set(NOW.plusSeconds(660));
            namespace.dueGarbage("disk-1", NOW, 10); // looks at what was left
            assertThat(audit(namespace)).isEmpty();
        }
    }

    private static List<Discrepancy> audit(RedisNamespace namespace) {
        List<Discrepancy> found = new ArrayList<>();
        namespace.audit(found::add);
        return found;
    }

    private static CompleteUpload complete(Upload upload, Part part) {
        return new CompleteUpload(
                upload.bucket(),
                upload.key(),
                upload.id(),
                UUID.randomUUID().toString(),
                List.of(new CompleteUpload.NamedPart(part.number(), part.etag(), Optional.empty())),
                Optional.empty(),
                Optional.empty(),
                WriteCondition.NONE,
                NOW);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Nested
    final class OfMultipart extends MultipartContract {
        @Override
        protected Namespace open() {
            return openCluster(clock);
        }
    }
}
