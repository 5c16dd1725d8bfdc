package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.domain.BlobIds;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.Intent;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.Upload;
import io.headgate.namespace.WriteCondition;
import io.headgate.servers.RedisCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** How many scripts an operation is. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisScriptsTest {
    private static final RedisCluster CLUSTER = RedisCluster.shared();
    private static final BucketName BUCKET = new BucketName("photos");
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    private static final ObjectAttributes PLAIN =
            new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD);
    private static final int OPERATIONS = 20;
    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_(?:eval|evalsha|fcall)(?:_ro)?:calls=(\\d+)");

    private final Random random = new Random(5);
    private final BlobIds ids = new BlobIds(random::nextLong);
    private Namespace namespace;
    private Intent intent;

    @BeforeEach
    void open() {
        CLUSTER.flush();
        namespace = openCluster();
        namespace.createBucket(new Bucket(BUCKET, "alice", "", NOW));
        assertThat(namespace.bucket(BUCKET)).isPresent();
        intent = namespace.openIntent("gateway", NOW, NOW.plusSeconds(60), NOW.plusSeconds(120));
    }

    @AfterEach
    void close() throws Exception {
        namespace.close();
    }

    /** Does not wait for replicas, as that is a script too, one for all writes that have come meanwhile. */
    private static Namespace openCluster() {
        List<RedisOptions.Node> nodes = CLUSTER.masters().stream()
                .map(node -> new RedisOptions.Node("127.0.0.1", node.port()))
                .toList();
        return RedisNamespace.open(
                new RedisOptions(nodes, false, null, null, Duration.ofSeconds(30), 1).withReplicas(0),
                InstantSource.fixed(NOW),
                RandomGenerator.of("Random"));
    }

    private static long scripts() {
        return CLUSTER.masters().stream()
                .flatMap(master -> SCRIPTS.matcher(String.valueOf(master.ask("INFO", "commandstats")))
                        .results())
                .map(match -> match.group(1))
                .mapToLong(Long::parseLong)
                .sum();
    }

    private Slice blob(int slot) {
        return new Slice(ids.next(NOW, slot), "disk-1", 0, 5);
    }

    private static ETag etag() {
        return new ETag("0123456789abcdef0123456789abcdef");
    }

    /** @param away how many slots the blob lies from its version */
    private void put(String name, int away) {
        ObjectKey key = new ObjectKey(name);
        Slice blob = blob((namespace.blobSlot(BUCKET, key).orElseThrow() + away) % BlobId.SLOTS);
        Outcome<?> outcome = namespace.putObject(new PutObject(
                BUCKET,
                key,
                blob.blob().toString(),
                PLAIN,
                5,
                etag(),
                List.of(),
                Optional.of(blob),
                WriteCondition.NONE,
                intent.id(),
                Optional.empty(),
                NOW));
        assertThat(outcome).isInstanceOf(Outcome.Done.class);
    }

    @Test
    void a_put_is_one_whose_blob_lies_beside_its_version_and_so_is_an_overwrite() {
        put("first", 0); // makes scripts and the account known
        long before = scripts();
        for (int i = 0; i < OPERATIONS; i++) {
            put("key-" + i % 15, 0);
        }
        assertThat(scripts() - before).isEqualTo(OPERATIONS);
    }

    @Test
    void a_look_up_and_a_delete_are_one_of_such_a_version() {
        for (int i = 0; i <= OPERATIONS; i++) {
            put("key-" + i, 0);
        }
        lookUpAndDelete(0);
        long before = scripts();
        for (int i = 1; i <= OPERATIONS; i++) {
            lookUpAndDelete(i);
        }
        assertThat(scripts() - before).isEqualTo(2 * OPERATIONS);
    }

    private void lookUpAndDelete(int number) {
        ObjectKey key = new ObjectKey("key-" + number);
        assertThat(namespace.currentVersion(BUCKET, key)).isInstanceOf(Outcome.Done.class);
        assertThat(namespace.deleteObjects(BUCKET, List.of(new DeleteObject(key, WriteCondition.NONE)), NOW))
                .containsExactly(new Outcome.Done<>(true));
    }

    @Test
    void a_put_of_any_other_blob_is_two() {
        put("first", 1);
        long before = scripts();
        for (int i = 0; i < OPERATIONS; i++) {
            put("key-" + i, 1);
        }
        assertThat(scripts() - before).isEqualTo(2 * OPERATIONS);
    }

    @Test
    void a_part_is_two_whose_blob_lies_beside_its_upload() {
        Upload upload = new Upload(
                new UUID(random.nextLong(), random.nextLong()).toString(),
                BUCKET,
                new ObjectKey("film"),
                PLAIN,
                Optional.empty(),
                "alice",
                NOW);
        assertThat(namespace.createUpload(upload)).isInstanceOf(Outcome.Done.class);
        part(upload, 100);
        long before = scripts();
        for (int i = 1; i <= OPERATIONS; i++) {
            part(upload, i);
        }
        assertThat(scripts() - before).isEqualTo(2 * OPERATIONS);
    }

    private void part(Upload upload, int number) {
        Slice blob = blob(namespace.blobSlot(upload.id()).orElseThrow());
        Part part = new Part(number, 5, etag(), Optional.empty(), NOW);
        assertThat(namespace.putPart(
                        new PutPart(BUCKET, upload.key(), upload.id(), part, Optional.of(blob), intent.id())))
                .isInstanceOf(Outcome.Done.class);
    }

    @Test
    void of_a_bucket_that_is_not_known_yet_any_slot_does() throws Exception {
        try (Namespace other = openCluster()) {
            ObjectKey key = new ObjectKey("a");
            assertThat(other.blobSlot(BUCKET, key)).isEmpty();
            assertThat(other.bucket(BUCKET)).isPresent();
            assertThat(other.blobSlot(BUCKET, key)).isEqualTo(namespace.blobSlot(BUCKET, key));
        }
    }
}
