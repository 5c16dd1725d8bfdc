package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.CompleteUpload;
import io.headgate.namespace.CopyObject;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.ReadCondition;
import io.headgate.namespace.Upload;
import io.headgate.namespace.WriteCondition;
import io.headgate.servers.RedisCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
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
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Audits and backups of a namespace that is being written, and of one in which gateways have died. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisAuditTest {
    private static final BucketName BUCKET = new BucketName("photos");
    private static final BucketName HASHED = new BucketName("spread");
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    private static final int WRITERS = 3;
    private static final long LEAST_WRITES = 60;

    private final RandomGenerator random = RandomGenerator.of("Random");
    private volatile Instant time = NOW;
    private final InstantSource clock = () -> time;
    private RedisNamespace namespace;
    private long intent;

    @BeforeEach
    void open() {
        RedisCluster.shared().flush();
        namespace = RedisNamespace.open(RedisNamespaceTest.options(), clock, random);
        namespace.createBucket(new Bucket(BUCKET, "alice", "", NOW));
        namespace.createHashedBucket(new Bucket(HASHED, "alice", "", NOW), 4);
        intent = namespace
                .openIntent("gateway", NOW, NOW.plusSeconds(36_000), NOW.plusSeconds(36_000))
                .id();
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private static <T> T done(Outcome<T> outcome) {
        if (outcome instanceof Outcome.Done<T>(T value)) {
            return value;
        }
        throw new AssertionError(outcome);
    }

    private String id() {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    private static final ObjectAttributes PLAIN =
            new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD);

    private Optional<Slice> blob(long size) {
        int slot = random.nextInt(32) * (BlobId.SLOTS / 32);
        BlobId id = BlobId.of(NOW.getEpochSecond(), slot, random.nextLong(), random.nextLong());
        return Optional.of(new Slice(id, "disk-1", 0, size));
    }

    private ObjectVersion put(String key) {
        return put(BUCKET, key);
    }

    private ObjectVersion put(BucketName bucket, String key) {
        long size = 1 + random.nextInt(100);
        return done(namespace.putObject(new PutObject(
                bucket,
                new ObjectKey(key),
                id(),
                PLAIN,
                size,
                new ETag("%032x".formatted(size)),
                List.of(),
                blob(size),
                WriteCondition.NONE,
                intent,
                Optional.empty(),
                time)));
    }

    private Outcome<ObjectVersion> copy(BucketName source, String from, BucketName bucket, String to) {
        return namespace.copyObject(new CopyObject(
                source,
                new ObjectKey(from),
                Optional.empty(),
                ReadCondition.NONE,
                bucket,
                new ObjectKey(to),
                id(),
                Optional.empty(),
                Optional.empty(),
                ObjectAttributes.STANDARD,
                Optional.empty(),
                Optional.empty(),
                WriteCondition.NONE,
                time));
    }

    private void delete(BucketName bucket, String key) {
        namespace.deleteObjects(bucket, List.of(new DeleteObject(new ObjectKey(key), WriteCondition.NONE)), time);
    }

    private Upload start(String key) {
        return start(BUCKET, key);
    }

    private Upload start(BucketName bucket, String key) {
        return done(namespace.createUpload(
                new Upload(id(), bucket, new ObjectKey(key), PLAIN, Optional.empty(), "alice", time)));
    }

    private Part part(Upload upload, int number) {
        Part part = new Part(number, 10, new ETag("%032x".formatted(number)), Optional.empty(), time);
        return done(namespace.putPart(new PutPart(upload.bucket(), upload.key(), upload.id(), part, blob(10), intent)));
    }

    private ObjectVersion complete(Upload upload, Part... parts) {
        return done(namespace.completeUpload(new CompleteUpload(
                upload.bucket(),
                upload.key(),
                upload.id(),
                id(),
                Arrays.stream(parts)
                        .map(part -> new CompleteUpload.NamedPart(part.number(), part.etag(), Optional.empty()))
                        .toList(),
                Optional.empty(),
                Optional.empty(),
                WriteCondition.NONE,
                time)));
    }

    private List<Discrepancy> audit() {
        List<Discrepancy> found = new ArrayList<>();
        namespace.audit(found::add);
        return found;
    }

    private interface Work {
        void run() throws Exception;
    }

    private BucketName anyBucket() {
        return random.nextBoolean() ? BUCKET : HASHED;
    }

    /** Does something while clients put, overwrite, copy, delete, and complete and abort uploads, and ranges are split, moved and joined. */
    private void whileWriting(Work work) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong writes = new AtomicLong();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                String own = "w" + writer + "/";
                writers.add(threads.submit(() -> {
                    while (!over.get()) {
                        write(own);
                        if (writes.incrementAndGet() % 10 == 0) {
                            new RandomMoves(namespace, clock, random).once();
                        }
                    }
                }));
            }
            try {
                Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> writes.get() > LEAST_WRITES);
                work.run();
            } finally {
                over.set(true);
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        }
    }

    private void write(String own) {
        String key = own + random.nextInt(20);
        BucketName bucket = anyBucket();
        switch (random.nextInt(6)) {
            case 0, 1 -> put(bucket, key);
            case 2 -> copy(anyBucket(), own + random.nextInt(20), bucket, key);
            case 3 -> delete(bucket, key);
            case 4 -> {
                Upload upload = start(bucket, key);
                complete(upload, part(upload, 1), part(upload, 2));
            }
            default -> {
                Upload upload = start(bucket, key);
                part(upload, 1);
                namespace.abortUpload(bucket, upload.key(), upload.id(), time);
            }
        }
    }

    @Test
    void an_audit_of_a_namespace_that_is_being_written_finds_what_is_wrong_and_nothing_else() throws Exception {
        ObjectVersion damaged = put("damaged");
        BlobId blob =
                ((Manifest.Inline) damaged.manifest()).slice().orElseThrow().blob();
        try (Damage damage = new Damage(RedisNamespaceTest.options(), clock)) {
            damage.miscount(damaged, 2);
        }
        Discrepancy wrong = new Discrepancy.BlobReferences(blob, "disk-1", 3, 1);

        whileWriting(() -> {
            for (int audits = 0; audits < 2; audits++) {
                assertThat(audit()).containsExactly(wrong);
            }
            long number = namespace.audit(_ -> {});
            assertThat(namespace.correct(number, List.of((Discrepancy.Correctable) wrong), time))
                    .isTrue();
            assertThat(audit()).isEmpty();
        });
        assertThat(audit()).isEmpty();
    }

    @Test
    void a_backup_of_a_namespace_that_is_being_written_fits_together_and_holds_what_was_there_before()
            throws Exception {
        ObjectVersion before = put("before");
        Upload upload = start("before-parts");
        complete(upload, part(upload, 1), part(upload, 2));
        ByteArrayOutputStream backup = new ByteArrayOutputStream();
        whileWriting(() -> namespace.backup(time, backup));
        String id = namespace.id();
        namespace.close();
        RedisCluster.shared().flush();

        RedisNamespace.restore(
                RedisNamespaceTest.options(), clock, random, new ByteArrayInputStream(backup.toByteArray()));
        namespace = RedisNamespace.open(RedisNamespaceTest.options(), clock, random);

        assertThat(namespace.id()).isEqualTo(id);
        assertThat(namespace.buckets().map(HASHED)).isNotNull().matches(RangeMap::hashed);
        assertThat(audit()).isEmpty();
        assertThat(namespace.currentVersion(BUCKET, before.key())).isEqualTo(new Outcome.Done<>(before));
        assertThat(namespace.currentVersion(BUCKET, new ObjectKey("before-parts")))
                .isInstanceOf(Outcome.Done.class);
        put("after");
        namespace.dueGarbage("disk-1", time.plusSeconds(1), 100);
        assertThat(audit()).isEmpty();
    }

    @Test
    void what_a_completion_left_that_died_before_its_seal_goes_and_the_upload_can_be_completed() {
        Upload upload = start("photo");
        Part part = part(upload, 1);
        String manifest = id();
        try (Damage damage = new Damage(RedisNamespaceTest.options(), clock)) {
            damage.beginToComplete(upload, manifest);
        }
        assertThat(namespace.slices(new Manifest.Stored(manifest, 1), 0, 10)).hasSize(1);
        assertThat(audit()).isEmpty();

        time = NOW.plus(Duration.ofMinutes(15));
        namespace.dueGarbage("disk-1", NOW, 10);

        assertThat(namespace.slices(new Manifest.Stored(manifest, 1), 0, 10)).isEmpty();
        complete(upload, part);
        assertThat(audit()).isEmpty();
    }

    @Test
    void an_upload_that_is_not_listed_any_more_is_found_and_let_go() {
        Upload upload = start("photo");
        part(upload, 1);
        try (Damage damage = new Damage(RedisNamespaceTest.options(), clock)) {
            damage.unlist(upload);
        }
        Discrepancy.ForgottenParts forgotten = new Discrepancy.ForgottenParts(upload.id());
        List<Discrepancy> found = new ArrayList<>();
        long number = namespace.audit(found::add);
        assertThat(found).containsExactly(forgotten);

        namespace.correct(number, List.of(forgotten), time);
        assertThat(audit()).isEmpty();
        time = NOW.plusSeconds(10);
        assertThat(namespace.dueGarbage("disk-1", time, 10)).hasSize(1);
        assertThat(audit()).isEmpty();
    }
}
