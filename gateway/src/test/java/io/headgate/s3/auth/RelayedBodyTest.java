package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ChecksumDigest;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RelayedBodyTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    private static final String TRAILER = "x-amz-checksum-crc32c";

    /** How a client frames and signs what it sends. */
    private enum Mode {
        UNSIGNED("UNSIGNED-PAYLOAD"),
        SHA256(""),
        SIGNED_CHUNKS("STREAMING-AWS4-HMAC-SHA256-PAYLOAD"),
        SIGNED_CHUNKS_AND_TRAILER("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"),
        CHUNKS_AND_TRAILER("STREAMING-UNSIGNED-PAYLOAD-TRAILER");

        private final String hash;

        Mode(String hash) {
            this.hash = hash;
        }

        boolean isTrailed() {
            return hash.endsWith("-TRAILER");
        }

        boolean isChunked() {
            return hash.startsWith("STREAMING");
        }
    }

    private record Sent(RequestHead head, Payload payload, byte[] body) {
        RelayedBody relayed() {
            OptionalLong length = OptionalLong.of(body.length);
            return RelayedBody.of(head, payload, length, new ByteArrayInputStream(body))
                    .orElseThrow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_arrives_at_the_other_gateway_is_what_the_client_sent(Mode mode) throws IOException {
        for (int length : new int[] {0, 1, 100_000}) {
            byte[] content = content(length);
            Sent sent = sent(mode, content, base64(content));
            RelayedBody relayed = sent.relayed();
            assertThat(relayed.lengthBytes()).isEqualTo(length);
            assertThat(relayed.isTrailed()).isEqualTo(mode.isTrailed());

            VerifiedBody arrived = arrived(sent, relayed, relayed);
            assertThat(arrived.readAllBytes()).isEqualTo(content);
            arrived.finish();

            assertThat(relayed.isEnded()).isTrue();
            assertThat(arrived.checksum().isPresent()).isEqualTo(mode.isTrailed());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 11, 12, 13, 14, 64, 1000})
    void it_can_be_read_in_pieces_of_any_size(int piece) throws IOException {
        byte[] content = content(3_000);
        Sent sent = sent(Mode.SIGNED_CHUNKS_AND_TRAILER, content, base64(content));
        RelayedBody relayed = sent.relayed();
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        byte[] buffer = new byte[piece];
        for (int count = relayed.read(buffer); count >= 0; count = relayed.read(buffer)) {
            frames.write(buffer, 0, count);
        }

        VerifiedBody arrived = arrived(sent, relayed, new ByteArrayInputStream(frames.toByteArray()));
        assertThat(arrived.readAllBytes()).isEqualTo(content);
    }

    @ParameterizedTest
    @EnumSource(names = {"SHA256", "SIGNED_CHUNKS", "SIGNED_CHUNKS_AND_TRAILER"})
    void content_that_is_not_what_was_signed_never_ends(Mode mode) {
        byte[] content = content(100_000);
        Sent sent = sent(mode, content, base64(content));
        int last = new String(sent.body, ISO_8859_1).indexOf(new String(content, 90_000, 100, ISO_8859_1));
        sent.body[last] ^= 1;

        RelayedBody relayed = sent.relayed();
        assertThat(error(relayed))
                .isEqualTo(
                        mode == Mode.SHA256 ? S3Error.X_AMZ_CONTENT_SHA256_MISMATCH : S3Error.SIGNATURE_DOES_NOT_MATCH);
        assertThat(relayed.isEnded()).isFalse();
        assertThat(error(relayed)).as("it stays wrong").isNotNull();
    }

    @Test
    void a_trailer_that_is_not_what_was_signed_never_comes() {
        byte[] content = content(10);
        Sent sent = sent(Mode.SIGNED_CHUNKS_AND_TRAILER, content, base64(content));
        sent.body[new String(sent.body, ISO_8859_1).indexOf(TRAILER) + TRAILER.length() + 2] ^= 1;

        RelayedBody relayed = sent.relayed();
        assertThat(error(relayed)).isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
        assertThat(relayed.isEnded()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_ends_early_never_ends(Mode mode) {
        byte[] content = content(1_000);
        Sent sent = sent(mode, content, base64(content));
        Sent cut = new Sent(sent.head, sent.payload, Arrays.copyOf(sent.body, 900));
        RelayedBody relayed = RelayedBody.of(
                        cut.head, cut.payload, OptionalLong.of(1_000), new ByteArrayInputStream(cut.body))
                .orElseThrow();
        assertThat(error(relayed)).isEqualTo(S3Error.INCOMPLETE_BODY);
        assertThat(relayed.isEnded()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"SIGNED_CHUNKS_AND_TRAILER", "CHUNKS_AND_TRAILER"})
    void a_trailing_checksum_is_for_the_other_gateway_to_judge(Mode mode) {
        byte[] content = content(1_000);
        Sent sent = sent(mode, content, base64(content(999)));
        RelayedBody relayed = sent.relayed();
        VerifiedBody arrived = arrived(sent, relayed, relayed);
        assertThat(error(arrived)).isEqualTo(S3Error.BAD_DIGEST);
    }

    @Test
    void the_other_gateway_refuses_the_head_that_this_one_would_have() {
        Sent sent = sent(Mode.UNSIGNED, content(10), "");
        List<Field> fields = new ArrayList<>(sent.head.fields());
        fields.add(new Field("x-amz-trailer", TRAILER));
        RequestHead head = new RequestHead("PUT", "/b/k", fields, "127.0.0.1");
        S3Exception here =
                catchThrowableOfType(S3Exception.class, () -> BodyClaims.of(head, sent.payload, OptionalLong.of(10)));
        S3Exception there = catchThrowableOfType(
                S3Exception.class,
                () -> BodyClaims.of(withLength(head, 10), new Payload.Relayed(false), OptionalLong.empty()));
        assertThat(there.error()).isEqualTo(here.error());
        assertThat(there.answer()).isEqualTo(here.answer());
    }

    @Test
    void a_head_that_announces_no_body_has_none_and_one_without_length_is_refused() {
        RequestHead none = new RequestHead("POST", "/b?delete", List.of(), "127.0.0.1");
        assertThat(relayed(none, new Payload.Unsigned())).isEmpty();

        RequestHead untold =
                new RequestHead("PUT", "/b/k", List.of(new Field("transfer-encoding", "chunked")), "127.0.0.1");
        for (Payload payload : List.of(new Payload.Unsigned(), new Payload.UnsignedChunks())) {
            assertThat(catchThrowableOfType(S3Exception.class, () -> relayed(untold, payload))
                            .error())
                    .isEqualTo(S3Error.MISSING_CONTENT_LENGTH);
        }
    }

    @Test
    void nothing_is_read_from_the_client_before_the_first_read() {
        InputStream untouched = new InputStream() {
            @Override
            public int read() {
                throw new AssertionError("read");
            }
        };
        assertThat(RelayedBody.of(
                        sent(Mode.UNSIGNED, content(5), "").head,
                        new Payload.Sha256("00"),
                        OptionalLong.of(5),
                        untouched))
                .isPresent();
    }

    private static Optional<RelayedBody> relayed(RequestHead head, Payload payload) {
        return RelayedBody.of(head, payload, OptionalLong.empty(), InputStream.nullInputStream());
    }

    /** What the other gateway makes of it. */
    private static VerifiedBody arrived(Sent sent, RelayedBody relayed, InputStream frames) {
        BodyClaims claims = BodyClaims.of(
                withLength(sent.head, relayed.lengthBytes()),
                new Payload.Relayed(relayed.isTrailed()),
                OptionalLong.empty());
        return new VerifiedBody(claims, frames, null);
    }

    private static RequestHead withLength(RequestHead head, long length) {
        List<Field> fields = new ArrayList<>(head.fields());
        fields.removeIf(field -> field.name().equals("x-amz-decoded-content-length"));
        fields.add(new Field("x-amz-decoded-content-length", "" + length));
        return new RequestHead(head.method(), head.target(), fields, head.remoteAddress());
    }

    private static S3Error error(InputStream body) {
        S3BodyException wrong = catchThrowableOfType(S3BodyException.class, body::readAllBytes);
        return wrong.error();
    }

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        return content;
    }

    private static String base64(byte[] content) {
        ChecksumDigest digest = ChecksumDigest.of(ChecksumAlgorithm.CRC32C);
        digest.update(content, 0, content.length);
        return Base64.getEncoder().encodeToString(digest.value());
    }

    private static Sent sent(Mode mode, byte[] content, String checksum) {
        TestSigner signer = new TestSigner();
        List<Field> extra = new ArrayList<>();
        if (mode.isChunked()) {
            extra.add(new Field("x-amz-decoded-content-length", "" + content.length));
        }
        if (mode.isTrailed()) {
            extra.add(new Field("x-amz-trailer", TRAILER));
        }
        String hash = mode == Mode.SHA256 ? TestSigner.hex(TestSigner.sha256(content)) : mode.hash;
        RequestHead head = signer.header("PUT", "/b/k", hash, extra.toArray(Field[]::new));
        SigV4 verifier =
                new SigV4("us-east-1", key -> new Credential(key, TestSigner.SECRET, "alice", "Alice"), any -> "");
        Authentication.Verified verified = (Authentication.Verified) TestSigner.authenticate(verifier, head, NOW);
        String trailer = mode.isTrailed() ? TRAILER + ":" + checksum + "\n" : null;
        byte[] body = switch (mode) {
            case UNSIGNED, SHA256 -> content.clone();
            case SIGNED_CHUNKS, SIGNED_CHUNKS_AND_TRAILER -> signer.chunked(head, chunks(content), trailer);
            case CHUNKS_AND_TRAILER -> unsignedChunks(content, trailer);
        };
        return new Sent(head, verified.payload(), body);
    }

    private static List<byte[]> chunks(byte[] content) {
        List<byte[]> chunks = new ArrayList<>();
        for (int at = 0; at < content.length; at += 65_536) {
            chunks.add(Arrays.copyOfRange(content, at, Math.min(content.length, at + 65_536)));
        }
        return chunks;
    }

    private static byte[] unsignedChunks(byte[] content, String trailer) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (byte[] chunk : chunks(content)) {
            body.writeBytes((Integer.toHexString(chunk.length) + "\r\n").getBytes(ISO_8859_1));
            body.writeBytes(chunk);
            body.writeBytes("\r\n".getBytes(ISO_8859_1));
        }
        body.writeBytes(("0\r\n" + trailer.replace("\n", "\r\n") + "\r\n").getBytes(ISO_8859_1));
        return body.toByteArray();
    }
}
