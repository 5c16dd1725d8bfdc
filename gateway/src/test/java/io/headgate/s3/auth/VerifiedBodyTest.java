package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ChecksumDigest;
import io.headgate.http.RequestHead;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class VerifiedBodyTest {
    private static final byte[] HELLO = "hello".getBytes(ISO_8859_1);
    private static final String MD5_OF_HELLO = "5d41402abc4b2a76b9719d911017c592";
    private static final String SHA256_OF_HELLO = TestSigner.hex(TestSigner.sha256(HELLO));
    private static final Payload PLAIN = new Payload.Unsigned();
    private static final Payload CHUNKED = new Payload.UnsignedChunks();

    @Test
    void the_md5_and_the_checksum_asked_for_are_computed_on_the_way() throws IOException {
        VerifiedBody body = plain(PLAIN, HELLO, ChecksumAlgorithm.CRC64NVME);
        assertThat(body.lengthBytes()).isEqualTo(5);
        assertThat(body.readAllBytes()).isEqualTo(HELLO);
        assertThat(body.md5()).isEqualTo(MD5_OF_HELLO);
        assertThat(body.checksum()).contains(Checksum.full(ChecksumAlgorithm.CRC64NVME, crc64(HELLO)));
        assertThat(body.read()).isEqualTo(-1);
    }

    @Test
    void no_checksum_is_computed_unless_sent_or_asked_for() throws IOException {
        VerifiedBody body = plain(PLAIN, HELLO, null);
        assertThat(body.readAllBytes()).isEqualTo(HELLO);
        assertThat(body.checksum()).isEmpty();
    }

    @Test
    void all_is_verified_by_the_read_that_reaches_the_last_byte() throws IOException {
        VerifiedBody right = plain(PLAIN, HELLO, null);
        assertThat(right.read(new byte[4])).isEqualTo(4);
        assertThatIllegalStateException().isThrownBy(right::md5);
        assertThatIllegalStateException().isThrownBy(right::checksum);
        assertThat(right.read()).isEqualTo('o');
        assertThat(right.md5()).isEqualTo(MD5_OF_HELLO);

        VerifiedBody wrong = plain(PLAIN, "hellO".getBytes(ISO_8859_1), null, "content-md5: XUFAKrxLKna5cZ2REBfFkg==");
        assertThat(wrong.read(new byte[4])).isEqualTo(4);
        assertThat(error(wrong)).isEqualTo(S3Error.BAD_DIGEST);
        assertThat(error(wrong)).isEqualTo(S3Error.BAD_DIGEST);
        assertThatIllegalStateException().isThrownBy(wrong::md5);
    }

    @Test
    void a_single_byte_more_cannot_be_read_than_was_announced() throws IOException {
        VerifiedBody body = new VerifiedBody(
                BodyClaims.of(head(), PLAIN, OptionalLong.of(4)), new ByteArrayInputStream(HELLO), null);
        assertThat(error(body)).isEqualTo(S3Error.INCOMPLETE_BODY);
    }

    @Test
    void a_body_that_ends_early_is_incomplete() {
        VerifiedBody body = new VerifiedBody(
                BodyClaims.of(head(), PLAIN, OptionalLong.of(6)), new ByteArrayInputStream(HELLO), null);
        assertThat(error(body)).isEqualTo(S3Error.INCOMPLETE_BODY);
    }

    @Test
    void an_empty_body_is_verified_when_finished() throws IOException {
        VerifiedBody body = plain(PLAIN, new byte[0], ChecksumAlgorithm.SHA1);
        body.finish();
        body.finish();
        assertThat(body.md5()).isEqualTo("d41d8cd98f00b204e9800998ecf8427e");
        assertThat(body.checksum().orElseThrow().base64()).isEqualTo("2jmj7l5rSw0yVb/vlWAYkK/YBwk=");

        VerifiedBody wrong = plain(new Payload.Sha256(SHA256_OF_HELLO), new byte[0], null);
        assertThat(catchThrowableOfType(S3BodyException.class, wrong::finish).error())
                .isEqualTo(S3Error.X_AMZ_CONTENT_SHA256_MISMATCH);
    }

    @Test
    void finishing_reads_what_is_left() throws IOException {
        VerifiedBody body = plain(PLAIN, new byte[100_000], null);
        assertThat(body.read()).isZero();
        body.finish();
        assertThat(body.md5()).isEqualTo("0019d23bef56a136a1891211d7007f6f");
    }

    @ParameterizedTest
    @EnumSource
    void a_checksum_in_the_header_is_verified(ChecksumAlgorithm algorithm) throws IOException {
        String right = base64(algorithm, HELLO);
        VerifiedBody body = plain(PLAIN, HELLO, ChecksumAlgorithm.CRC64NVME, algorithm.header() + ": " + right);
        assertThat(body.readAllBytes()).isEqualTo(HELLO);
        assertThat(body.checksum()).contains(new Checksum(algorithm, Checksum.Type.FULL_OBJECT, right));

        String wrong = base64(algorithm, new byte[1]);
        assertThat(error(plain(PLAIN, HELLO, null, algorithm.header() + ": " + wrong)))
                .isEqualTo(S3Error.BAD_DIGEST);
    }

    @ParameterizedTest
    @EnumSource
    void a_checksum_in_the_trailer_is_verified(ChecksumAlgorithm algorithm) throws IOException {
        String right = base64(algorithm, HELLO);
        String announced = "x-amz-trailer: " + algorithm.header();
        VerifiedBody body = chunked("5\r\nhello\r\n0\r\n" + algorithm.header() + ":" + right + "\r\n\r\n", announced);
        assertThat(body.readNBytes(5)).isEqualTo(HELLO);
        assertThat(body.checksum()).contains(new Checksum(algorithm, Checksum.Type.FULL_OBJECT, right));
        assertThat(body.md5()).isEqualTo(MD5_OF_HELLO);

        String wrong = base64(algorithm, new byte[1]);
        assertThat(error(chunked("5\r\nhello\r\n0\r\n" + algorithm.header() + ":" + wrong + "\r\n\r\n", announced)))
                .isEqualTo(S3Error.BAD_DIGEST);
    }

    @Test
    void a_trailer_that_is_missing_malformed_unannounced_or_repeated_is_refused() {
        String announced = "x-amz-trailer: x-amz-checksum-crc32";
        String right = "x-amz-checksum-crc32:" + base64(ChecksumAlgorithm.CRC32, HELLO) + "\r\n";
        String body = "5\r\nhello\r\n0\r\n";
        assertThat(error(chunked(body + "\r\n", announced))).isEqualTo(S3Error.MALFORMED_TRAILER);
        assertThat(error(chunked(body + right + "\r\n"))).isEqualTo(S3Error.MALFORMED_TRAILER);
        assertThat(error(chunked(body + right + right + "\r\n", announced))).isEqualTo(S3Error.MALFORMED_TRAILER);
        assertThat(error(chunked(body + "x-amz-checksum-sha1:" + base64(ChecksumAlgorithm.SHA1, HELLO), announced)))
                .isEqualTo(S3Error.MALFORMED_TRAILER);
        assertThat(error(chunked(body + "x-amz-checksum-crc32:AAAA\r\n\r\n", announced)))
                .isEqualTo(S3Error.INVALID_REQUEST);
        assertThat(error(chunked(body + "\r\n"))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x-amz-checksum-sha256"})
    void a_signed_hash_is_verified_alone_or_as_the_checksum(String alsoChecksum) throws IOException {
        String[] headers = alsoChecksum.isEmpty()
                ? new String[0]
                : new String[] {alsoChecksum + ": " + base64(ChecksumAlgorithm.SHA256, HELLO)};
        for (String hex : List.of(SHA256_OF_HELLO, SHA256_OF_HELLO.toUpperCase(Locale.ROOT))) {
            VerifiedBody body = plain(new Payload.Sha256(hex), HELLO, null, headers);
            assertThat(body.readAllBytes()).isEqualTo(HELLO);
            assertThat(body.checksum().isPresent()).isEqualTo(headers.length > 0);
        }
        assertThat(error(plain(new Payload.Sha256(TestSigner.SHA256_OF_NOTHING), HELLO, null, headers)))
                .isEqualTo(S3Error.X_AMZ_CONTENT_SHA256_MISMATCH);
    }

    @Test
    void signed_chunks_are_verified_with_their_trailer() throws IOException {
        TestSigner signer = new TestSigner();
        RequestHead.Field length = new RequestHead.Field("x-amz-decoded-content-length", "5");
        RequestHead.Field trailer = new RequestHead.Field("x-amz-trailer", "x-amz-checksum-crc32");
        RequestHead head = signer.header("PUT", "/b/k", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", length, trailer);
        byte[] sent = signer.chunked(
                head, List.of(HELLO), "x-amz-checksum-crc32:" + base64(ChecksumAlgorithm.CRC32, HELLO) + "\n");
        SigV4 sigV4 =
                new SigV4("us-east-1", key -> new Credential(key, TestSigner.SECRET, "alice", "Alice"), any -> "");
        Payload payload = ((Authentication.Verified)
                        TestSigner.authenticate(sigV4, head, Instant.parse("2026-11-30T12:00:00Z")))
                .payload();
        BodyClaims claims = BodyClaims.of(head, payload, OptionalLong.of(sent.length));
        VerifiedBody body = new VerifiedBody(claims, new ByteArrayInputStream(sent), null);
        assertThat(body.readAllBytes()).isEqualTo(HELLO);

        sent[sent.length - 5] ^= 1;
        assertThat(error(new VerifiedBody(claims, new ByteArrayInputStream(sent), null)))
                .isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void a_failure_of_the_source_is_passed_on_and_may_be_repeated() {
        IOException broken = new IOException("broken");
        InputStream source = new InputStream() {
            @Override
            public int read() throws IOException {
                throw broken;
            }
        };
        VerifiedBody body = new VerifiedBody(BodyClaims.of(head(), PLAIN, OptionalLong.of(4)), source, null);
        assertThat(catchThrowableOfType(IOException.class, () -> body.read(new byte[4])))
                .isSameAs(broken);
        assertThatIllegalStateException().isThrownBy(body::md5);
    }

    private static VerifiedBody plain(Payload payload, byte[] sent, ChecksumAlgorithm unasked, String... headers) {
        return new VerifiedBody(
                BodyClaims.of(head(headers), payload, OptionalLong.of(sent.length)),
                new ByteArrayInputStream(sent),
                unasked);
    }

    /** A chunked body that should decode to five bytes. */
    private static VerifiedBody chunked(String sent, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        all.add("x-amz-decoded-content-length: 5");
        return new VerifiedBody(
                BodyClaims.of(head(all.toArray(String[]::new)), CHUNKED, OptionalLong.of(sent.length())),
                new ByteArrayInputStream(sent.getBytes(ISO_8859_1)),
                null);
    }

    private static RequestHead head(String... headers) {
        List<RequestHead.Field> fields = new ArrayList<>();
        for (String header : headers) {
            String[] parts = header.split(": ", 2);
            fields.add(new RequestHead.Field(parts[0], parts[1]));
        }
        return new RequestHead("PUT", "/b/k", fields, "");
    }

    private static S3Error error(VerifiedBody body) {
        S3BodyException thrown = catchThrowableOfType(S3BodyException.class, body::readAllBytes);
        return thrown == null ? null : thrown.error();
    }

    private static String base64(ChecksumAlgorithm algorithm, byte[] bytes) {
        ChecksumDigest digest = ChecksumDigest.of(algorithm);
        digest.update(bytes, 0, bytes.length);
        return Base64.getEncoder().encodeToString(digest.value());
    }

    private static byte[] crc64(byte[] bytes) {
        ChecksumDigest digest = ChecksumDigest.of(ChecksumAlgorithm.CRC64NVME);
        digest.update(bytes, 0, bytes.length);
        return digest.value();
    }
}
