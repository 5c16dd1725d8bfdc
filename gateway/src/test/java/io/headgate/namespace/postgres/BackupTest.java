package io.headgate.namespace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.BlobMove;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketSetting;
import io.headgate.namespace.CompleteUpload;
import io.headgate.namespace.CopyObject;
import io.headgate.namespace.CopyPart;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.NamespaceSuite;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.ReadCondition;
import io.headgate.namespace.Upload;
import io.headgate.namespace.WriteCondition;
import io.headgate.namespace.redis.RedisNamespace;
import io.headgate.namespace.redis.RedisOptions;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import io.headgate.servers.RedisCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A namespace of any engine is backed up and becomes one of any. */
final class BackupTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    /** The first line, and the header of the compressed part, some of which says nothing. */
    private static final int HEADER_BYTES = 40;

    private static final InstantSource CLOCK = () -> NOW;
    private static final BucketName BUCKET = new BucketName("photos");
    private static final ObjectAttributes ATTRIBUTES = new ObjectAttributes(
            Map.of("content-type", "image/png"), Map.of("m", "→"), Map.of("t", ""), ObjectAttributes.STANDARD);

    @TempDir
    private Path directory;

    private final Random random = new Random(5);
    private final PostgresOptions source = Postgres.fresh();
    private final PostgresOptions target = Postgres.fresh();
    private long intent;

    private enum Engine {
        SQLITE,
        POSTGRES,
        /** In one cluster, so the source is gone once there is the target. */
        REDIS
    }

    private static boolean isRedisOff() {
        return "off".equals(System.getProperty("headgate.test.redis"));
    }

    @BeforeEach
    void flush() {
        if (!isRedisOff()) {
            RedisCluster.shared().flush();
        }
    }

    private static RedisOptions cluster() {
        assumeFalse(isRedisOff());
        List<RedisOptions.Node> nodes = RedisCluster.shared().masters().stream()
                .map(node -> new RedisOptions.Node("127.0.0.1", node.port()))
                .toList();
        return new RedisOptions(nodes, false, null, null, Duration.ofSeconds(30), NamespaceSuite.MIN_PART_BYTES);
    }

    private static RandomGenerator ids() {
        return RandomGenerator.of("Random");
    }

    private Namespace open(Engine engine, boolean restored) {
        return switch (engine) {
            case SQLITE -> SqliteNamespace.open(file(restored), CLOCK, options());
            case POSTGRES -> PostgresNamespace.open(restored ? target : source, CLOCK);
            case REDIS -> RedisNamespace.open(cluster(), CLOCK, ids());
        };
    }

    private Path file(boolean restored) {
        return directory.resolve(restored ? "restored.db" : "source.db");
    }

    private static SqliteOptions options() {
        return SqliteOptions.defaults().withFlush(false).withMinPartBytes(NamespaceSuite.MIN_PART_BYTES);
    }

    private void restore(Engine engine, byte[] backup) throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(backup);
        switch (engine) {
            case SQLITE -> SqliteNamespace.restore(file(true), options(), in);
            case POSTGRES -> PostgresNamespace.restore(target, CLOCK, in);
            case REDIS -> RedisNamespace.restore(cluster(), CLOCK, ids(), in);
        }
    }

    private static byte[] backup(Namespace namespace) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        namespace.backup(NOW, out);
        return out.toByteArray();
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

    private ETag etag() {
        return new ETag("%032x".formatted(random.nextInt()));
    }

    private Optional<Slice> blob(String account, long size) {
        BlobId id = BlobId.of(NOW.getEpochSecond(), 3, random.nextLong(), random.nextLong());
        return size == 0 ? Optional.empty() : Optional.of(new Slice(id, account, 0, size));
    }

    private ObjectVersion put(Namespace namespace, String key, long size) {
        return done(namespace.putObject(new PutObject(
                BUCKET,
                new ObjectKey(key),
                id(),
                ATTRIBUTES,
                size,
                etag(),
                List.of(),
                blob("disk-1", size),
                WriteCondition.NONE,
                intent,
                Optional.empty(),
                NOW)));
    }

    private Upload upload(Namespace namespace, String key) {
        return done(namespace.createUpload(
                new Upload(id(), BUCKET, new ObjectKey(key), ATTRIBUTES, Optional.empty(), "alice", NOW)));
    }

    private Part part(Namespace namespace, Upload upload, int number, long size) {
        Part part = new Part(number, size, etag(), Optional.empty(), NOW);
        return done(
                namespace.putPart(new PutPart(BUCKET, upload.key(), upload.id(), part, blob("disk-2", size), intent)));
    }

    private void copy(Namespace namespace, String from, String to) {
        done(namespace.copyObject(new CopyObject(
                BUCKET,
                new ObjectKey(from),
                Optional.empty(),
                ReadCondition.NONE,
                BUCKET,
                new ObjectKey(to),
                id(),
                Optional.empty(),
                Optional.empty(),
                ObjectAttributes.STANDARD,
                Optional.empty(),
                Optional.empty(),
                WriteCondition.NONE,
                NOW)));
    }

    private static void delete(Namespace namespace, String key) {
        namespace.deleteObjects(BUCKET, List.of(new DeleteObject(new ObjectKey(key), WriteCondition.NONE)), NOW);
    }

    private ObjectVersion complete(Namespace namespace, Upload upload, Part... parts) {
        return done(namespace.completeUpload(new CompleteUpload(
                BUCKET,
                upload.key(),
                upload.id(),
                id(),
                Arrays.stream(parts)
                        .map(part -> new CompleteUpload.NamedPart(part.number(), part.etag(), Optional.empty()))
                        .toList(),
                Optional.empty(),
                Optional.empty(),
                WriteCondition.NONE,
                NOW)));
    }

    /** Something of everything that a namespace can hold; returns the upload in progress. */
    private Upload fill(Namespace namespace) {
        namespace.createBucket(new Bucket(BUCKET, "alice", "eu", NOW));
        namespace.createBucket(
                new Bucket(new BucketName("empty"), "bob", "", NOW, Map.of(BucketSetting.TAGGING, "<→>")));
        intent = namespace
                .openIntent("gateway", NOW, NOW.plusSeconds(60), NOW.plusSeconds(100))
                .id();
        for (int i = 0; i < 1_050; i++) {
            put(namespace, "key/" + i, 10 + i);
        }
        put(namespace, "nul\0 é→😀", 0);
        put(namespace, "key/1", 7);
        delete(namespace, "key/2");
        copy(namespace, "key/3", "copy");
        Upload big = upload(namespace, "big");
        complete(namespace, big, part(namespace, big, 1, 20), part(namespace, big, 2, 5));
        copy(namespace, "big", "big-copy");
        delete(namespace, "big");
        Upload open = upload(namespace, "open");
        part(namespace, open, 7, 30);
        done(namespace.copyPart(new CopyPart(
                BUCKET,
                new ObjectKey("key/4"),
                Optional.empty(),
                ReadCondition.NONE,
                new ByteRange.Between(2, 5),
                BUCKET,
                open.key(),
                open.id(),
                8,
                Optional.empty(),
                NOW)));
        Upload aborted = upload(namespace, "aborted");
        part(namespace, aborted, 1, 40);
        namespace.abortUpload(BUCKET, aborted.key(), aborted.id(), NOW);
        Slice moving = ((Manifest.Inline) current(namespace, "key/5").manifest())
                .slice()
                .orElseThrow();
        namespace.beginMoves(List.of(new BlobMove(moving.blob(), "disk-1", "disk-3", moving.lengthBytes())), NOW);
        namespace.setDraining("disk-1", true);
        return open;
    }

    private static ObjectVersion current(Namespace namespace, String key) {
        return done(namespace.currentVersion(BUCKET, new ObjectKey(key)));
    }

    /** Manifests have names of the engine's own. */
    private static ObjectVersion withoutManifestName(ObjectVersion version) {
        return version.manifest() instanceof Manifest.Stored(String id, int parts)
                ? new ObjectVersion(
                        version.key(),
                        version.writeId(),
                        version.lastModified(),
                        version.sizeBytes(),
                        version.etag(),
                        version.attributes(),
                        version.checksums(),
                        new Manifest.Stored("", parts))
                : version;
    }

    /** All that can be asked, but for the accounts' names of what moves. */
    private static List<Object> everything(Namespace namespace, Upload open) {
        List<Object> all = new ArrayList<>();
        all.add(namespace.id());
        all.add(namespace.bucketNames("", 10));
        all.add(namespace.bucket(BUCKET));
        all.add(namespace.bucketUsage(BUCKET));
        all.add(namespace.accountUsage());
        all.add(namespace.accountModes());
        all.add(namespace.movesUnderWay(10));
        all.add(namespace.standingIntents());
        for (String account : List.of("disk-1", "disk-2", "disk-3")) {
            all.add(namespace.garbage(account, null, 1_000).stream()
                    .map(Garbage::blob)
                    .toList());
        }
        String last = "";
        for (int page = 0; page < 3; page++) {
            var objects = done(namespace.listObjects(new ObjectQuery(BUCKET, "", "", last, 1_000)));
            all.add(objects);
            last = objects.last();
        }
        for (String key : List.of("key/1", "key/77", "copy", "nul\0 é→😀", "big-copy")) {
            all.add(withoutManifestName(current(namespace, key)));
        }
        Manifest.Stored manifest =
                (Manifest.Stored) current(namespace, "big-copy").manifest();
        all.add(namespace.slices(manifest, 0, 100));
        all.add(namespace.parts(manifest, 0, 100));
        all.add(namespace.upload(BUCKET, open.key(), open.id()));
        all.add(namespace.listParts(BUCKET, open.key(), open.id(), 0, 100));
        return all;
    }

    @ParameterizedTest
    @CsvSource({
        "SQLITE, SQLITE",
        "POSTGRES, POSTGRES",
        "SQLITE, POSTGRES",
        "POSTGRES, SQLITE",
        "SQLITE, REDIS",
        "POSTGRES, REDIS",
        "REDIS, POSTGRES",
        "REDIS, SQLITE",
        "REDIS, REDIS"
    })
    void a_restored_namespace_is_the_one_that_was_backed_up_and_can_be_written(Engine from, Engine to)
            throws Exception {
        byte[] backup;
        Upload open;
        List<Object> expected;
        try (Namespace namespace = open(from, false)) {
            open = fill(namespace);
            backup = backup(namespace);
            expected = everything(namespace, open);
        }

        if (from == Engine.REDIS) {
            flush();
        }
        restore(to, backup);

        try (Namespace restored = open(to, true)) {
            assertThat(everything(restored, open)).isEqualTo(expected);
            List<Discrepancy> wrong = new ArrayList<>();
            restored.audit(wrong::add);
            assertThat(wrong).isEmpty();

            put(restored, "new", 5);
            restored.createBucket(new Bucket(new BucketName("later"), "alice", "", NOW));
            Upload upload = upload(restored, "later");
            complete(restored, upload, part(restored, upload, 1, 5));
            assertThat(restored.openIntent("gateway", NOW, NOW, NOW).id()).isGreaterThan(intent);
            restored.abandonMoves(restored.movesUnderWay(10), NOW);
            restored.dueGarbage("disk-2", NOW.plusSeconds(10), 100);
            restored.audit(wrong::add);
            assertThat(wrong).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "REDIS", mode = EnumSource.Mode.EXCLUDE) // it has no transaction over all of it
    void a_backup_that_is_not_whole_or_not_one_changes_nothing(Engine engine) throws Exception {
        byte[] backup;
        try (Namespace namespace = open(engine, false)) {
            fill(namespace);
            backup = backup(namespace);
        }
        assertRefused(engine, Arrays.copyOf(backup, backup.length / 2), "cut off");
        assertRefused(engine, Arrays.copyOf(backup, backup.length - 20), "cut off");
        for (int at = HEADER_BYTES; at < backup.length; at += Math.max(1, backup.length / 12)) {
            byte[] flipped = backup.clone();
            flipped[at] ^= 1;
            assertRefused(engine, flipped, "the backup is ");
        }
        assertRefused(engine, "no backup, but long enough for one".getBytes(StandardCharsets.UTF_8), "not a backup");
        assertRefused(engine, "headgate-backup 2\n...".getBytes(StandardCharsets.UTF_8), "newer Headgate");
        try (Namespace namespace = open(engine, true)) {
            assertThat(namespace.bucketNames("", 10)).isEmpty();
            assertThat(namespace.accountUsage()).isEmpty();
        }
        restore(engine, backup);
    }

    private void assertRefused(Engine engine, byte[] backup, String why) {
        assertThatThrownBy(() -> restore(engine, backup))
                .isInstanceOf(NamespaceException.class)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @EnumSource
    void a_namespace_in_use_is_not_replaced(Engine engine) throws Exception {
        byte[] backup;
        try (Namespace namespace = open(engine, false)) {
            fill(namespace);
            backup = backup(namespace);
        }
        flush();
        String id;
        try (Namespace namespace = open(engine, true)) {
            namespace.createBucket(new Bucket(BUCKET, "carol", "", NOW));
            id = namespace.id();
        }

        assertRefused(engine, backup, "into an empty one only");
        try (Namespace namespace = open(engine, true)) {
            assertThat(namespace.id()).isEqualTo(id);
            assertThat(namespace.bucket(BUCKET).orElseThrow().owner()).isEqualTo("carol");
        }
    }

    @Test
    void a_cluster_to_which_gateways_are_connected_is_not_replaced() throws Exception {
        byte[] backup;
        try (Namespace namespace = open(Engine.SQLITE, false)) {
            fill(namespace);
            backup = backup(namespace);
        }
        try (Namespace gateway = open(Engine.REDIS, true)) {
            gateway.ping();
            assertRefused(Engine.REDIS, backup, "stop them all first");
        }
        restore(Engine.REDIS, backup);
    }

    @Test
    void a_cluster_in_which_a_restore_did_not_come_to_its_end_is_not_opened() throws Exception {
        byte[] backup;
        try (Namespace namespace = open(Engine.SQLITE, false)) {
            fill(namespace);
            backup = backup(namespace);
        }
        assertRefused(Engine.REDIS, Arrays.copyOf(backup, backup.length - 20), "cut off");
        assertThatThrownBy(() -> open(Engine.REDIS, true))
                .isInstanceOf(NamespaceException.class)
                .hasMessageContaining("did not come to its end");
        assertRefused(Engine.REDIS, backup, "did not come to its end");

        flush();
        restore(Engine.REDIS, backup);
        open(Engine.REDIS, true).close();
    }

    @Test
    void a_database_to_which_gateways_are_connected_is_not_replaced() throws Exception {
        byte[] backup;
        try (Namespace namespace = open(Engine.SQLITE, false)) {
            fill(namespace);
            backup = backup(namespace);
        }
        try (Namespace gateway = open(Engine.POSTGRES, true)) {
            gateway.ping();
            assertRefused(Engine.POSTGRES, backup, "stop them all first");
        }
    }
}
