package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteObjectResponse;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/** Putting, getting and deleting single objects. */
class ObjectsTest extends S3Test {

    private static String md5(byte[] bytes) {
        return "\"" + HexFormat.of().formatHex(Algorithm.hash("MD5", bytes)) + "\"";
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void what_is_put_is_what_is_got(ClientKind kind) {
        S3Client client = kind.client();
        String bucket = newBucket();

        for (int size : new int[] {0, 1, 4096, 65_535, 65_536, 65_537, 3 * MIB + 1}) {
            byte[] body = bytes(size, size);
            String key = "object-" + size;
            PutObjectResponse put =
                    client.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(body));
            ResponseBytes<GetObjectResponse> got =
                    client.getObjectAsBytes(request -> request.bucket(bucket).key(key));
            HeadObjectResponse head =
                    client.headObject(request -> request.bucket(bucket).key(key));

            assertThat(got.asByteArray()).as("%d bytes", size).isEqualTo(body);
            assertThat(got.response().contentLength()).isEqualTo(size);
            assertThat(put.eTag()).isEqualTo(md5(body));
            assertThat(got.response().eTag()).isEqualTo(put.eTag());
            assertThat(head.eTag()).isEqualTo(put.eTag());
            assertThat(head.contentLength()).isEqualTo(size);
        }
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void an_object_larger_than_a_clients_part_size_arrives_whole(ClientKind kind) {
        S3Client client = kind.client();
        String bucket = newBucket();
        byte[] body = bytes(7, 20 * MIB + 3);

        client.putObject(request -> request.bucket(bucket).key("large"), RequestBody.fromBytes(body));

        assertThat(client.getObjectAsBytes(request -> request.bucket(bucket).key("large"))
                        .asByteArray())
                .isEqualTo(body);
    }

    @Test
    void a_put_replaces_the_object_and_all_its_attributes() {
        String bucket = newBucket();
        s3.putObject(
                request -> request.bucket(bucket)
                        .key("key")
                        .contentType("text/plain")
                        .metadata(Map.of("color", "red")),
                RequestBody.fromString("a longer first body"));
        s3.putObject(request -> request.bucket(bucket).key("key"), RequestBody.fromString("second"));

        ResponseBytes<GetObjectResponse> got =
                s3.getObjectAsBytes(request -> request.bucket(bucket).key("key"));

        assertThat(got.asUtf8String()).isEqualTo("second");
        assertThat(got.response().metadata()).isEmpty();
        assertThat(got.response().contentType()).isNotEqualTo("text/plain");
        assertThat(keys(bucket)).containsExactly("key");
    }

    @Test
    void an_answer_tells_when_the_object_was_last_modified_and_that_ranges_are_accepted() {
        String bucket = newBucket();
        put(bucket, "key", "x");

        HeadObjectResponse head =
                s3.headObject(request -> request.bucket(bucket).key("key"));

        Instant now = Instant.now();
        assertThat(head.lastModified()).isBetween(now.minus(Duration.ofMinutes(1)), now.plus(Duration.ofMinutes(1)));
        assertThat(head.acceptRanges()).isEqualTo("bytes");
    }

    @Test
    void an_object_without_a_content_type_is_binary() {
        String bucket = newBucket();
        RawResponse put = RawConnection.send(
                endpoint,
                Signer.of(endpoint)
                        .sign(RawRequest.of("PUT", "/" + bucket + "/key").withBody("x")));
        put.assertStatus(200);

        assertThat(s3.headObject(request -> request.bucket(bucket).key("key")).contentType())
                .isEqualTo("binary/octet-stream");
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void a_deleted_object_is_gone_and_deleting_it_again_is_no_error(ClientKind kind) {
        S3Client client = kind.client();
        String bucket = newBucket();
        put(bucket, "key", "x");

        DeleteObjectResponse first =
                client.deleteObject(request -> request.bucket(bucket).key("key"));
        DeleteObjectResponse second =
                client.deleteObject(request -> request.bucket(bucket).key("key"));

        assertThat(first.sdkHttpResponse().statusCode()).isEqualTo(204);
        assertThat(second.sdkHttpResponse().statusCode()).isEqualTo(204);
        // The C runtime's client begins with a HEAD, whose answer names no code.
        assertStatus(
                404,
                () -> client.getObjectAsBytes(request -> request.bucket(bucket).key("key")));
        assertRefused(404, "NoSuchKey", () -> get(bucket, "key"));
        assertStatus(
                404, () -> client.headObject(request -> request.bucket(bucket).key("key")));
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void an_object_is_seen_by_reads_and_listings_as_soon_as_the_put_is_answered() {
        String bucket = newBucket();

        for (int i = 0; i < 50; i++) {
            String body = "version " + i;
            String key = "key-" + i % 5;
            put(bucket, key, body);
            assertThat(getString(bucket, key)).isEqualTo(body);
            assertThat(keys(bucket)).contains(key);
        }
    }

    @Test
    void a_body_that_ends_early_makes_no_object() {
        String bucket = newBucket();
        RawRequest request = Signer.of(endpoint)
                .sign(RawRequest.of("PUT", "/" + bucket + "/short").with("Content-Length", "1000"), Signer.UNSIGNED);
        try (RawConnection connection = RawConnection.open(endpoint)) {
            connection.write(request.withUnframedBody(new byte[999]));
        }

        assertRefused(404, "NoSuchKey", () -> get(bucket, "short"));
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_storage_class_is_kept_and_an_unknown_one_refused() {
        String bucket = newBucket();
        s3.putObject(
                request -> request.bucket(bucket).key("ia").storageClass("STANDARD_IA"), RequestBody.fromString("x"));
        put(bucket, "standard", "x");

        assertThat(s3.headObject(request -> request.bucket(bucket).key("ia")).storageClassAsString())
                .isEqualTo("STANDARD_IA");
        assertThat(s3.headObject(request -> request.bucket(bucket).key("standard"))
                        .storageClassAsString())
                .as("S3 does not say STANDARD")
                .isNull();
        assertRefused(
                400,
                "InvalidStorageClass",
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("bad").storageClass("LUKEWARM"),
                        RequestBody.fromString("x")));
    }

    @Test
    void tags_given_with_a_put_are_counted() {
        String bucket = newBucket();
        s3.putObject(
                request -> request.bucket(bucket).key("tagged").tagging("project=headgate&stage=one%20two"),
                RequestBody.fromString("x"));

        assertThat(s3.getObjectAsBytes(request -> request.bucket(bucket).key("tagged"))
                        .response()
                        .tagCount())
                .isEqualTo(2);
    }
}
