package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;
import software.amazon.awssdk.services.s3.model.CopyObjectResponse;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/** Copying objects on the server. */
class CopyObjectTest extends S3Test {
    private static final String OTHER_ETAG = "\"00000000000000000000000000000000\"";
    private String bucket;
    private String etag;

    @BeforeEach
    void putTheSource() {
        bucket = newBucket();
        etag = s3.putObject(
                        request -> request.bucket(bucket)
                                .key("source")
                                .contentType("text/plain")
                                .cacheControl("no-cache")
                                .metadata(Map.of("color", "red")),
                        RequestBody.fromString("content"))
                .eTag();
    }

    private CopyObjectRequest.Builder copy(String destination) {
        return CopyObjectRequest.builder()
                .sourceBucket(bucket)
                .sourceKey("source")
                .destinationBucket(bucket)
                .destinationKey(destination);
    }

    private HeadObjectResponse head(String key) {
        return s3.headObject(request -> request.bucket(bucket).key(key));
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void a_copy_has_the_bytes_and_attributes_of_its_source(ClientKind kind) {
        S3Client client = kind.client();

        CopyObjectResponse copied = client.copyObject(copy("copy").build());

        ResponseBytes<GetObjectResponse> got =
                s3.getObjectAsBytes(request -> request.bucket(bucket).key("copy"));
        assertThat(got.asUtf8String()).isEqualTo("content");
        assertThat(got.response().contentType()).isEqualTo("text/plain");
        assertThat(got.response().cacheControl()).isEqualTo("no-cache");
        assertThat(got.response().metadata()).isEqualTo(Map.of("color", "red"));
        assertThat(got.response().eTag()).isEqualTo(etag);
        assertThat(copied.copyObjectResult().eTag()).isEqualTo(etag);
        assertThat(copied.copyObjectResult().lastModified())
                .isCloseTo(Instant.now(), Assertions.within(Duration.ofMinutes(1)));
    }

    @Test
    void a_copy_goes_to_another_bucket_and_lives_on_without_its_source() {
        String other = newBucket();

        s3.copyObject(copy("x/copy").destinationBucket(other).build());
        s3.deleteObject(request -> request.bucket(bucket).key("source"));

        assertThat(getString(other, "x/copy")).isEqualTo("content");
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void overwriting_or_deleting_a_copy_leaves_the_source() {
        s3.copyObject(copy("copy").build());
        s3.copyObject(copy("copy-2").build());

        put(bucket, "copy", "something else");
        s3.deleteObject(request -> request.bucket(bucket).key("copy-2"));

        assertThat(getString(bucket, "source")).isEqualTo("content");
        assertThat(getString(bucket, "copy")).isEqualTo("something else");
    }

    @Test
    void a_copy_replaces_what_was_there() {
        put(bucket, "copy", "old");

        s3.copyObject(copy("copy").build());

        assertThat(getString(bucket, "copy")).isEqualTo("content");
    }

    @Test
    void metadata_can_be_replaced() {
        s3.copyObject(copy("copy")
                .metadataDirective("REPLACE")
                .metadata(Map.of("shape", "round"))
                .contentType("text/markdown")
                .build());

        HeadObjectResponse head = head("copy");
        assertThat(head.metadata()).isEqualTo(Map.of("shape", "round"));
        assertThat(head.contentType()).isEqualTo("text/markdown");
        assertThat(head.cacheControl()).isNull();
        assertThat(getString(bucket, "copy")).isEqualTo("content");
    }

    @Test
    void metadata_given_without_the_directive_is_ignored() {
        s3.copyObject(copy("copy").metadata(Map.of("shape", "round")).build());

        assertThat(head("copy").metadata()).isEqualTo(Map.of("color", "red"));
    }

    @Test
    void a_website_redirect_is_taken_from_the_request_whatever_the_directive_and_never_copied() {
        s3.copyObject(copy("copy").websiteRedirectLocation("/elsewhere").build());
        s3.copyObject(copy("copy of copy").sourceKey("copy").build());
        s3.copyObject(copy("replaced")
                .sourceKey("copy")
                .metadataDirective("REPLACE")
                .websiteRedirectLocation("/there")
                .build());
        s3.copyObject(copy("source").websiteRedirectLocation("/from-itself").build());

        assertThat(head("copy").websiteRedirectLocation()).isEqualTo("/elsewhere");
        assertThat(head("copy").metadata()).isEqualTo(Map.of("color", "red"));
        assertThat(head("copy of copy").websiteRedirectLocation()).isNull();
        assertThat(head("replaced").websiteRedirectLocation()).isEqualTo("/there");
        assertThat(head("source").websiteRedirectLocation()).isEqualTo("/from-itself");
        assertThat(head("source").metadata()).isEqualTo(Map.of("color", "red"));
    }

    @Test
    void tags_are_copied_or_replaced() {
        s3.putObject(request -> request.bucket(bucket).key("tagged").tagging("a=1&b=2"), RequestBody.fromString("x"));

        s3.copyObject(copy("copied").sourceKey("tagged").build());
        s3.copyObject(copy("replaced")
                .sourceKey("tagged")
                .taggingDirective("REPLACE")
                .tagging("c=3")
                .build());

        assertThat(tagCount("copied")).isEqualTo(2);
        assertThat(tagCount("replaced")).isEqualTo(1);
    }

    private Integer tagCount(String key) {
        return s3.getObjectAsBytes(request -> request.bucket(bucket).key(key))
                .response()
                .tagCount();
    }

    @Test
    void an_unknown_directive_is_refused() {
        assertRefused(
                400,
                "InvalidArgument",
                () -> s3.copyObject(copy("copy").metadataDirective("MERGE").build()));
        assertRefused(
                400,
                "InvalidArgument",
                () -> s3.copyObject(copy("copy").taggingDirective("MERGE").build()));
    }

    @Test
    void an_object_is_copied_onto_itself_only_to_change_something() {
        assertRefused(400, "InvalidRequest", () -> s3.copyObject(copy("source").build()));

        s3.copyObject(copy("source")
                .metadataDirective("REPLACE")
                .metadata(Map.of("color", "blue"))
                .build());
        assertThat(head("source").metadata()).isEqualTo(Map.of("color", "blue"));
        s3.copyObject(copy("source").storageClass("STANDARD_IA").build());
        assertThat(head("source").storageClassAsString()).isEqualTo("STANDARD_IA");
        assertThat(getString(bucket, "source")).isEqualTo("content");
    }

    @Test
    void a_storage_class_is_not_copied_but_given() {
        s3.copyObject(copy("cold").storageClass("GLACIER_IR").build());
        s3.copyObject(CopyObjectRequest.builder()
                .sourceBucket(bucket)
                .sourceKey("cold")
                .destinationBucket(bucket)
                .destinationKey("warm")
                .build());

        assertThat(head("cold").storageClassAsString()).isEqualTo("GLACIER_IR");
        assertThat(head("warm").storageClassAsString()).isNull();
        assertRefused(
                400,
                "InvalidStorageClass",
                () -> s3.copyObject(copy("bad").storageClass("LUKEWARM").build()));
    }

    @ParameterizedTest
    @CsvSource({
        "same, , , , 200",
        "other, , , , 412",
        ", other, , , 200",
        ", same, , , 412",
        ", , before, , 200",
        ", , at, , 412",
        ", , , after, 200",
        ", , , before, 412",
        // S3: the tag decides, whatever the time beside it says.
        "same, , , before, 200",
        ", same, before, , 412"
    })
    void conditions_on_the_source_are_obeyed(
            String match, String noneMatch, String modifiedSince, String unmodifiedSince, int status) {
        Instant modified = head("source").lastModified();
        CopyObjectRequest request = copy("copy")
                .copySourceIfMatch(tag(match))
                .copySourceIfNoneMatch(tag(noneMatch))
                .copySourceIfModifiedSince(time(modified, modifiedSince))
                .copySourceIfUnmodifiedSince(time(modified, unmodifiedSince))
                .build();

        if (status == 200) {
            s3.copyObject(request);
            assertThat(getString(bucket, "copy")).isEqualTo("content");
        } else {
            assertRefused(status, "PreconditionFailed", () -> s3.copyObject(request));
            assertThat(keys(bucket)).containsExactly("source");
        }
    }

    private String tag(String word) {
        return word == null ? null : word.equals("same") ? etag : OTHER_ETAG;
    }

    private static Instant time(Instant modified, String word) {
        if (word == null) {
            return null;
        }
        return switch (word) {
            case "before" -> modified.minusSeconds(3600);
            case "at" -> modified;
            case "after" -> modified.plusSeconds(3600);
            default -> throw new IllegalArgumentException(word);
        };
    }

    @Test
    void a_source_that_does_not_exist_is_named() {
        assertRefused(
                404,
                "NoSuchKey",
                () -> s3.copyObject(copy("copy").sourceKey("missing").build()));
        assertRefused(
                404,
                "NoSuchBucket",
                () -> s3.copyObject(
                        copy("copy").sourceBucket(unusedBucketName()).build()));
        assertRefused(
                404,
                "NoSuchBucket",
                () -> s3.copyObject(
                        copy("copy").destinationBucket(unusedBucketName()).build()));
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void a_source_with_an_odd_key_is_found(ClientKind kind) {
        for (String key : new String[] {
            "a b", "a+b", "a%2Fb", "%", "a?b=c", "a&b#c", "ünï/cödé", "😀", "//a/../b", "quote\"'", "versionId=1"
        }) {
            put(bucket, key, key);

            kind.client().copyObject(copy("copy").sourceKey(key).build());

            assertThat(getString(bucket, "copy")).isEqualTo(key);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/{bucket}/{key}",
                "{bucket}/{key}",
                "%2F{bucket}%2F{key}",
                "{bucket}%2F{key}",
                "{bucket}%2f%73ource"
            })
    void a_source_may_be_spelled_in_many_ways(String spelling) {
        String source = spelling.replace("{bucket}", bucket).replace("{key}", "source");

        rawCopy(source).assertStatus(200);

        assertThat(getString(bucket, "copy")).isEqualTo("content");
    }

    private RawResponse rawCopy(String source) {
        RawRequest request =
                RawRequest.of("PUT", "/" + bucket + "/copy").withBody("").with("x-amz-copy-source", source);
        return RawConnection.send(endpoint, Signer.of(endpoint).sign(request));
    }

    @ParameterizedTest
    @ValueSource(strings = {"source", "/", "%zz/source", "/only-a-bucket-name/"})
    void a_source_that_names_no_object_is_refused(String source) {
        RawResponse refused = rawCopy(source);

        assertThat(refused.status()).as("%s", refused).isEqualTo(400);
        assertThat(keys(bucket)).containsExactly("source");
    }

    @Test
    void a_copy_of_a_large_object_is_whole() {
        byte[] body = bytes(5, 16 * MIB + 1);
        put(bucket, "large", body);

        s3.copyObject(copy("large-copy").sourceKey("large").build());
        s3.deleteObject(request -> request.bucket(bucket).key("large"));

        assertThat(get(bucket, "large-copy")).isEqualTo(body);
    }

    @Test
    void an_empty_object_can_be_copied() {
        put(bucket, "empty", "");

        s3.copyObject(copy("copy").sourceKey("empty").build());

        assertThat(get(bucket, "copy")).isEmpty();
    }

    @Test
    void a_copy_keeps_the_checksum_of_its_source() {
        s3.putObject(
                request -> request.bucket(bucket).key("summed").checksumAlgorithm("SHA256"),
                RequestBody.fromString("content"));

        s3.copyObject(copy("copy").sourceKey("summed").build());

        assertThat(s3.headObject(request -> request.bucket(bucket).key("copy").checksumMode("ENABLED"))
                        .checksumSHA256())
                .isEqualTo(Algorithm.SHA256.base64("content".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void a_copy_can_be_given_a_checksum_of_another_algorithm() {
        CopyObjectResponse copied =
                s3.copyObject(copy("copy").checksumAlgorithm("CRC64NVME").build());

        String expected = Algorithm.CRC64NVME.base64("content".getBytes(StandardCharsets.UTF_8));
        assertThat(copied.copyObjectResult().checksumCRC64NVME()).isEqualTo(expected);
        assertThat(s3.headObject(request -> request.bucket(bucket).key("copy").checksumMode("ENABLED"))
                        .checksumCRC64NVME())
                .isEqualTo(expected);
    }
}
