package io.headgate.app;

import static io.headgate.app.SeveralRegions.create;
import static io.headgate.app.SeveralRegions.get;
import static io.headgate.app.SeveralRegions.put;
import static io.headgate.app.SeveralRegions.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.app.SeveralRegions.Engine;
import io.headgate.app.SeveralRegions.Site;
import io.headgate.region.PeerSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.BucketCannedACL;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.GetObjectAclResponse;
import software.amazon.awssdk.services.s3.model.Grant;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ObjectCannedACL;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.ObjectOwnership;
import software.amazon.awssdk.services.s3.model.Permission;
import software.amazon.awssdk.services.s3.model.S3Error;
import software.amazon.awssdk.services.s3.model.Tag;
import software.amazon.awssdk.services.s3.model.Tagging;

/** Who may do what, by policies and access control lists; with every engine, asked in the bucket's region and in another. */
@Timeout(120)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
@DisabledIfSystemProperty(named = "headgate.test.postgres", matches = "off")
final class AccessTest {
    @TempDir
    private static Path directory;

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static SeveralRegions regions;
    private static Site north;
    private static Site west;
    private static Site south;

    @BeforeAll
    static void start() throws Exception {
        regions = new SeveralRegions(directory, PeerSettings.DEFAULTS);
        String registry = "file:" + directory.resolve("names.db");
        north = regions.add("north", Engine.SQLITE, registry);
        west = regions.add("west", Engine.POSTGRES, registry);
        south = regions.add("south", Engine.REDIS, registry);
        regions.start();
    }

    @AfterAll
    static void stop() throws IOException {
        regions.close();
        HTTP.close();
    }

    /** Where the bucket is, and where the requests are sent. */
    static Stream<Arguments> places() {
        return Stream.of(
                Arguments.of(Engine.SQLITE, north, north),
                Arguments.of(Engine.POSTGRES, west, west),
                Arguments.of(Engine.REDIS, south, south),
                Arguments.of(Engine.REDIS, south, north));
    }

    private static String refusal(Runnable call) {
        return result(() -> {
            call.run();
            return "";
        });
    }

    private static String bucketOfAlice(Site where) {
        String name = "b-" + UUID.randomUUID();
        create(where, "alice", name);
        return name;
    }

