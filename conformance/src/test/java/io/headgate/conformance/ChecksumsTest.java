package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/** Checksums of single puts: verified before the object exists, kept, and told on demand. */
class ChecksumsTest extends S3Test {
    private static final byte[] BODY = bytes(31, 100_000);
    private String bucket;
    private Signer signer;

    @BeforeEach
    void createBucket() {
        bucket = newBucket();
        signer = Signer.of(endpoint);
    }

    private RawRequest putKey() {
        return RawRequest.of("PUT", "/" + bucket + "/key");
    }

    private RawResponse head() {
        return RawConnection.send(
                endpoint,
                signer.sign(RawRequest.of("HEAD", "/" + bucket + "/key").with("x-amz-checksum-mode", "ENABLED")));
    }

    private void assertKept(Algorithm algorithm) {
        RawResponse head = head().assertStatus(200);
        assertThat(head.header(algorithm.header())).as("%s", head).contains(algorithm.base64(BODY));
        assertThat(head.header("x-amz-checksum-type")).contains("FULL_OBJECT");
        assertThat(get(bucket, "key")).isEqualTo(BODY);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void a_checksum_in_a_header_is_verified_answered_and_kept(Algorithm algorithm) {
        RawResponse put = RawConnection.send(
                endpoint, signer.sign(putKey().withBody(BODY).with(algorithm.header(), algorithm.base64(BODY))));

        assertThat(put.assertStatus(200).header(algorithm.header())).contains(algorithm.base64(BODY));
        assertKept(algorithm);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void a_checksum_in_a_trailer_is_verified_answered_and_kept(Algorithm algorithm) {
        RawResponse put = RawConnection.send(
                endpoint, signer.unsignedChunks(putKey(), BODY, 8192, algorithm.header(), algorithm.base64(BODY)));

        assertThat(put.assertStatus(200).header(algorithm.header())).contains(algorithm.base64(BODY));
        assertKept(algorithm);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void a_checksum_in_a_signed_trailer_is_verified_answered_and_kept(Algorithm algorithm) {
        RawResponse put = RawConnection.send(
                endpoint, signer.signChunks(putKey(), BODY, 8192, algorithm.header(), algorithm.base64(BODY)));

        assertThat(put.assertStatus(200).header(algorithm.header())).contains(algorithm.base64(BODY));
        assertKept(algorithm);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void a_wrong_checksum_is_refused_and_the_object_unchanged(Algorithm algorithm) {
        put(bucket, "key", "as it was");
        String wrong = algorithm.base64(new byte[] {1, 2, 3});

        RawConnection.send(endpoint, signer.sign(putKey().withBody(BODY).with(algorithm.header(), wrong)))
                .assertError(400, "BadDigest");
        RawConnection.send(endpoint, signer.unsignedChunks(putKey(), BODY, 8192, algorithm.header(), wrong))
                .assertError(400, "BadDigest");
        RawConnection.send(endpoint, signer.signChunks(putKey(), BODY, 8192, algorithm.header(), wrong))
                .assertError(400, "BadDigest");

        assertThat(getString(bucket, "key")).isEqualTo("as it was");
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void a_checksum_that_is_none_is_refused(Algorithm algorithm) {
        for (String nonsense :
                new String[] {"AAAA", "not base64!", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}) {
            RawResponse refused = RawConnection.send(
                    endpoint, signer.sign(putKey().withBody(BODY).with(algorithm.header(), nonsense)));

            refused.assertError(400, List.of("BadDigest", "InvalidRequest", "InvalidDigest", "InvalidArgument"));
        }
        assertRefused(404, "NoSuchKey", () -> get(bucket, "key"));
    }

    @Test
    void two_checksums_of_different_algorithms_are_refused() {
        RawRequest request = putKey().withBody(BODY)
                .with(Algorithm.CRC32.header(), Algorithm.CRC32.base64(BODY))
                .with(Algorithm.SHA1.header(), Algorithm.SHA1.base64(BODY));

        RawConnection.send(endpoint, signer.sign(request)).assertError(400, "InvalidRequest");
    }

    @Test
    void a_trailer_that_was_announced_and_never_came_is_refused() {
        RawRequest framed =
                signer.unsignedChunks(putKey(), BODY, 8192, "x-amz-checksum-crc32", Algorithm.CRC32.base64(BODY));
        String text = new String(framed.body(), StandardCharsets.ISO_8859_1);
        int end = text.lastIndexOf("x-amz-checksum-crc32");
        byte[] cut = (text.substring(0, end) + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
        RawRequest announced = signer.sign(
                putKey().with("x-amz-trailer", "x-amz-checksum-crc32")
                        .with("Content-Encoding", "aws-chunked")
                        .with("x-amz-decoded-content-length", Integer.toString(BODY.length))
                        .with("Content-Length", Integer.toString(cut.length)),
                Signer.UNSIGNED_CHUNKS_TRAILER);

        RawResponse refused = RawConnection.send(endpoint, announced.withUnframedBody(cut));

        assertThat(refused.status()).as("%s", refused).isEqualTo(400);
        assertRefused(404, "NoSuchKey", () -> get(bucket, "key"));
    }

    @Test
    void checksums_are_told_only_on_demand() {
        s3.putObject(
                request -> request.bucket(bucket).key("key").checksumAlgorithm("SHA256"), RequestBody.fromBytes(BODY));

        RawResponse silent = RawConnection.send(endpoint, signer.sign(RawRequest.of("GET", "/" + bucket + "/key")));
        RawResponse telling = RawConnection.send(
                endpoint,
                signer.sign(RawRequest.of("GET", "/" + bucket + "/key").with("x-amz-checksum-mode", "ENABLED")));

        assertThat(silent.header("x-amz-checksum-sha256")).isEmpty();
        assertThat(telling.header("x-amz-checksum-sha256")).contains(Algorithm.SHA256.base64(BODY));
    }

    @Test
    void the_checksum_of_the_whole_is_not_told_with_a_range() {
        s3.putObject(
                request -> request.bucket(bucket).key("key").checksumAlgorithm("CRC32"), RequestBody.fromBytes(BODY));

        ResponseBytes<GetObjectResponse> part = s3.getObjectAsBytes(
                request -> request.bucket(bucket).key("key").range("bytes=0-9").checksumMode("ENABLED"));

        assertThat(part.asByteArray()).hasSize(10);
        assertThat(part.response().checksumCRC32()).isNull();
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void each_clients_default_checksum_arrives(ClientKind kind) {
        S3Client client = kind.client();

        client.putObject(request -> request.bucket(bucket).key("key"), RequestBody.fromBytes(BODY));
        client.putObject(request -> request.bucket(bucket).key("empty"), RequestBody.empty());

        assertThat(s3.getObjectAsBytes(
                                request -> request.bucket(bucket).key("key").checksumMode("ENABLED"))
                        .response()
                        .checksumCRC32())
                .isEqualTo(Algorithm.CRC32.base64(BODY));
        assertThat(get(bucket, "key")).isEqualTo(BODY);
        assertThat(get(bucket, "empty")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void every_client_computes_and_verifies_every_algorithm(Algorithm algorithm) {
        for (ClientKind kind : ClientKind.values()) {
            PutObjectResponse put = kind.client()
                    .putObject(
                            request -> request.bucket(bucket).key("key").checksumAlgorithm(algorithm.sdk()),
                            RequestBody.fromBytes(BODY));
            byte[] got = kind.client()
                    .getObjectAsBytes(
                            request -> request.bucket(bucket).key("key").checksumMode("ENABLED"))
                    .asByteArray();

            assertThat(put.eTag()).isNotBlank();
            assertThat(got).isEqualTo(BODY);
            assertKept(algorithm);
        }
    }

    @Test
    void an_object_put_without_a_checksum_has_one_computed_or_none_but_never_a_wrong_one() {
        RawConnection.send(endpoint, signer.sign(putKey().withBody(BODY))).assertStatus(200);

        RawResponse head = head();

        // S3 computes a CRC64NVME of its own.
        assertThat(head.header("x-amz-checksum-crc64nvme").orElse(Algorithm.CRC64NVME.base64(BODY)))
                .isEqualTo(Algorithm.CRC64NVME.base64(BODY));
        assertThat(get(bucket, "key")).isEqualTo(BODY);
    }

    @Test
    void a_content_md5_is_verified() {
        String right = Base64.getEncoder().encodeToString(Algorithm.hash("MD5", BODY));
        String wrong = Base64.getEncoder().encodeToString(Algorithm.hash("MD5", new byte[0]));

        RawConnection.send(endpoint, signer.sign(putKey().withBody(BODY).with("Content-MD5", wrong)))
                .assertError(400, "BadDigest");
        assertRefused(404, "NoSuchKey", () -> get(bucket, "key"));
        RawConnection.send(endpoint, signer.sign(putKey().withBody(BODY).with("Content-MD5", right)))
                .assertStatus(200);
        assertThat(get(bucket, "key")).isEqualTo(BODY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"YWJyYWNhZGFicmE=", "no base64 at all", "AAAA"})
    void a_content_md5_that_is_none_is_refused(String nonsense) {
        RawConnection.send(endpoint, signer.sign(putKey().withBody(BODY).with("Content-MD5", nonsense)))
                .assertError(400, "InvalidDigest");
    }
}
