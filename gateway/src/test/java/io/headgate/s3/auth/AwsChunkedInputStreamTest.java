package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.http.RequestHead;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AwsChunkedInputStreamTest {
    private static final String SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
    private static final String SIGNED_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
    private static final String TRAILER = "x-amz-checksum-crc32:AAAAAA==\n";

    private final TestSigner signer = new TestSigner();
    private final SigV4 sigV4 = new SigV4(
            "us-east-1", accessKey -> new Credential(accessKey, TestSigner.SECRET, "alice", "Alice"), any -> "");

    @Test
    void chunks_are_joined_whatever_the_sizes_of_reads_at_either_side() throws IOException {
        byte[] content = random(3000);
        List<byte[]> chunks = List.of(slice(content, 0, 1), slice(content, 1, 700), slice(content, 700, 3000));
        RequestHead head = signer.header("PUT", "/b/k", SIGNED_TRAILER);
        byte[] body = signer.chunked(head, chunks, TRAILER);
        for (int sourceReads : new int[] {1, 2, 3, 7, 64, 500, 511, 512, 513, 4000}) {
            for (int callerReads : new int[] {1, 2, 3, 511, 512, 513, 699, 700, 2999, 3000, 3001}) {
                InputStream source = new Trickle(body, sourceReads);
                AwsChunkedInputStream stream = signed(head, source, 3000, true);
                assertThat(readInPieces(stream, callerReads))
                        .as("reads of %d, then %d", sourceReads, callerReads)
                        .isEqualTo(content);
                assertThat(stream.trailers())
                        .containsExactly(new RequestHead.Field("x-amz-checksum-crc32", "AAAAAA=="));
            }
        }
    }

    @Test
    void a_body_split_in_two_at_any_byte_is_read_right() throws IOException {
        RequestHead head = signer.header("PUT", "/b/k", SIGNED_TRAILER);
        byte[] body =
                signer.chunked(head, List.of("hello ".getBytes(ISO_8859_1), "world".getBytes(ISO_8859_1)), TRAILER);
        for (int split = 1; split < body.length; split++) {
            AwsChunkedInputStream stream = signed(head, new SplitOnce(body, split), 11, true);
            assertThat(stream.readAllBytes())
                    .as("split at %d", split)
                    .asString(ISO_8859_1)
                    .isEqualTo("hello world");
            assertThat(stream.trailers()).hasSize(1);
        }
    }

    @Test
    void a_read_fills_the_array_across_chunks() throws IOException {
        AwsChunkedInputStream stream = unsigned("1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\n\r\n", 6);
        byte[] bytes = new byte[5];
        assertThat(stream.read(bytes, 0, 5)).isEqualTo(5);
        assertThat(new String(bytes, ISO_8859_1)).isEqualTo("abcde");
        assertThat(stream.read(bytes, 0, 5)).isEqualTo(1);
        assertThat(stream.read(bytes, 0, 5)).isEqualTo(-1);
        assertThat(stream.read(bytes, 0, 0)).isZero();
        assertThat(stream.read()).isEqualTo(-1);
    }

    @Test
    void a_body_may_be_empty() throws IOException {
        RequestHead head = signer.header("PUT", "/b/k", SIGNED);
        assertThat(signed(head, new ByteArrayInputStream(signer.chunked(head, List.of(), null)), 0, false)
                        .readAllBytes())
                .isEmpty();
        assertThat(unsigned("0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", 0).readAllBytes())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "3\r\nabc\r\n0\r\n\r\n",
                "3\r\nabc\r\n0\r\n",
                "3\r\nabc\r\n0",
                "3\nabc\n0\n\n",
                "3\r\nabc\r\n0\r\n\r\n\r\n",
                "003\r\nabc\r\n000\r\n\r\n",
                "3;chunk-signature=ignored\r\nabc\r\n0;x=y\r\n\r\n",
            })
    void line_ends_may_lack_or_abound(String body) throws IOException {
        AwsChunkedInputStream stream = unsigned(body, 3);
        assertThat(stream.readAllBytes()).asString(ISO_8859_1).isEqualTo("abc");
        assertThat(stream.trailers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-amz-checksum-crc32:AAAAAA==\r\n\r\n",
                "x-amz-checksum-crc32:AAAAAA==\n\r\n\r\n",
                "X-Amz-Checksum-Crc32 :  AAAAAA== \r\n",
                "x-amz-checksum-crc32:AAAAAA==",
            })
    void trailers_vary_in_case_spaces_and_line_ends(String trailer) throws IOException {
        AwsChunkedInputStream stream = unsigned("1\r\na\r\n0\r\n" + trailer, 1);
        assertThat(stream.readAllBytes()).hasSize(1);
        assertThat(stream.trailers()).containsExactly(new RequestHead.Field("x-amz-checksum-crc32", "AAAAAA=="));
    }

    @Test
    void a_blank_line_may_stand_before_a_trailer_s_signature() throws IOException {
        RequestHead head = signer.header("PUT", "/b/k", SIGNED_TRAILER);
        String body = new String(signer.chunked(head, List.of(), TRAILER), ISO_8859_1)
                .replace("==\r\nx-amz-trailer", "==\n\r\nx-amz-trailer");
        AwsChunkedInputStream stream = signed(head, stream(body), 0, true);
        assertThat(stream.readAllBytes()).isEmpty();
        assertThat(stream.trailers()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"0, content of the first chunk", "1, content of the second chunk", "2, trailer"})
    void a_change_to_what_is_signed_is_noticed(int what, String ignored) {
        RequestHead head = signer.header("PUT", "/b/k", SIGNED_TRAILER);
        String body = new String(
                signer.chunked(head, List.of("hello ".getBytes(ISO_8859_1), "world".getBytes(ISO_8859_1)), TRAILER),
                ISO_8859_1);
        String[] from = {"hello", "world", "AAAAAA=="};
        String[] to = {"hellO", "worlD", "AAAAAQ=="};
        assertThat(failure(() -> signed(head, stream(body.replace(from[what], to[what])), 11, true)))
                .isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void chunks_in_another_order_repeated_or_left_out_are_noticed() {
        RequestHead head = signer.header("PUT", "/b/k", SIGNED);
        String body = new String(
                signer.chunked(head, List.of("aaaa".getBytes(ISO_8859_1), "bbbb".getBytes(ISO_8859_1)), null),
                ISO_8859_1);
        int second = body.indexOf("4;", 2);
        int last = body.indexOf("0;chunk", second);
        String a = body.substring(0, second);
        String b = body.substring(second, last);
        String end = body.substring(last);
        assertThat(failure(() -> signed(head, stream(b + a + end), 8, false)))
                .isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
        assertThat(failure(() -> signed(head, stream(a + a + end), 8, false)))
                .isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
        assertThat(failure(() -> signed(head, stream(a + end), 4, false))).isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
        assertThat(failure(() -> signed(head, stream(a + b + end), 8, false))).isNull();
    }

    @Test
    void the_signatures_of_another_request_are_refused() {
        RequestHead head = signer.header("PUT", "/b/k", SIGNED);
        RequestHead other = signer.header("PUT", "/b/other", SIGNED);
        byte[] body = signer.chunked(other, List.of(random(10)), null);
        assertThat(failure(() -> signed(head, new ByteArrayInputStream(body), 10, false)))
                .isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void a_signed_chunk_without_a_signature_or_a_signed_trailer_without_one_is_malformed() {
        RequestHead head = signer.header("PUT", "/b/k", SIGNED_TRAILER);
        assertThat(failure(() -> signed(head, stream("1\r\na\r\n0\r\n\r\n"), 1, true)))
                .isEqualTo(S3Error.INVALID_REQUEST);
        assertThat(failure(() -> signed(head, stream("1;chunk-signature=12\r\na\r\n0\r\n\r\n"), 1, true)))
                .isEqualTo(S3Error.INVALID_REQUEST);
        String body = new String(signer.chunked(head, List.of(), TRAILER), ISO_8859_1);
        String cut = body.substring(0, body.indexOf("x-amz-trailer-signature"));
        assertThat(failure(() -> signed(head, stream(cut), 0, true))).isEqualTo(S3Error.MALFORMED_TRAILER);
    }

    @ParameterizedTest
    @CsvSource({
        "'', INCOMPLETE_BODY",
        "'3', INCOMPLETE_BODY",
        "'3\r\nab', INCOMPLETE_BODY",
        "'3\r\nabc', INVALID_REQUEST",
        "'3\r\nabc\r\n', INCOMPLETE_BODY",
        "'2\r\nab\r\n0\r\n\r\n', INCOMPLETE_BODY",
        "'4\r\nabcd\r\n0\r\n\r\n', INCOMPLETE_BODY",
        "'2\r\nabc\r\n0\r\n\r\n', INVALID_REQUEST",
        "'3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n', INCOMPLETE_BODY",
        "'0\r\n\r\n', INCOMPLETE_BODY",
        "'\r\n3\r\nabc\r\n0\r\n\r\n', INVALID_REQUEST",
        "'g\r\nabc\r\n0\r\n\r\n', INVALID_REQUEST",
        "'-3\r\nabc\r\n0\r\n\r\n', INVALID_REQUEST",
        "'0x3\r\nabc\r\n0\r\n\r\n', INVALID_REQUEST",
        "' 3\r\nabc\r\n0\r\n\r\n', INVALID_REQUEST",
        "'fffffffffffffff\r\nabc\r\n0\r\n\r\n', INCOMPLETE_BODY",
        "'ffffffffffffffffffff\r\nabc\r\n0\r\n\r\n', INVALID_REQUEST",
        "'00000000000000003\r\nabc\r\n0\r\n\r\n', INVALID_REQUEST",
        "';x=y\r\nabc\r\n0\r\n\r\n', INVALID_REQUEST",
        "'3\r\nabc\r\n0\r\n\r\nmore', INVALID_REQUEST",
        "'3\r\nabc\r\n0\r\n\r\n\r\n\r\n\r\n', INVALID_REQUEST",
        "'3\r\nabc\r\n0\r\nno colon\r\n\r\n', MALFORMED_TRAILER",
        "'3\r\nabc\r\n0\r\n:value\r\n\r\n', MALFORMED_TRAILER",
    })
    void bad_framing_is_a_client_s_error(String body, S3Error error) {
        assertThat(failure(() -> unsigned(body, 3))).isEqualTo(error);
    }

    @Test
    void lines_and_trailers_are_bounded() {
        assertThat(failure(() -> unsigned("3;" + "x".repeat(600) + "\r\nabc\r\n0\r\n\r\n", 3)))
                .isEqualTo(S3Error.INVALID_REQUEST);
        assertThat(failure(() -> unsigned("3\r\nabc\r\n0\r\nx:" + "y".repeat(600) + "\r\n\r\n", 3)))
                .isEqualTo(S3Error.INVALID_REQUEST);
        assertThat(failure(() -> unsigned("3\r\nabc\r\n0\r\n" + "x:y\r\n".repeat(17) + "\r\n", 3)))
                .isEqualTo(S3Error.MALFORMED_TRAILER);
    }

    @Test
    void a_mode_without_a_trailer_takes_none() {
        RequestHead head = signer.header("PUT", "/b/k", SIGNED);
        String body = new String(signer.chunked(head, List.of(), null), ISO_8859_1).stripTrailing() + "\r\n";
        assertThat(failure(() -> signed(head, stream(body + "x-amz-checksum-crc32:AAAAAA==\r\n\r\n"), 0, false)))
                .isEqualTo(S3Error.INVALID_REQUEST);
    }

    private AwsChunkedInputStream signed(RequestHead head, InputStream source, long length, boolean hasTrailer) {
        Authentication.Verified verified =
                (Authentication.Verified) TestSigner.authenticate(sigV4, head, Instant.parse("2026-11-30T12:00:00Z"));
        Payload.SignedChunks payload = (Payload.SignedChunks) verified.payload();
        assertThat(payload.hasTrailer()).isEqualTo(hasTrailer);
        return new AwsChunkedInputStream(source, length, payload.signatures(), hasTrailer);
    }

    private static AwsChunkedInputStream unsigned(String body, long length) {
        return new AwsChunkedInputStream(stream(body), length, null, true);
    }

    private interface Opening {
        AwsChunkedInputStream open();
    }

    /** The error that reading to the end gives, or {@code null}. */
    private static S3Error failure(Opening opening) {
        S3BodyException thrown =
                catchThrowableOfType(S3BodyException.class, () -> opening.open().readAllBytes());
        return thrown == null ? null : thrown.error();
    }

    private static InputStream stream(String body) {
        return new ByteArrayInputStream(body.getBytes(ISO_8859_1));
    }

    private static byte[] readInPieces(InputStream in, int piece) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] bytes = new byte[piece + 2];
        for (int count = in.read(bytes, 1, piece); count >= 0; count = in.read(bytes, 1, piece)) {
            assertThat(count).isPositive();
            all.write(bytes, 1, count);
        }
        return all.toByteArray();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] slice(byte[] bytes, int begin, int end) {
        return Arrays.copyOfRange(bytes, begin, end);
    }

    /** Gives at most so many bytes a read. */
    private static final class Trickle extends InputStream {
        private final ByteArrayInputStream source;
        private final int most;

        Trickle(byte[] bytes, int most) {
            this.source = new ByteArrayInputStream(bytes);
            this.most = most;
        }

        @Override
        public int read() {
            return source.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            return source.read(bytes, offset, Math.min(length, most));
        }
    }

    /** Ends one read at a given position. */
    private static final class SplitOnce extends InputStream {
        private final ByteArrayInputStream source;
        private int untilSplit;

        SplitOnce(byte[] bytes, int split) {
            this.source = new ByteArrayInputStream(bytes);
            this.untilSplit = split;
        }

        @Override
        public int read() {
            untilSplit--;
            return source.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            int count = source.read(bytes, offset, untilSplit > 0 ? Math.min(length, untilSplit) : length);
            untilSplit -= count;
            return count;
        }
    }
}