    /** The status of a request without a signature. */
    private static int unsigned(Site through, String method, String path) throws Exception {
        URI target = through.s3().resolve("/" + path);
        HttpRequest request = HttpRequest.newBuilder(target)
                .method(
                        method,
                        method.equals("PUT")
                                ? HttpRequest.BodyPublishers.ofString("unsigned")
                                : HttpRequest.BodyPublishers.noBody())
                .build();
        return HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private static void putPublic(Site through, String bucket, String key) {
        through.as("alice")
                .putObject(
                        put -> put.bucket(bucket).key(key).acl(ObjectCannedACL.PUBLIC_READ),
                        RequestBody.fromString("for all"));
    }

    private static void policy(Site through, String bucket, String... statements) {
        through.as("alice")
                .putBucketPolicy(request -> request.bucket(bucket)
                        .policy("{\"Version\": \"2012-10-17\", \"Statement\": [" + String.join(",", statements)
                                + "]}"));
    }

    private static String statement(String effect, String action, String resource) {
        return """
                {"Effect": "%s", "Principal": {"AWS": "arn:aws:iam:::user/bob"}, "Action": "%s", "Resource": "arn:aws:s3:::%s"}""".formatted(effect, action, resource);
    }

    @ParameterizedTest
    @MethodSource("places")
    void a_bucket_is_its_owners_alone_until_the_owner_says_otherwise(Engine engine, Site where, Site through)
            throws Exception {
        String bucket = bucketOfAlice(where);
        put(through, "alice", bucket, "key", "hers");

        assertThat(result(() -> get(through, "bob", bucket, "key"))).isEqualTo("AccessDenied");
        assertThat(refusal(() -> put(through, "bob", bucket, "key", "his"))).isEqualTo("AccessDenied");
        assertThat(result(() -> through.as("bob").listObjectsV2(list -> list.bucket(bucket))))
                .isEqualTo("AccessDenied");
        assertThat(result(() -> through.as("bob").getBucketAcl(request -> request.bucket(bucket))))
                .isEqualTo("AccessDenied");
        for (String method : List.of("GET", "PUT", "DELETE")) {
            assertThat(unsigned(through, method, bucket + "/key")).isEqualTo(403);
        }
        assertThat(unsigned(through, "GET", "")).isEqualTo(403);
        assertThat(unsigned(through, "GET", bucket)).isEqualTo(403);
        assertThat(unsigned(through, "PUT", "unsigned-bucket")).isEqualTo(403);
        assertThat(get(through, "alice", bucket, "key")).isEqualTo("hers");
        assertThat(get(through, "root", bucket, "key")).isEqualTo("hers");
    }

    @ParameterizedTest
    @MethodSource("places")
    void what_an_objects_acl_gives_to_all_is_given_and_no_more(Engine engine, Site where, Site through)
            throws Exception {
        String bucket = bucketOfAlice(where);
        putPublic(through, bucket, "public");
        put(through, "alice", bucket, "private", "hers");

        assertThat(unsigned(through, "GET", bucket + "/public")).isEqualTo(200);
        assertThat(unsigned(through, "PUT", bucket + "/public")).isEqualTo(403);
        assertThat(unsigned(through, "DELETE", bucket + "/public")).isEqualTo(403);
        assertThat(unsigned(through, "GET", bucket + "/private")).isEqualTo(403);
        assertThat(unsigned(through, "GET", bucket + "/missing")).isEqualTo(403);
        GetObjectAclResponse acl = through.as("alice")
                .getObjectAcl(request -> request.bucket(bucket).key("public"));
        assertThat(acl.owner().id()).isEqualTo("alice");
        assertThat(acl.grants())
                .extracting(Grant::permission)
                .containsExactlyInAnyOrder(Permission.READ, Permission.FULL_CONTROL);

        through.as("alice")
                .copyObject(copy -> copy.sourceBucket(bucket)
                        .sourceKey("public")
                        .destinationBucket(bucket)
                        .destinationKey("copy"));
        assertThat(unsigned(through, "GET", bucket + "/copy"))
                .as("a copy has an ACL of its own")
                .isEqualTo(403);
    }

    @ParameterizedTest
    @MethodSource("places")
    void a_policy_gives_to_another_user_what_it_names_and_a_denial_wins(Engine engine, Site where, Site through) {
        String bucket = bucketOfAlice(where);
        put(through, "alice", bucket, "open/a", "a");
        put(through, "alice", bucket, "open/secret", "secret");
        put(through, "alice", bucket, "closed", "closed");
        policy(
                through,
                bucket,
                statement("Deny", "s3:GetObject", bucket + "/open/secret"),
                statement("Allow", "s3:GetObject", bucket + "/open/*"));

        assertThat(get(through, "bob", bucket, "open/a")).isEqualTo("a");
        assertThat(result(() -> get(through, "bob", bucket, "open/secret"))).isEqualTo("AccessDenied");
        assertThat(result(() -> get(through, "bob", bucket, "closed"))).isEqualTo("AccessDenied");
        assertThat(refusal(() -> put(through, "bob", bucket, "open/a", "his"))).isEqualTo("AccessDenied");
        through.as("alice").deleteBucketPolicy(request -> request.bucket(bucket));
        assertThat(result(() -> get(through, "bob", bucket, "open/a"))).isEqualTo("AccessDenied");
    }

    @ParameterizedTest
    @MethodSource("places")
    void a_condition_looks_at_the_objects_tags(Engine engine, Site where, Site through) {
        String bucket = bucketOfAlice(where);
        for (String team : List.of("red", "blue")) {
            put(through, "alice", bucket, team, team);
            tag(through, bucket, team, Map.of("team", team));
        }
        policy(through, bucket, """
                {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::%s/*",
                 "Condition": {"StringEquals": {"s3:ExistingObjectTag/team": "red"}}}""".formatted(bucket));

        assertThat(get(through, "bob", bucket, "red")).isEqualTo("red");
        assertThat(result(() -> get(through, "bob", bucket, "blue"))).isEqualTo("AccessDenied");
    }

    private static void tag(Site through, String bucket, String key, Map<String, String> tags) {
        List<Tag> set = tags.entrySet().stream()
                .map(tag ->
                        Tag.builder().key(tag.getKey()).value(tag.getValue()).build())
                .toList();
        through.as("alice")
                .putObjectTagging(request -> request.bucket(bucket)
                        .key(key)
                        .tagging(Tagging.builder().tagSet(set).build()));
    }

    @ParameterizedTest
    @MethodSource("places")
    void tags_and_acls_change_without_the_object(Engine engine, Site where, Site through) throws Exception {
        String bucket = bucketOfAlice(where);
        through.as("alice")
                .putObject(
                        put -> put.bucket(bucket)
                                .key("key")
                                .contentType("text/x")
                                .metadata(Map.of("a", "b")),
                        RequestBody.fromString("content"));
        HeadObjectResponse before =
                through.as("alice").headObject(head -> head.bucket(bucket).key("key"));

        through.as("alice")
                .putObjectAcl(request -> request.bucket(bucket).key("key").acl(ObjectCannedACL.PUBLIC_READ));
        tag(through, bucket, "key", Map.of("z", "1", "a", "2"));

        HeadObjectResponse after =
                through.as("alice").headObject(head -> head.bucket(bucket).key("key"));
        assertThat(List.of(after.lastModified(), after.eTag(), after.contentType(), after.metadata()))
                .isEqualTo(List.of(before.lastModified(), before.eTag(), before.contentType(), before.metadata()));
        assertThat(get(through, "alice", bucket, "key")).isEqualTo("content");
        assertThat(through.as("alice")
                        .getObjectTagging(request -> request.bucket(bucket).key("key"))
                        .tagSet())
                .extracting(Tag::key)
                .containsExactly("a", "z");
        assertThat(unsigned(through, "GET", bucket + "/key")).isEqualTo(200);

        through.as("alice")
                .deleteObjectTagging(request -> request.bucket(bucket).key("key"));
        through.as("alice")
                .putObjectAcl(request -> request.bucket(bucket).key("key").acl(ObjectCannedACL.PRIVATE));
        assertThat(through.as("alice")
                        .getObjectTagging(request -> request.bucket(bucket).key("key"))
                        .tagSet())
                .isEmpty();
        assertThat(unsigned(through, "GET", bucket + "/key")).isEqualTo(403);
    }

    @ParameterizedTest
    @MethodSource("places")
    void who_writes_into_a_bucket_that_all_may_write_into_owns_the_object(Engine engine, Site where, Site through)
            throws Exception {
        String bucket = bucketOfAlice(where);
        through.as("alice").putBucketAcl(request -> request.bucket(bucket).acl(BucketCannedACL.PUBLIC_READ_WRITE));

        put(through, "bob", bucket, "his", "bob's");
        assertThat(unsigned(through, "PUT", bucket + "/nobodys")).isEqualTo(200);

        assertThat(through.as("bob")
                        .getObjectAcl(request -> request.bucket(bucket).key("his"))
                        .owner()
                        .id())
                .isEqualTo("bob");
        assertThat(get(through, "bob", bucket, "his")).isEqualTo("bob's");
        assertThat(get(through, "alice", bucket, "nobodys")).isEqualTo("unsigned");
        assertThat(unsigned(through, "GET", bucket)).isEqualTo(200);
        assertThat(unsigned(through, "GET", bucket + "/his")).isEqualTo(403);
    }

    @ParameterizedTest
    @MethodSource("places")
    void a_public_access_block_keeps_a_bucket_private_whatever_is_said(Engine engine, Site where, Site through)
            throws Exception {
        String bucket = bucketOfAlice(where);
        putPublic(through, bucket, "public");
        through.as("alice")
                .putPublicAccessBlock(request -> request.bucket(bucket)
                        .publicAccessBlockConfiguration(block -> block.blockPublicAcls(true)
                                .ignorePublicAcls(true)
                                .blockPublicPolicy(true)));

        assertThat(unsigned(through, "GET", bucket + "/public")).isEqualTo(403);
        assertThat(refusal(() -> putPublic(through, bucket, "another"))).isEqualTo("AccessDenied");
        assertThat(result(() -> through.as("alice")
                        .putBucketAcl(request -> request.bucket(bucket).acl(BucketCannedACL.PUBLIC_READ))))
                .isEqualTo("AccessDenied");
        assertThat(refusal(() -> policy(through, bucket, """
                        {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::%s/*"}""".formatted(bucket))))
                .isEqualTo("AccessDenied");
        through.as("alice").deletePublicAccessBlock(request -> request.bucket(bucket));
        assertThat(unsigned(through, "GET", bucket + "/public")).isEqualTo(200);
    }

    @ParameterizedTest
    @MethodSource("places")
    void where_the_bucket_owner_owns_all_acls_are_refused(Engine engine, Site where, Site through) {
        String bucket = "b-" + UUID.randomUUID();
        where.as("alice")
                .createBucket(request -> request.bucket(bucket).objectOwnership(ObjectOwnership.BUCKET_OWNER_ENFORCED));

        assertThat(refusal(() -> putPublic(through, bucket, "public"))).isEqualTo("AccessControlListNotSupported");
        assertThat(result(() -> through.as("alice")
                        .putBucketAcl(request -> request.bucket(bucket).acl(BucketCannedACL.PUBLIC_READ))))
                .isEqualTo("AccessControlListNotSupported");
        policy(through, bucket, statement("Allow", "s3:PutObject", bucket + "/*"));
        put(through, "bob", bucket, "his", "by bob");
        assertThat(through.as("alice")
                        .getObjectAcl(request -> request.bucket(bucket).key("his"))
                        .owner()
                        .id())
                .isEqualTo("alice");
        assertThat(result(() -> get(through, "bob", bucket, "his"))).isEqualTo("AccessDenied");
    }

    @ParameterizedTest
    @MethodSource("places")
    void of_many_keys_those_are_deleted_that_the_caller_may_delete(Engine engine, Site where, Site through) {
        String bucket = bucketOfAlice(where);
        put(through, "alice", bucket, "bobs/a", "a");
        put(through, "alice", bucket, "alices", "a");
        policy(through, bucket, statement("Allow", "s3:DeleteObject", bucket + "/bobs/*"));

        DeleteObjectsResponse response = through.as("bob")
                .deleteObjects(request -> request.bucket(bucket)
                        .delete(delete -> delete.objects(
                                ObjectIdentifier.builder().key("bobs/a").build(),
                                ObjectIdentifier.builder().key("alices").build())));

        assertThat(response.deleted()).extracting(deleted -> deleted.key()).containsExactly("bobs/a");
        assertThat(response.errors())
                .extracting(S3Error::key, S3Error::code)
                .containsExactly(tuple("alices", "AccessDenied"));
        assertThat(get(through, "alice", bucket, "alices")).isEqualTo("a");
    }

    @ParameterizedTest
    @MethodSource("places")
    void a_condition_on_the_address_looks_at_the_clients_own(Engine engine, Site where, Site through) throws Exception {
        String bucket = bucketOfAlice(where);
        put(through, "alice", bucket, "key", "content");
        String allow = """
                {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::%s/*",
                 "Condition": {"IpAddress": {"aws:SourceIp": "%s"}}}""";

        policy(through, bucket, allow.formatted(bucket, "127.0.0.0/8"));
        assertThat(unsigned(through, "GET", bucket + "/key")).isEqualTo(200);
        policy(through, bucket, allow.formatted(bucket, "192.0.2.0/24"));
        assertThat(unsigned(through, "GET", bucket + "/key")).isEqualTo(403);
    }

    @ParameterizedTest
    @MethodSource("places")
    void a_policy_is_its_owners_whatever_it_says_and_no_stranger_chooses_accounts(
            Engine engine, Site where, Site through) throws Exception {
        String bucket = bucketOfAlice(where);
        policy(through, bucket, """
                {"Effect": "Allow", "Principal": "*", "Action": "s3:*",
                 "Resource": ["arn:aws:s3:::%1$s", "arn:aws:s3:::%1$s/*"]}""".formatted(bucket));

        assertThat(unsigned(through, "PUT", bucket + "/key")).isEqualTo(200);
        assertThat(unsigned(through, "GET", bucket + "?policy")).isEqualTo(403);
        assertThat(unsigned(through, "DELETE", bucket + "?policy")).isEqualTo(403);
        assertThat(result(() -> through.as("bob").deleteBucketPolicy(request -> request.bucket(bucket))))
                .isEqualTo("AccessDenied");
        HttpRequest choosing = HttpRequest.newBuilder(through.s3().resolve("/" + bucket + "/key"))
                .header("x-headgate-region", "mars")
                .PUT(HttpRequest.BodyPublishers.ofString("x"))
                .build();
        assertThat(HTTP.send(choosing, HttpResponse.BodyHandlers.discarding()).statusCode())
                .isEqualTo(403);
    }

    @ParameterizedTest
    @MethodSource("places")
    void changes_of_an_acl_and_of_tags_at_once_are_both_kept(Engine engine, Site where, Site through) throws Exception {
        String bucket = bucketOfAlice(where);
        for (int round = 0; round < 5; round++) {
            String key = "key-" + round;
            putPublic(through, bucket, key);
            Thread tags = Thread.ofVirtual().start(() -> tag(through, bucket, key, Map.of("a", "b")));
            through.as("alice")
                    .putObjectAcl(request -> request.bucket(bucket).key(key).acl(ObjectCannedACL.PRIVATE));
            tags.join();

            assertThat(unsigned(through, "GET", bucket + "/" + key)).isEqualTo(403);
            assertThat(through.as("alice")
                            .getObjectTagging(request -> request.bucket(bucket).key(key))
                            .tagSet())
                    .hasSize(1);
        }
    }
}
