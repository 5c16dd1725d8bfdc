package io.headgate.app;

import static io.headgate.app.SeveralRegions.create;
import static io.headgate.app.SeveralRegions.get;
import static io.headgate.app.SeveralRegions.put;
import static io.headgate.app.SeveralRegions.registry;
import static io.headgate.app.SeveralRegions.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.app.SeveralRegions.Engine;
import io.headgate.app.SeveralRegions.Site;
import io.headgate.domain.BucketName;
import io.headgate.http.RawClient;
import io.headgate.region.PeerSettings;
import io.headgate.region.RegistryEntry;
import io.headgate.servers.RedisCluster;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Bucket;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadBucketResponse;
import software.amazon.awssdk.services.s3.model.ListBucketsResponse;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Three regions over namespaces of three engines, as their clients see them: one service. */
@Timeout(180)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RegionsTest {
    @TempDir
    private static Path directory;

    private static final ObjectIdentifier KEY =
            ObjectIdentifier.builder().key("key").build();

    private static SeveralRegions regions;
    private static Site north;
    private static Site south;
    private static Site west;

    @BeforeAll
    static void start() throws Exception {
        regions = new SeveralRegions(directory, PeerSettings.DEFAULTS);
        String registry = "file:" + directory.resolve("names.db");
        RedisCluster.shared().flush();
        north = regions.add("north", Engine.SQLITE, registry);
        south = regions.add("south", Engine.POSTGRES, registry);
        west = regions.add("west", Engine.REDIS, registry);
        regions.start();
    }

    @AfterAll
    static void stop() throws Exception {
        regions.close();
    }

    private static List<Site> all() {
        return List.of(north, south, west);
    }

    private static boolean has(Site site, String bucket) {
        return site.serve().gateway().namespace().bucket(new BucketName(bucket)).isPresent();
    }

    private static Optional<RegistryEntry> entry(String bucket) {
        return registry(north).find(new BucketName(bucket));
    }

    @Test
    void of_many_who_want_a_name_at_once_in_all_regions_one_gets_it() throws Exception {
        List<Callable<String>> creates = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            S3Client client = all().get(i % 3).as(i % 2 == 0 ? "alice" : "bob");
            creates.add(() -> result(() -> client.createBucket(create -> create.bucket("wanted"))));
        }
        List<String> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<String> result : threads.invokeAll(creates)) {
                results.add(result.get());
            }
        }

        assertThat(results).filteredOn(result -> result.equals("ok")).hasSize(1);
        assertThat(results)
                .filteredOn(result -> result.equals("BucketAlreadyOwnedByYou"))
                .hasSize(15);
        assertThat(results)
                .filteredOn(result -> result.equals("BucketAlreadyExists"))
                .hasSize(16);
        List<Site> owning = all().stream().filter(site -> has(site, "wanted")).toList();
        assertThat(owning).hasSize(1);
        RegistryEntry entry = entry("wanted").orElseThrow();
        assertThat(entry.region()).isEqualTo(owning.getFirst().name);
        assertThat(entry.isLive()).isTrue();
    }

    @Test
    void a_bucket_is_made_where_its_location_constraint_says() {
        north.as("alice")
                .createBucket(create ->
                        create.bucket("placed").createBucketConfiguration(where -> where.locationConstraint("south")));

        assertThat(has(south, "placed")).isTrue();
        assertThat(has(north, "placed")).isFalse();
        for (Site site : all()) {
            S3Client client = site.as("alice");
            assertThat(client.getBucketLocation(ask -> ask.bucket("placed")).locationConstraintAsString())
                    .isEqualTo("south");
            HeadBucketResponse head = client.headBucket(ask -> ask.bucket("placed"));
            assertThat(head.bucketRegion()).isEqualTo("south");
        }
    }

    @Test
    void errors_about_a_bucket_name_its_region() {
        create(south, "alice", "regional");

        for (Site site : all()) {
            assertThat(errorRegion(() -> get(site, "alice", "regional", "missing")))
                    .contains("south");
            assertThat(errorRegion(() -> get(site, "bob", "regional", "missing")))
                    .contains("south");
            assertThat(errorRegion(() -> site.as("bob").headBucket(head -> head.bucket("regional"))))
                    .contains("south");
        }
    }

    private static Optional<String> errorRegion(Supplier<?> call) {
        try {
            Object unused = call.get();
            throw new AssertionError("it is refused");
        } catch (S3Exception failed) {
            return failed.awsErrorDetails().sdkHttpResponse().firstMatchingHeader("x-amz-bucket-region");
        }
    }

    @Test
    void a_bucket_made_anew_in_another_region_is_followed_by_all_gateways() {
        create(north, "alice", "source");
        put(north, "alice", "source", "key", "a source");
        for (int round = 0; round < 4; round++) {
            Site home = all().get(round % 3);
            create(home, "alice", "moving");
            for (Site site : all()) {
                String key = site.name;
                put(site, "alice", "moving", key, "content of round " + round);
                for (Site reader : all()) {
                    assertThat(get(reader, "alice", "moving", key)).isEqualTo("content of round " + round);
                }
                assertThat(site.as("alice")
                                .listObjectsV2(list -> list.bucket("moving"))
                                .contents())
                        .extracting(S3Object::key)
                        .contains(key);
                upload(site, "moving", "parts");
                assertThat(get(site, "alice", "moving", "parts")).isEqualTo("one and two");
                site.as("alice")
                        .copyObject(copy -> copy.sourceBucket("moving")
                                .sourceKey(key)
                                .destinationBucket("source")
                                .destinationKey("copy-" + key));
                assertThat(get(site, "alice", "source", "copy-" + key)).isEqualTo("content of round " + round);
            }
            S3Client there = all().get((round + 1) % 3).as("alice");
            List.of("north", "south", "west", "parts")
                    .forEach(key ->
                            there.deleteObject(delete -> delete.bucket("moving").key(key)));
            there.deleteBucket(delete -> delete.bucket("moving"));
            assertThat(has(home, "moving")).isFalse();
        }
        for (Site site : all()) {
            assertThat(result(() -> get(site, "alice", "moving", "key"))).isEqualTo("NoSuchBucket");
        }
    }

    private static void upload(Site through, String bucket, String key) {
        S3Client client = through.as("alice");
        String id = client.createMultipartUpload(create -> create.bucket(bucket).key(key))
                .uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (String content : List.of("one and ", "two")) {
            int number = parts.size() + 1;
            String etag = client.uploadPart(
                            part -> part.bucket(bucket).key(key).uploadId(id).partNumber(number),
                            RequestBody.fromString(content))
                    .eTag();
            parts.add(CompletedPart.builder().partNumber(number).eTag(etag).build());
        }
        client.completeMultipartUpload(
                complete -> complete.bucket(bucket).key(key).uploadId(id).multipartUpload(all -> all.parts(parts)));
    }

    /** The stale entry is that of the gateway which is asked, each time with an operation of another kind. */
    @Test
    void each_kind_of_request_follows_a_bucket_that_has_moved() {
        create(north, "alice", "fixed");
        create(north, "alice", "stale");
        List<Supplier<?>> kinds = new ArrayList<>();
        for (Site site : all()) {
            S3Client client = site.as("alice");
            kinds.add(() -> client.listObjectsV2(list -> list.bucket("stale")));
            kinds.add(() ->
                    client.putObject(put -> put.bucket("stale").key("key"), RequestBody.fromBytes(new byte[300_000])));
            kinds.add(() -> client.getObjectAsBytes(get -> get.bucket("stale").key("key")));
            kinds.add(() ->
                    client.createMultipartUpload(part -> part.bucket("stale").key("other")));
            kinds.add(() -> client.copyObject(copy -> copy.sourceBucket("stale")
                    .sourceKey("key")
                    .destinationBucket("fixed")
                    .destinationKey("key")));
            kinds.add(
                    () -> client.deleteObjects(delete -> delete.bucket("stale").delete(what -> what.objects(KEY))));
        }
        int home = 0;
        for (Supplier<?> kind : kinds) {
            move("stale", all().get(home), all().get((home + 1) % 3));
            home = (home + 1) % 3;
            assertThat(result(kind)).isEqualTo("ok");
        }
    }

    /** With an object; the gateways of other regions than the two take it to be where it was. */
    private static void move(String bucket, Site from, Site to) {
        for (Site site : all()) {
            site.as("alice").headBucket(head -> head.bucket(bucket));
        }
        S3Client there = from.as("alice");
        there.listMultipartUploads(list -> list.bucket(bucket))
                .uploads()
                .forEach(upload -> there.abortMultipartUpload(
                        abort -> abort.bucket(bucket).key(upload.key()).uploadId(upload.uploadId())));
        there.listObjectsV2(list -> list.bucket(bucket))
                .contents()
                .forEach(object ->
                        there.deleteObject(delete -> delete.bucket(bucket).key(object.key())));
        there.deleteBucket(delete -> delete.bucket(bucket));
        create(to, "alice", bucket);
        put(to, "alice", bucket, "key", "moved");
    }

    @Test
    void each_user_sees_their_buckets_of_all_regions_with_their_regions() {
        create(north, "bob", "list-b");
        create(south, "bob", "list-a");
        create(west, "bob", "list-c");
        create(west, "alice", "list-of-alice");

        for (Site site : all()) {
            List<Bucket> listed =
                    site.as("bob").listBuckets(list -> list.prefix("list-")).buckets();
            assertThat(listed).extracting(Bucket::name).containsExactly("list-a", "list-b", "list-c");
            assertThat(listed).extracting(Bucket::bucketRegion).containsExactly("south", "north", "west");
            ListBucketsResponse first =
                    site.as("bob").listBuckets(list -> list.prefix("list-").maxBuckets(2));
            assertThat(first.buckets()).extracting(Bucket::name).containsExactly("list-a", "list-b");
            ListBucketsResponse second = site.as("bob")
                    .listBuckets(list -> list.prefix("list-").continuationToken(first.continuationToken()));
            assertThat(second.buckets()).extracting(Bucket::name).containsExactly("list-c");
            assertThat(second.continuationToken()).isNull();
        }
    }

    @Test
    void a_body_is_asked_for_only_if_the_region_that_has_the_bucket_wants_it() throws Exception {
        create(south, "alice", "expecting");
        put(south, "alice", "expecting", "there", "as it was");

        assertThat(expecting("alice", "expecting", "there", "If-None-Match: *\r\n"))
                .isEqualTo("412 without 100");
        assertThat(expecting("bob", "expecting", "new", "")).isEqualTo("403 without 100");
        assertThat(expecting("alice", "nobodys-bucket", "new", "")).isEqualTo("404 without 100");
        assertThat(expecting("alice", "expecting", "new", "")).isEqualTo("200 after 100");
        assertThat(get(south, "alice", "expecting", "new")).isEqualTo("body");
    }

    /** What a client sees that sends its body only when it is asked to. */
    private static String expecting(String user, String bucket, String key, String more) throws Exception {
        String target = north.presigner(user, true, north.s3())
                .presignPutObject(put -> put.signatureDuration(Duration.ofMinutes(10))
                        .putObjectRequest(object -> object.bucket(bucket).key(key)))
                .url()
                .getFile();
        URI gateway = north.s3();
        try (RawClient client = new RawClient(new InetSocketAddress(gateway.getHost(), gateway.getPort()))) {
            RawClient.Reply first = client.send("PUT " + target + " HTTP/1.1\r\nHost: " + gateway.getAuthority()
                            + "\r\nContent-Length: 4\r\nExpect: 100-continue\r\n" + more + "\r\n")
                    .reply();
            return first.status() == 100
                    ? client.send("body").reply().status() + " after 100"
                    : first.status() + " without 100";
        }
    }

    @Test
    void the_address_for_other_regions_is_of_no_use_to_clients() throws Exception {
        create(south, "alice", "internal");
        put(south, "alice", "internal", "key", "secret");
        InetSocketAddress peers = south.serve().peersAddress().orElseThrow();
        String signed = south.presigner("alice", true, URI.create("http://127.0.0.1:" + peers.getPort()))
                .presignGetObject(get -> get.signatureDuration(Duration.ofMinutes(10))
                        .getObjectRequest(object -> object.bucket("internal").key("key")))
                .url()
                .getFile();

        for (String target : List.of(signed, "/", "/internal/key", "/readyz")) {
            try (RawClient client = new RawClient(peers)) {
                RawClient.Reply reply = client.send(
                                "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + peers.getPort() + "\r\n\r\n")
                        .reply();
                assertThat(reply.status()).isEqualTo(403);
                assertThat(reply.text()).isEmpty();
            }
        }
        assertThat(south.admin("/metrics", "*/*")).containsPattern("headgate_peer_refused_total [1-9]");
    }

    @Test
    void the_admin_address_shows_the_regions_and_what_went_to_them() throws Exception {
        create(south, "alice", "counted");
        put(north, "alice", "counted", "key", "content");
        get(north, "alice", "counted", "key");

        assertThat(north.admin("/admin/v1/regions", "text/plain"))
                .containsPattern("REGION +GATEWAY +STATE +REQUESTS +FAILURES")
                .containsPattern("north +- +own")
                .containsPattern("south +http://127.0.0.1:" + south.wire.port() + " +live, 0 in flight +[1-9]");
        assertThat(north.admin("/admin/v1/regions", "application/json"))
                .contains("\"own\":\"north\"")
                .contains("\"name\":\"south\"")
                .contains("\"live\":true")
                .contains("\"conflicts\":[]");
        assertThat(north.admin("/metrics", "*/*"))
                .containsPattern("headgate_peer_requests_total\\{from=\"north\",to=\"south\"} [1-9]")
                .containsPattern("headgate_peer_sent_bytes_total\\{from=\"north\",to=\"south\"} [1-9]")
                .containsPattern("headgate_peer_received_bytes_total\\{from=\"north\",to=\"south\"} [1-9]")
                .containsPattern("headgate_peer_answer_seconds_count\\{from=\"north\",to=\"south\"} [1-9]")
                .containsPattern("headgate_registry_lookups_total\\{result=\"hit\"} [1-9]")
                .containsPattern("headgate_registry_lookups_total\\{result=\"miss\"} [1-9]");
    }
}
