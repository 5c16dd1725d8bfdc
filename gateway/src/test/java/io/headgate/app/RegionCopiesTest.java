package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.app.SeveralRegions.Engine;
import io.headgate.app.SeveralRegions.Site;
import io.headgate.http.RawClient;
import io.headgate.region.PeerSettings;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.MetadataDirective;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Response;
import software.amazon.awssdk.services.s3.model.StorageClass;
import software.amazon.awssdk.services.s3.model.TaggingDirective;
import software.amazon.awssdk.services.s3.model.UploadPartCopyRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/** Copies from another region, which are as copies within one, and clients that are sent to another region. */
@Timeout(180)
final class RegionCopiesTest {
    /** More than is read at once, anywhere. */
    private static final byte[] BIG = bytes(5_000_000);

    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

    @TempDir
    private static Path directory;

    private static SeveralRegions regions;
    private static Site north;
    private static Site south;
    private static Site west;

    @BeforeAll
    static void start() throws Exception {
        regions = new SeveralRegions(directory, PeerSettings.DEFAULTS);
        String registry = "file:" + directory.resolve("names.db");
        north = regions.add("north", Engine.SQLITE, registry);
        south = regions.add("south", Engine.SQLITE, registry);
        west = regions.add("west", Engine.SQLITE, registry);
        west.settings.put("HEADGATE_PEERS_WRONG_REGION", "redirect");
        west.settings.put("HEADGATE_DOMAIN", "s3.test");
        regions.start();
        north.as("alice").createBucket(create -> create.bucket("target"));
        for (Map.Entry<String, Site> source :
                Map.of("near", north, "far", south).entrySet()) {
            fill(source.getValue(), source.getKey());
        }
    }

    @AfterAll
    static void stop() throws Exception {
        regions.close();
    }

