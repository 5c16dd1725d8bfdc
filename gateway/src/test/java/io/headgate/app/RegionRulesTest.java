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
import io.headgate.namespace.Bucket;
import io.headgate.region.PeerSettings;
import io.headgate.region.RegistryEntry;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** By which region's rules a request is judged, and of which bucket it is. */
@Timeout(120)
final class RegionRulesTest {
    @TempDir
    private Path directory;

    private SeveralRegions regions;
    private Site north;
    private Site south;

    @BeforeEach
    void start() throws Exception {
        regions = new SeveralRegions(directory, PeerSettings.DEFAULTS);
        String registry = "file:" + directory.resolve("names.db");
        north = regions.add("north", Engine.SQLITE, registry);
        south = regions.add("south", Engine.SQLITE, registry);
        north.settings.put("HEADGATE_DOMAIN", "s3.north.example");
        south.settings.put("HEADGATE_DOMAIN", "example");
        regions.start();
    }

    @AfterEach
    void stop() throws Exception {
        regions.close();
    }

    /** As another gateway of that region does, of which this one has not heard. */
    private static void createBehindItsBack(Site site, String owner, String bucket) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        BucketName name = new BucketName(bucket);
        RegistryEntry entry =
                new RegistryEntry(name, owner, site.name, now, "behind-its-back", RegistryEntry.State.LIVE);
        registry(site).claim(entry);
        site.serve().gateway().namespace().createBucket(new Bucket(name, owner, "", now));
    }

    @Test
    void a_copy_reads_nothing_of_a_bucket_that_another_user_has_made_here_meanwhile() {
        create(south, "alice", "moving");
        create(north, "alice", "hers");
        put(north, "alice", "moving", "secret", "hers, and north knows that it is in south");
        south.as("alice").deleteObject(delete -> delete.bucket("moving").key("secret"));
        south.as("alice").deleteBucket(delete -> delete.bucket("moving"));
        createBehindItsBack(north, "bob", "moving");
        put(south, "bob", "moving", "secret", "his");

        assertThat(result(() -> north.as("alice")
                        .copyObject(copy -> copy.sourceBucket("moving")
                                .sourceKey("secret")
                                .destinationBucket("hers")
                                .destinationKey("stolen"))))
                .isEqualTo("AccessDenied");
        assertThat(result(() -> north.as("alice")
                        .getObjectAsBytes(get -> get.bucket("hers").key("stolen"))))
                .isEqualTo("NoSuchKey");
    }

    @Test
    void a_bucket_that_has_moved_is_followed_for_the_page_of_another_origin_too() throws Exception {
        create(south, "alice", "moving");
        put(north, "alice", "moving", "key", "north knows that it is in south");
        south.as("alice").deleteObject(delete -> delete.bucket("moving").key("key"));
        south.as("alice").deleteBucket(delete -> delete.bucket("moving"));
        createBehindItsBack(north, "alice", "moving");
        URI presigned = north.presigner("alice", true, north.s3())
                .presignPutObject(put -> put.signatureDuration(Duration.ofMinutes(10))
                        .putObjectRequest(object -> object.bucket("moving").key("key")))
                .url()
                .toURI();

        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(presigned)
                    .header("Origin", "https://app.example.com")
                    .PUT(HttpRequest.BodyPublishers.noBody())
                    .build();
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as("%s", answer.body()).isEqualTo(200);
        }
    }

    @Test
    void a_host_stands_for_the_bucket_that_it_does_where_the_request_arrives() throws Exception {
        create(south, "alice", "photos");
        create(south, "alice", "album");
        String target = north.presigner("alice", false, URI.create("http://s3.north.example"))
                .presignPutObject(put -> put.signatureDuration(Duration.ofMinutes(10))
                        .putObjectRequest(object -> object.bucket("photos").key("album/key")))
                .url()
                .getFile();
        URI gateway = north.s3();

        try (RawClient client = new RawClient(new InetSocketAddress(gateway.getHost(), gateway.getPort()))) {
            RawClient.Reply reply = client.send("PUT " + target
                            + " HTTP/1.1\r\nHost: photos.s3.north.example\r\nContent-Length: 4\r\n\r\nbody")
                    .reply();
            assertThat(reply.status()).as("%s", reply.text()).isEqualTo(200);
        }

        assertThat(get(south, "alice", "photos", "album/key")).isEqualTo("body");
        assertThat(result(() -> south.as("alice")
                        .getObjectAsBytes(get -> get.bucket("album").key("key"))))
                .isEqualTo("NoSuchKey");
    }

    @Test
    void a_form_is_told_the_region_of_its_bucket_before_its_body_is_read() throws Exception {
        create(south, "alice", "forms");
        URI gateway = north.s3();

        try (RawClient client = new RawClient(new InetSocketAddress(gateway.getHost(), gateway.getPort()))) {
            RawClient.Reply reply = client.send("POST /forms HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
                            + "Expect: 100-continue\r\nContent-Type: multipart/form-data; boundary=xyz\r\n\r\n")
                    .reply();
            assertThat(reply.status()).as("%s", reply.text()).isEqualTo(501);
            assertThat(reply.text())
                    .contains("<Code>NotImplemented</Code>", "the region of its bucket, which is south");
        }
    }

    @Test
    void a_bucket_whose_name_another_region_has_is_served_by_its_own_until_it_is_deleted() {
        create(north, "alice", "twice");
        put(north, "alice", "twice", "key", "of north");
        RegistryEntry entry = registry(north).find(new BucketName("twice")).orElseThrow();
        registry(north).release(entry.name(), entry.claimId());
        create(south, "alice", "twice");
        put(south, "alice", "twice", "key", "of south");
        north.serve().gateway().regions().orElseThrow().directory().ask(entry.name());

        assertThat(get(north, "alice", "twice", "key")).isEqualTo("of north");
        assertThat(get(south, "alice", "twice", "key")).isEqualTo("of south");

        north.as("alice").deleteObject(delete -> delete.bucket("twice").key("key"));
        north.as("alice").deleteBucket(delete -> delete.bucket("twice"));
        assertThat(get(north, "alice", "twice", "key")).isEqualTo("of south");
    }
}
