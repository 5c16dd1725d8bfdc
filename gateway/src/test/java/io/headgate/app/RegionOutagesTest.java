package io.headgate.app;

import static io.headgate.app.SeveralRegions.registry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.app.SeveralRegions.Engine;
import io.headgate.app.SeveralRegions.Site;
import io.headgate.domain.BucketName;
import io.headgate.namespace.cache.Wire;
import io.headgate.region.PeerSettings;
import io.headgate.region.RegistryEntry;
import io.headgate.region.Traffic;
import io.headgate.servers.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Regions that are cut off from each other, or from the registry, or do not agree. */
@Timeout(180)
final class RegionOutagesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** So that silence is soon taken for an outage. */
    private static final PeerSettings IMPATIENT = new PeerSettings(
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            1024,
            64,
            Duration.ofSeconds(8),
            Duration.ofMillis(50),
            Duration.ofMillis(200));

    @TempDir
    private Path directory;

    private SeveralRegions regions;
    private Wire toRegistry;

    @BeforeEach
    void prepare() throws Exception {
        regions = new SeveralRegions(directory, PeerSettings.DEFAULTS);
        toRegistry = Wire.to(PostgresServer.port());
    }

    @AfterEach
    void stop() throws Exception {
        regions.close();
        toRegistry.close();
    }

    private String file() {
        return "file:" + directory.resolve("names.db");
    }

    private static void create(Site where, String bucket) {
        where.as("alice").createBucket(create -> create.bucket(bucket));
    }

    private static String put(Site through, String bucket, String key, String content) {
        return result(() ->
                through.as("alice").putObject(put -> put.bucket(bucket).key(key), RequestBody.fromString(content)));
    }

    private static String get(Site through, String bucket, String key) {
        return through.as("alice")
                .getObjectAsBytes(get -> get.bucket(bucket).key(key))
                .asUtf8String();
    }

    private static String delete(Site through, String bucket, String key) {
        return result(() ->
                through.as("alice").deleteObject(delete -> delete.bucket(bucket).key(key)));
    }

    /** {@code ok}, or status and code of the error. */
    private static String result(Supplier<?> call) {
        try {
            Object unused = call.get();
            return "ok";
        } catch (S3Exception failed) {
            return failed.statusCode() + " " + failed.awsErrorDetails().errorCode();
        }
    }

    private static void awaitOk(Supplier<String> call) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(call.get()).isEqualTo("ok"));
    }

    @Test
    void while_the_registry_is_down_buckets_that_are_known_or_near_go_on_and_names_wait() throws Exception {
        String url = SeveralRegions.database(toRegistry.port());
        Site north = regions.add("north", Engine.SQLITE, url);
        Site south = regions.add("south", Engine.SQLITE, url);
        regions.start();
        create(north, "near");
        create(south, "far");
        create(south, "never-asked-for");
        awaitOk(() -> put(north, "near", "key", "1"));
        awaitOk(() -> put(north, "far", "key", "1"));

        toRegistry.cut();
        for (String bucket : List.of("near", "far")) {
            awaitOk(() -> put(north, bucket, "new", "2"));
            assertThat(get(north, bucket, "new")).isEqualTo("2");
            assertThat(get(north, bucket, "key")).isEqualTo("1");
            assertThat(delete(north, bucket, "new")).isEqualTo("ok");
            assertThat(result(() -> north.as("alice").deleteBucket(delete -> delete.bucket(bucket))))
                    .isEqualTo("503 ServiceUnavailable");
        }
        assertThat(result(() -> north.as("alice").createBucket(create -> create.bucket("new-one"))))
                .isEqualTo("503 ServiceUnavailable");
        assertThat(result(() -> north.as("alice").listBuckets())).isEqualTo("503 ServiceUnavailable");
        assertThat(result(() -> get(north, "unknown", "key"))).isEqualTo("503 ServiceUnavailable");
        assertThat(result(() -> get(north, "never-asked-for", "key"))).isEqualTo("503 ServiceUnavailable");

        north.stop();
        north.start();
        assertThat(get(north, "near", "key")).isEqualTo("1");
        assertThat(put(north, "near", "new", "3")).isEqualTo("ok");
        assertThat(result(() -> get(north, "far", "key"))).isEqualTo("503 ServiceUnavailable");

        toRegistry.restore();
        awaitOk(() -> result(() -> north.as("alice").createBucket(create -> create.bucket("new-one"))));
        awaitOk(() -> result(() -> get(north, "far", "key")));
        awaitOk(() -> delete(north, "far", "key"));
        awaitOk(() -> result(() -> south.as("alice").deleteBucket(delete -> delete.bucket("far"))));
        assertThat(result(() -> get(north, "far", "key"))).isEqualTo("404 NoSuchBucket");
    }

    @Test
    void a_region_that_is_cut_off_or_silent_is_missed_by_its_own_buckets_only_until_it_is_back() throws Exception {
        regions = new SeveralRegions(directory, IMPATIENT);
        Site north = regions.add("north", Engine.SQLITE, file());
        Site south = regions.add("south", Engine.SQLITE, file());
        Site west = regions.add("west", Engine.SQLITE, file());
        regions.start();
        create(north, "near");
        create(south, "cut");
        create(west, "far");
        List<Runnable> outages = List.of(south.wire::cut, south.wire::hold);
        for (Runnable outage : outages) {
            for (String bucket : List.of("near", "cut", "far")) {
                awaitOk(() -> put(north, bucket, "key", "content"));
            }
            outage.run();

            assertThat(result(() -> get(north, "cut", "key"))).isEqualTo("503 ServiceUnavailable");
            // What is held may arrive when the wire is whole again, as on any network.
            assertThat(put(north, "cut", "late", "lost")).isEqualTo("503 ServiceUnavailable");
            assertThat(delete(north, "cut", "late")).isEqualTo("503 ServiceUnavailable");
            awaitOk(() -> put(north, "near", "new", "content"));
            awaitOk(() -> put(north, "far", "new", "content"));
            assertThat(north.admin("/admin/v1/regions", "application/json")).contains("\"live\":false");
            awaitOk(() -> result(() -> get(south, "cut", "key")));

            south.wire.restore();
            awaitOk(() -> put(north, "cut", "key", "back"));
            assertThat(get(south, "cut", "key")).isEqualTo("back");
        }
    }

    @Test
    void what_is_acknowledged_while_a_region_comes_and_goes_is_there_and_nothing_is_torn() throws Exception {
        regions = new SeveralRegions(directory, IMPATIENT);
        Site north = regions.add("north", Engine.SQLITE, file());
        Site south = regions.add("south", Engine.SQLITE, file());
        regions.start();
        create(south, "busy");
        Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
        AtomicInteger refused = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        S3Client client = north.as("alice");
        try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                for (int i = 0; i < 4; i++) {
                    String writer = "writer-" + i + "-";
                    writers.execute(() -> {
                        for (int n = 0; !over.get(); n++) {
                            String key = writer + n;
                            try {
                                client.putObject(
                                        put -> put.bucket("busy").key(key), RequestBody.fromString(content(key)));
                                acknowledged.add(key);
                            } catch (S3Exception failed) {
                                refused.incrementAndGet();
                            }
                        }
                    });
                }
                for (Runnable outage : List.<Runnable>of(south.wire::cut, south.wire::hold, south.wire::cut)) {
                    int done = acknowledged.size();
                    await().atMost(PATIENCE).until(() -> acknowledged.size() > done + 10);
                    int before = refused.get();
                    outage.run();
                    await().atMost(PATIENCE).until(() -> refused.get() > before + 4);
                    south.wire.restore();
                }
                int done = acknowledged.size();
                await().atMost(PATIENCE).until(() -> acknowledged.size() > done + 10);
            } finally {
                over.set(true);
            }
        }

        List<String> there = south.as("alice").listObjectsV2Paginator(list -> list.bucket("busy")).contents().stream()
                .map(S3Object::key)
                .toList();
        assertThat(there).containsAll(acknowledged);
        for (String key : there) {
            assertThat(get(south, "busy", key).equals(content(key))).as(key).isTrue();
        }
    }

    /** Longer than what is sent in one piece. */
    private static String content(String key) {
        return (key + " ").repeat(10_000);
    }

    @Test
    void regions_that_do_not_agree_where_a_bucket_is_say_so_after_one_hop() throws Exception {
        Site north = regions.add("north", Engine.SQLITE, "file:" + directory.resolve("one.db"));
        Site south = regions.add("south", Engine.SQLITE, "file:" + directory.resolve("other.db"));
        regions.start();
        registry(north).claim(live("lost", "south"));
        registry(south).claim(live("lost", "north"));

        for (Site site : List.of(north, south)) {
            S3Client client = site.as("alice");
            for (Supplier<?> call : List.<Supplier<?>>of(
                    () -> client.getObjectAsBytes(get -> get.bucket("lost").key("key")),
                    () -> client.putObject(put -> put.bucket("lost").key("key"), RequestBody.fromString("content")))) {
                try {
                    Object unused = call.get();
                    throw new AssertionError("it is refused");
                } catch (S3Exception failed) {
                    assertThat(failed.statusCode()).isEqualTo(503);
                    assertThat(failed.awsErrorDetails().errorMessage())
                            .contains("The regions do not agree about where the bucket lost is");
                }
            }
            assertThat(site.serve().gateway().regions().orElseThrow().peers().traffic())
                    .as("none was sent on once more")
                    .extracting(Traffic::requests)
                    .containsExactly(2L);
        }
    }

    private static RegistryEntry live(String bucket, String region) {
        return new RegistryEntry(
                new BucketName(bucket), "alice", region, Instant.now(), "claim-1", RegistryEntry.State.LIVE);
    }

    @Test
    void buckets_from_before_there_were_regions_are_adopted_and_names_that_others_have_are_told() throws Exception {
        Site north = regions.add("north", Engine.SQLITE, file());
        Site south = regions.add("south", Engine.SQLITE, file());
        north.settings.putAll(SeveralRegions.ALONE);
        north.start();
        create(north, "old");
        create(north, "disputed");
        assertThat(put(north, "old", "key", "from before")).isEqualTo("ok");
        assertThat(put(north, "disputed", "key", "from before")).isEqualTo("ok");
        north.stop();
        south.start();
        create(south, "disputed");

        north.settings.keySet().removeAll(SeveralRegions.ALONE.keySet());
        north.settings.put("HEADGATE_REGISTRY_URL", file());
        north.start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(registry(south).find(new BucketName("old")))
                        .hasValueSatisfying(entry -> assertThat(entry.region()).isEqualTo("north")));
        awaitOk(() -> result(() -> get(south, "old", "key")));
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(north.admin("/metrics", "*/*")).contains("headgate_registry_conflicts 1.0"));
        assertThat(north.admin("/admin/v1/regions", "text/plain")).contains("disputed (south)");
        assertThat(north.admin("/admin/v1/regions", "application/json"))
                .contains("\"conflicts\":[{\"bucket\":\"disputed\",\"region\":\"south\"}]");
        assertThat(result(() -> get(north, "disputed", "key"))).isEqualTo("ok");
        assertThat(result(() -> get(south, "disputed", "key"))).isEqualTo("404 NoSuchKey");
    }
}
