package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways to sign a body, each right and tampered with. */
class PayloadModesTest extends S3Test {
    private static final byte[] BODY = bytes(41, 200_000);
    private static final String CRC32 = Algorithm.CRC32.base64(BODY);
    private String bucket;
    private Signer signer;

    @BeforeEach
    void putAnOldVersion() {
        bucket = newBucket();
        signer = Signer.of(endpoint);
        put(bucket, "key", "as it was");
    }

    private RawRequest putKey() {
        return RawRequest.of("PUT", "/" + bucket + "/key");
    }

    private void assertTaken(RawRequest request) {
        RawConnection.send(endpoint, request).assertStatus(200);
        assertThat(get(bucket, "key")).isEqualTo(BODY);
        assertThat(s3.headObject(head -> head.bucket(bucket).key("key")).contentEncoding())
                .isNull();
    }

    private void assertRefusedUnchanged(int status, String code, RawRequest request) {
        RawConnection.send(endpoint, request).assertError(status, code);
        assertThat(getString(bucket, "key")).isEqualTo("as it was");
    }

    @Test
    void a_body_signed_by_its_hash() {
        RawRequest signed = signer.sign(putKey().withBody(BODY));
        assertTaken(signed);
    }

    @Test
    void a_body_that_differs_from_its_signed_hash_is_refused() {
        RawRequest signed = signer.sign(putKey().withBody(BODY));
        byte[] other = BODY.clone();
        other[other.length - 1] ^= 1;

        assertRefusedUnchanged(400, "XAmzContentSHA256Mismatch", signed.withUnframedBody(other));
    }

    @Test
    void an_unsigned_body() {
        assertTaken(signer.sign(putKey().withBody(BODY), Signer.UNSIGNED));
    }

    @ParameterizedTest
    @ValueSource(ints = {8192, 65_536, 65_537, 1_000_000})
    void signed_chunks(int chunkSize) {
        assertTaken(signer.signChunks(putKey(), BODY, chunkSize));
    }

    @Test
    void signed_chunks_of_an_empty_body() {
        RawConnection.send(endpoint, signer.signChunks(putKey(), new byte[0], 8192))
                .assertStatus(200);

        assertThat(get(bucket, "key")).isEmpty();
    }

    @Test
    void chunks_inside_http_chunks() {
        RawRequest framed = signer.unsignedChunks(putKey(), BODY, 65_536, "x-amz-checksum-crc32", CRC32);
        RawRequest head = signer.sign(
                putKey().with("Content-Encoding", "aws-chunked")
                        .with("x-amz-decoded-content-length", Integer.toString(BODY.length))
                        .with("x-amz-trailer", "x-amz-checksum-crc32"),
                Signer.UNSIGNED_CHUNKS_TRAILER);

        assertTaken(head.withChunkedBody(framed.body(), 10_000));
    }

    @Test
    void a_chunk_that_was_changed_is_refused() {
        RawRequest signed = signer.signChunks(putKey(), BODY, 65_536);
        for (int position : new int[] {1000, signed.body().length / 2, signed.body().length - 1000}) {
            byte[] tampered = signed.body().clone();
            tampered[position] ^= 1;

            assertRefusedUnchanged(403, "SignatureDoesNotMatch", signed.withUnframedBody(tampered));
        }
    }

    @Test
    void chunks_that_were_exchanged_are_refused() {
        byte[] same = new byte[20_000];
        Arrays.fill(same, 0, 10_000, (byte) 1);
        RawRequest signed = signer.signChunks(putKey(), same, 10_000);
        byte[] body = signed.body();
        int chunk = (body.length - lastChunkLength()) / 2;
        byte[] exchanged = body.clone();
        System.arraycopy(body, 0, exchanged, chunk, chunk);
        System.arraycopy(body, chunk, exchanged, 0, chunk);

        assertRefusedUnchanged(403, "SignatureDoesNotMatch", signed.withUnframedBody(exchanged));
    }

    private static int lastChunkLength() {
        return "0;chunk-signature=".length() + 64 + "\r\n\r\n".length();
    }

    @Test
    void a_trailer_whose_signature_is_wrong_is_refused() {
        RawRequest signed = signer.signChunks(putKey(), BODY, 65_536, "x-amz-checksum-crc32", CRC32);
        byte[] tampered = signed.body().clone();
        int lastDigit = tampered.length - 5;
        tampered[lastDigit] = (byte) (tampered[lastDigit] == '0' ? '1' : '0');

        assertRefusedUnchanged(403, "SignatureDoesNotMatch", signed.withUnframedBody(tampered));
    }

    @Test
    void signed_and_unsigned_chunks_with_a_trailer() {
        assertTaken(signer.signChunks(putKey(), BODY, 65_536, "x-amz-checksum-crc32", CRC32));
        assertTaken(signer.unsignedChunks(putKey(), BODY, 65_536, "x-amz-checksum-crc32", CRC32));
    }

    @ParameterizedTest
    @CsvSource({"199999", "200001", "0"})
    void a_decoded_length_that_is_not_the_bodys_is_refused(String decodedLength) {
        RawRequest framed = signer.unsignedChunks(putKey(), BODY, 65_536, "x-amz-checksum-crc32", CRC32);
        RawRequest head = signer.sign(
                putKey().with("Content-Encoding", "aws-chunked")
                        .with("x-amz-decoded-content-length", decodedLength)
                        .with("x-amz-trailer", "x-amz-checksum-crc32")
                        .with("Content-Length", Integer.toString(framed.body().length)),
                Signer.UNSIGNED_CHUNKS_TRAILER);

        RawResponse refused = RawConnection.send(endpoint, head.withUnframedBody(framed.body()));

        assertThat(refused.status()).as("%s", refused).isEqualTo(400);
        assertThat(getString(bucket, "key")).isEqualTo("as it was");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zz\r\n",
                "-5\r\nhello\r\n0\r\n\r\n",
                "ffffffffffffffffff\r\n",
                "5;chunk-signature=0\r\nhello\r\n",
                "5\r\nhelloXX0\r\n\r\n",
                "",
                "5\r\nhel"
            })
    void chunks_that_make_no_sense_are_refused(String nonsense) {
        byte[] body = nonsense.getBytes(StandardCharsets.US_ASCII);
        RawRequest head = signer.sign(
                putKey().with("Content-Encoding", "aws-chunked")
                        .with("x-amz-decoded-content-length", "5")
                        .with("x-amz-trailer", "x-amz-checksum-crc32")
                        .with("Content-Length", Integer.toString(body.length)),
                Signer.UNSIGNED_CHUNKS_TRAILER);

        RawResponse refused = RawConnection.send(endpoint, head.withUnframedBody(body));

        assertThat(refused.status()).as("%s", refused).isIn(400, 403);
        assertThat(getString(bucket, "key")).isEqualTo("as it was");
    }

    @Test
    void an_unknown_payload_mode_is_refused() {
        RawResponse refused =
                RawConnection.send(endpoint, signer.sign(putKey().withBody(BODY), "STREAMING-SOMETHING-NEW"));

        assertThat(refused.status()).as("%s", refused).isIn(400, 501);
        assertThat(getString(bucket, "key")).isEqualTo("as it was");
    }
}