    /** With what is copied in these tests. */
    private static void fill(Site site, String bucket) {
        S3Client client = site.as("alice");
        client.createBucket(create -> create.bucket(bucket));
        client.putObject(
                put -> put.bucket(bucket)
                        .key("plain")
                        .contentType("text/plain")
                        .cacheControl("no-cache")
                        .contentDisposition("inline; filename=\"a.txt\"")
                        .contentEncoding("identity")
                        .contentLanguage("de")
                        .expires(LONG_AGO)
                        .websiteRedirectLocation("/elsewhere")
                        .storageClass(StorageClass.STANDARD_IA)
                        .metadata(Map.of("colour", "red", "size", "XL"))
                        .tagging("team=a b&cost%2B=%26+1"),
                RequestBody.fromString("some content"));
        client.putObject(
                put -> put.bucket(bucket).key("sha").checksumAlgorithm(ChecksumAlgorithm.SHA256),
                RequestBody.fromString("content with a SHA-256"));
        client.putObject(put -> put.bucket(bucket).key("empty"), RequestBody.empty());
        client.putObject(put -> put.bucket(bucket).key("big"), RequestBody.fromBytes(BIG));
        client.putObject(put -> put.bucket(bucket).key("dir/a b+c&d=ü%41?.txt"), RequestBody.fromString("an odd key"));
        site.as("bob").createBucket(create -> create.bucket(bucket + "-of-bob"));
        site.as("bob").putObject(put -> put.bucket(bucket + "-of-bob").key("plain"), RequestBody.fromString("private"));
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) (i * 31 + i / 257);
        }
        return bytes;
    }

    /** What a client sees of an answer, but for what is of its moment. */
    private static String seen(Supplier<? extends S3Response> call, String source) {
        try {
            S3Response response = call.get();
            return headers(response.sdkHttpResponse()) + response.toString().replaceAll("LastModified=[^,)]*", "");
        } catch (S3Exception failed) {
            return failed.awsErrorDetails().errorCode() + ": "
                    + failed.awsErrorDetails().errorMessage().replace(source, "SOURCE")
                    + headers(failed.awsErrorDetails().sdkHttpResponse());
        }
    }

    private static String headers(SdkHttpResponse response) {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(response.headers());
        List.of("date", "last-modified", "x-amz-request-id", "x-amz-id-2").forEach(headers::remove);
        return response.statusCode() + " " + headers + " ";
    }

    private static Map<String, Consumer<CopyObjectRequest.Builder>> copies() {
        Map<String, Consumer<CopyObjectRequest.Builder>> copies = new LinkedHashMap<>();
        String etag = north.as("alice")
                .headObject(head -> head.bucket("near").key("plain"))
                .eTag();
        copies.put("of all that it has", copy -> {});
        copies.put(
                "with other metadata",
                copy -> copy.metadataDirective(MetadataDirective.REPLACE)
                        .metadata(Map.of("new", "1"))
                        .contentType("image/png"));
        copies.put(
                "with other tags",
                copy -> copy.taggingDirective(TaggingDirective.REPLACE).tagging("other=1"));
        copies.put("with a redirect", copy -> copy.websiteRedirectLocation("/there"));
        copies.put("in a storage class", copy -> copy.storageClass(StorageClass.GLACIER));
        copies.put("with another checksum", copy -> copy.checksumAlgorithm(ChecksumAlgorithm.SHA1));
        copies.put("of one with SHA-256", copy -> copy.sourceKey("sha"));
        copies.put("of nothing", copy -> copy.sourceKey("empty"));
        copies.put("of a big one", copy -> copy.sourceKey("big"));
        copies.put("of one with an odd key", copy -> copy.sourceKey("dir/a b+c&d=ü%41?.txt"));
        copies.put("onto the same key", copy -> copy.destinationKey("plain"));
        copies.put("of its only version", copy -> copy.sourceVersionId("null"));
        copies.put("of another version", copy -> copy.sourceVersionId("1"));
        copies.put("if it is this one", copy -> copy.copySourceIfMatch(etag));
        copies.put("if it is another one", copy -> copy.copySourceIfMatch("\"other\""));
        copies.put("if it is not this one", copy -> copy.copySourceIfNoneMatch(etag));
        copies.put("if it is not another one", copy -> copy.copySourceIfNoneMatch("\"other\""));
        copies.put("if it has changed", copy -> copy.copySourceIfModifiedSince(LONG_AGO));
        copies.put("if it has not changed", copy -> copy.copySourceIfUnmodifiedSince(LONG_AGO));
        copies.put(
                "if it has changed just now",
                copy -> copy.copySourceIfModifiedSince(Instant.now().plusSeconds(1)));
        copies.put("if it is bob's", copy -> copy.expectedSourceBucketOwner("bob"));
        copies.put("if it is alice's", copy -> copy.expectedSourceBucketOwner("alice"));
        copies.put("if nothing is there", copy -> copy.destinationKey("there").ifNoneMatch("*"));
        copies.put("of what is missing", copy -> copy.sourceKey("missing"));
        copies.put("to a bucket that is missing", copy -> copy.destinationBucket("no-such-bucket"));
        return copies;
    }

    @Test
    void a_copy_from_another_region_is_as_one_within_a_region() {
        north.as("alice").putObject(put -> put.bucket("target").key("there"), RequestBody.fromString("first"));
        copies().forEach((what, how) -> {
            String near = copied(north, "near", how);
            assertThat(copied(north, "far", how)).as("a copy %s", what).isEqualTo(near);
            assertThat(copied(south, "far", how))
                    .as("a copy %s, asked for there", what)
                    .isEqualTo(near);
        });
    }

    /** The answer to a copy, and to a GET of what it made. */
    private static String copied(Site through, String source, Consumer<CopyObjectRequest.Builder> how) {
        north.as("alice").deleteObject(delete -> delete.bucket("target").key("copy"));
        north.as("alice").deleteObject(delete -> delete.bucket("target").key("plain"));
        CopyObjectRequest.Builder copy = CopyObjectRequest.builder()
                .sourceBucket(source)
                .sourceKey("plain")
                .destinationBucket("target")
                .destinationKey("copy");
        how.accept(copy);
        CopyObjectRequest request = copy.build();
        String answer = seen(() -> through.as("alice").copyObject(request), source);
        return answer + "\n" + got("target", request.destinationKey());
    }

    private static String got(String bucket, String key) {
        try {
            ResponseBytes<GetObjectResponse> got = north.as("alice")
                    .getObjectAsBytes(get -> get.bucket(bucket).key(key).checksumMode(ChecksumMode.ENABLED));
            return headers(got.response().sdkHttpResponse()) + Arrays.hashCode(got.asByteArray());
        } catch (S3Exception missing) {
            return missing.awsErrorDetails().errorCode();
        }
    }

    /** Within a region a copy keeps the entity tag, as it shares the bytes. */
    @Test
    void a_copy_of_an_upload_from_another_region_has_an_entity_tag_of_its_own() {
        S3Client client = north.as("alice");
        client.putObject(
                put -> put.bucket("target").key("whole").contentType("text/plain"),
                RequestBody.fromString("one and two"));
        String id = client.createMultipartUpload(create -> create.bucket("far")
                        .key("parts")
                        .contentType("text/plain")
                        .checksumAlgorithm(ChecksumAlgorithm.CRC32))
                .uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (String content : List.of("one and ", "two")) {
            int number = parts.size() + 1;
            UploadPartResponse part = client.uploadPart(
                    upload -> upload.bucket("far")
                            .key("parts")
                            .uploadId(id)
                            .partNumber(number)
                            .checksumAlgorithm(ChecksumAlgorithm.CRC32),
                    RequestBody.fromString(content));
            parts.add(CompletedPart.builder()
                    .partNumber(number)
                    .eTag(part.eTag())
                    .checksumCRC32(part.checksumCRC32())
                    .build());
        }
        client.completeMultipartUpload(
                complete -> complete.bucket("far").key("parts").uploadId(id).multipartUpload(all -> all.parts(parts)));

        client.copyObject(copy -> copy.sourceBucket("far")
                .sourceKey("parts")
                .destinationBucket("target")
                .destinationKey("copied"));
        assertThat(got("target", "copied")).isEqualTo(got("target", "whole"));
    }

    @Test
    void what_the_user_may_not_read_is_not_copied_from_another_region_either() {
        for (String source : List.of("near-of-bob", "far-of-bob")) {
            assertThat(copied(north, source, copy -> {}))
                    .startsWith("AccessDenied")
                    .endsWith("NoSuchKey");
        }
        assertThat(copied(north, "no-such-source", copy -> {})).startsWith("NoSuchBucket");
    }

    @Test
    void a_part_copied_from_another_region_is_as_one_within_a_region() {
        Map<String, Consumer<UploadPartCopyRequest.Builder>> copies = new LinkedHashMap<>();
        copies.put("of all", copy -> {});
        copies.put("of a range", copy -> copy.copySourceRange("bytes=1000000-4199999"));
        copies.put("of the end", copy -> copy.copySourceRange("bytes=4999999-4999999"));
        copies.put("of more than there is", copy -> copy.copySourceRange("bytes=4000000-5000000"));
        copies.put("of what is behind the end", copy -> copy.copySourceRange("bytes=5000000-5000001"));
        copies.put("of a range that is none", copy -> copy.copySourceRange("bytes=-5"));
        copies.put("of a range backwards", copy -> copy.copySourceRange("bytes=5-4"));
        copies.put("of what is missing", copy -> copy.sourceKey("missing"));
        copies.put("of nothing", copy -> copy.sourceKey("empty"));
        copies.put("of a range of nothing", copy -> copy.sourceKey("empty").copySourceRange("bytes=0-0"));
        copies.put("if it is another one", copy -> copy.copySourceIfMatch("\"other\""));
        copies.put("to an upload that is missing", copy -> copy.uploadId("missing"));

        for (ChecksumAlgorithm checksum : List.of(ChecksumAlgorithm.CRC32, ChecksumAlgorithm.SHA256)) {
            copies.forEach((what, how) -> {
                String near = partCopied(north, "near", checksum, how);
                assertThat(partCopied(north, "far", checksum, how))
                        .as("a copy %s", what)
                        .isEqualTo(near);
                assertThat(partCopied(south, "far", checksum, how))
                        .as("a copy %s, asked for there", what)
                        .isEqualTo(near);
            });
        }
    }

    private static String partCopied(
            Site through, String source, ChecksumAlgorithm checksum, Consumer<UploadPartCopyRequest.Builder> how) {
        S3Client client = through.as("alice");
        String id = client.createMultipartUpload(
                        create -> create.bucket("target").key("parts").checksumAlgorithm(checksum))
                .uploadId();
        UploadPartCopyRequest.Builder copy = UploadPartCopyRequest.builder()
                .sourceBucket(source)
                .sourceKey("big")
                .destinationBucket("target")
                .destinationKey("parts")
                .uploadId(id)
                .partNumber(1);
        how.accept(copy);
        UploadPartCopyRequest request = copy.build();
        String answer = momentless(seen(() -> client.uploadPartCopy(request), source));
        String parts = momentless(
                client.listParts(list -> list.bucket("target").key("parts").uploadId(id))
                        .parts()
                        .toString());
        client.abortMultipartUpload(abort -> abort.bucket("target").key("parts").uploadId(id));
        return answer + "\n" + parts;
    }

    /** The entity tag of a range whose bytes were not read is no MD5; the checksum tells whether they are the right ones. */
    private static String momentless(String answer) {
        return answer.replaceAll("LastModified=[^,)]*", "").replaceAll("ETag=\"[0-9a-f]{32}\"", "ETag=32 digits");
    }

    @Test
    void clients_that_can_follow_are_sent_to_the_region_that_has_the_bucket() throws Exception {
        String path = west.presigner("alice", true, west.s3())
                .presignGetObject(get -> get.signatureDuration(Duration.ofMinutes(10))
                        .getObjectRequest(object -> object.bucket("far").key("a/b c")))
                .url()
                .getFile();
        RawClient.Reply reply = ask(path, west.s3().getAuthority());
        assertThat(reply.field("location")).isEqualTo("https://south.example.com" + path);
        assertThat(reply.status()).isEqualTo(307);
        assertThat(reply.field("x-amz-bucket-region")).isEqualTo("south");
        assertThat(reply.text())
                .contains("<Code>TemporaryRedirect</Code>")
                .contains("<Endpoint>south.example.com</Endpoint>");

        URI virtual = URI.create("http://s3.test:" + west.s3().getPort());
        String hosted = west.presigner("alice", false, virtual)
                .presignGetObject(get -> get.signatureDuration(Duration.ofMinutes(10))
                        .getObjectRequest(object -> object.bucket("far").key("a/b c")))
                .url()
                .getFile();
        assertThat(ask(hosted, "far." + virtual.getAuthority()).field("location"))
                .isEqualTo("https://south.example.com/far" + hosted);

        try {
            west.as("alice").headObject(head -> head.bucket("far").key("plain"));
            throw new AssertionError("it is sent elsewhere");
        } catch (S3Exception sent) {
            assertThat(sent.statusCode()).isEqualTo(307);
            SdkHttpResponse response = sent.awsErrorDetails().sdkHttpResponse();
            assertThat(response.firstMatchingHeader("location")).contains("https://south.example.com/far/plain");
            assertThat(response.firstMatchingHeader("x-amz-bucket-region")).contains("south");
        }
    }

    private static RawClient.Reply ask(String target, String host) throws Exception {
        try (RawClient client = new RawClient(
                new InetSocketAddress(west.s3().getHost(), west.s3().getPort()))) {
            return client.send(("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII))
                    .reply();
        }
    }
}
