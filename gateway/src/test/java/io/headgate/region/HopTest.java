package io.headgate.region;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.http.Exchange;
import io.headgate.http.RawClient;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.s3.auth.RelayedBody;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HopTest {
    private static final String CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
    private Hop hop;

    @BeforeEach
    void start() throws IOException {
        hop = new Hop();
    }

    @AfterEach
    void stop() {
        hop.close();
    }

    @Test
    void the_owner_sees_the_target_and_the_fields_as_the_client_sent_them() throws IOException {
        AtomicReference<RequestHead> seen = new AtomicReference<>();
        hop.answering((exchange, by) -> {
            seen.set(exchange.head());
            return Hop.text("");
        });
        String sent =
                "Host: bucket.s3.test\r\nX-Amz-Meta-A: \u00C3\u00BC\u0080\u00FF\r\nx-amz-meta-a: a,  \"b\" \t c\r\n"
                        + "x-amz-meta-empty:\r\ncontent-encoding: aws-chunked, gzip\r\nauthorization: AWS4 secret\r\n";
        try (RawClient client = hop.client()) {
            for (String target :
                    List.of("/", "//a//b/../%2F%2e?x=%20&&=&y", "/b/a|b{c}\"^`[]\\?versionId", "/b/+%C3%BC:@")) {
                assertThat(client.get(target).status()).isEqualTo(200);
                assertThat(seen.get().target()).isEqualTo(target);
            }
            client.send("GET /b/k HTTP/1.1\r\n" + sent
                    + "Connection: keep-alive\r\nKeep-Alive: 5\r\nTE: trailers\r\nx-headgate-peer-user: root\r\n\r\n");
            assertThat(client.reply().status()).isEqualTo(200);
        }
        assertThat(seen.get().fields())
                .containsExactly(
                        new Field("x-amz-meta-a", "\u00C3\u00BC\u0080\u00FF"),
                        new Field("x-amz-meta-a", "a,  \"b\" \t c"),
                        new Field("x-amz-meta-empty", ""),
                        new Field("content-encoding", "aws-chunked, gzip"),
                        new Field("authorization", "AWS4 secret"),
                        new Field("host", "eu"));
    }

    @Test
    void the_owner_knows_who_sent_it_and_tells_the_clients_request_id() throws IOException {
        AtomicReference<Forwarded> known = new AtomicReference<>();
        hop.answering((exchange, by) -> {
            known.set(by);
            return Hop.text(exchange.requestId());
        });
        try (RawClient client = hop.client()) {
            RawClient.Reply reply = client.get("/b/k");
            assertThat(reply.text()).isEqualTo(reply.field("x-amz-request-id"));
            assertThat(known.get().requestId()).isEqualTo(reply.text());
            assertThat(known.get().fromRegion()).isEqualTo("us");
            assertThat(known.get().userId()).isEqualTo(Hop.USER);
        }
    }

    @Test
    void the_client_sees_the_answer_as_the_owner_gave_it() throws IOException {
        Field range = new Field("content-range", "bytes 0-4/11");
        Field meta = new Field("x-amz-meta-a", "\u00C3\u00BC \u0080\u00FF");
        hop.answering((exchange, by) -> switch (exchange.head().target()) {
            case "/range" -> new Response(206, List.of(range, meta), new Response.Body.Bytes("hello".getBytes(UTF_8)));
            case "/head" -> new Response(200, List.of(meta), new Response.Body.None(123_456_789_012L));
            case "/none" -> new Response(204, List.of(), new Response.Body.None(-1));
            case "/same" -> new Response(304, List.of(new Field("etag", "\"1\"")), new Response.Body.None(-1));
            case "/stream" ->
                new Response(200, List.of(), new Response.Body.Stream(out -> out.write(new byte[70_000])));
            default -> Hop.text(404, "<Error/>");
        });
        try (RawClient client = hop.client()) {
            RawClient.Reply part = client.get("/range");
            assertThat(part.status()).isEqualTo(206);
            assertThat(part.text()).isEqualTo("hello");
            assertThat(part.field("content-range")).isEqualTo(range.value());
            assertThat(part.field("x-amz-meta-a")).isEqualTo(meta.value());
            assertThat(part.fields().keySet()).noneMatch(name -> name.startsWith(PeerFields.PREFIX));

            client.send("HEAD /head HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.reply(true).field("content-length")).isEqualTo("123456789012");
            assertThat(client.get("/none").status()).isEqualTo(204);
            assertThat(client.get("/same").field("etag")).isEqualTo("\"1\"");
            assertThat(client.get("/nothing").text()).isEqualTo("<Error/>");
            client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(chunkedBytes(client)).isEqualTo(70_000);
            assertThat(client.get("/range").status())
                    .as("the connection serves on")
                    .isEqualTo(206);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5 << 20})
    void a_body_arrives_whole_however_it_was_sent(int length) throws Exception {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        String sha256 =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        hop.answering((exchange, by) -> Hop.text("" + Arrays.hashCode(read(exchange, by))));
        try (RawClient client = hop.client()) {
            client.send(put("content-length: " + length)).send(content);
            assertThat(client.reply().text()).isEqualTo("" + Arrays.hashCode(content));

            client.send(put("content-length: " + length, "x-amz-content-sha256: " + sha256))
                    .send(content);
            assertThat(client.reply().text()).isEqualTo("" + Arrays.hashCode(content));

            String first = length == 0 ? "" : Integer.toHexString(length) + "\r\n";
            String end = (length == 0 ? "" : "\r\n") + "0\r\nx-amz-checksum-crc32:" + crc32(content) + "\r\n\r\n";
            client.send(put(
                            "x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                            "x-amz-trailer: x-amz-checksum-crc32",
                            "x-amz-decoded-content-length: " + length,
                            "content-length: " + (first.length() + length + end.length())))
                    .send(first)
                    .send(content)
                    .send(end);
            assertThat(client.reply().text()).isEqualTo("" + Arrays.hashCode(content));
        }
    }

    @Test
    void a_body_that_is_not_what_was_signed_reaches_the_owner_without_its_end() throws Exception {
        CountDownLatch failed = new CountDownLatch(1);
        AtomicReference<String> complete = new AtomicReference<>();
        hop.answering((exchange, by) -> {
            try {
                complete.set("" + Hop.content(exchange, by).length);
            } catch (IOException broken) {
                failed.countDown();
            }
            return Hop.text("");
        });
        try (RawClient client = hop.client()) {
            client.send(put("content-length: 100000", "x-amz-content-sha256: " + "0".repeat(64)))
                    .send(new byte[100_000]);
            RawClient.Reply reply = client.reply();
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.text()).contains("XAmzContentSHA256Mismatch");
        }
        failed.await();
        assertThat(complete.get()).isNull();
    }

    @Test
    void a_digest_that_is_wrong_is_the_owners_to_refuse() throws Exception {
        hop.answering((exchange, by) -> {
            try {
                Hop.content(exchange, by);
                return Hop.text("stored");
            } catch (IOException wrong) {
                return Hop.text(400, wrong.getMessage());
            }
        });
        try (RawClient client = hop.client()) {
            client.send(put("content-length: 5", "content-md5: XUFAKrxLKna5cZ2REBfFkg=="))
                    .send("hellO");
            RawClient.Reply reply = client.reply();
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.text()).contains("Content-MD5");
        }
    }

    @Test
    void a_waiting_client_is_told_to_send_its_body_only_when_the_owner_wants_it() throws Exception {
        CountDownLatch mayRead = new CountDownLatch(1);
        hop.answering((exchange, by) -> {
            if (exchange.head().target().equals("/refused")) {
                return Hop.text(412, "refused");
            }
            awaitQuietly(mayRead);
            return Hop.text(new String(read(exchange, by), UTF_8));
        });
        try (RawClient client = hop.client()) {
            client.send(put("content-length: 5", "expect: 100-continue"));
            mayRead.countDown();
            assertThat(new String(client.in().readNBytes(CONTINUE.length()), ISO_8859_1))
                    .isEqualTo(CONTINUE);
            assertThat(client.send("hello").reply().text()).isEqualTo("hello");
        }
        try (RawClient client = hop.client()) {
            client.send(put("content-length: 5", "expect: 100-continue").replace("/b/k", "/refused"));
            RawClient.Reply reply = client.reply();
            assertThat(reply.status()).as("the first thing that is said").isEqualTo(412);
            assertThat(reply.text()).isEqualTo("refused");
        }
    }

    @Test
    void a_body_is_read_no_faster_than_the_owner_takes_it() throws Exception {
        CountDownLatch mayRead = new CountDownLatch(1);
        long length = 64L << 20;
        hop.answering((exchange, by) -> {
            try (InputStream body = exchange.body()) {
                body.readNBytes(10);
                awaitQuietly(mayRead);
                long count = 10;
                for (byte[] some = body.readNBytes(1 << 20); some.length > 0; some = body.readNBytes(1 << 20)) {
                    count += some.length;
                }
                return Hop.text(count > length ? "whole" : "cut");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try (RawClient client = hop.client()) {
            client.send(put("content-length: " + length));
            Thread writer = Thread.ofVirtual().start(() -> {
                try {
                    byte[] some = new byte[1 << 20];
                    for (int i = 0; i < 64; i++) {
                        client.send(some);
                    }
                } catch (IOException cut) {
                    throw new UncheckedIOException(cut);
                }
            });
            // More than the sockets' buffers hold never leaves the client, however long the owner waits.
            await().during(Duration.ofMillis(300))
                    .until(() -> hop.peers.traffic().getFirst().sentBytes() < 48L << 20);
            mayRead.countDown();
            assertThat(client.reply().text()).isEqualTo("whole");
            writer.join();
        }
    }

    @Test
    void a_request_of_the_gateways_own_goes_the_same_way() throws Exception {
        hop.answering((exchange, by) -> exchange.head().method().equals("PUT")
                ? Hop.text(by.userId() + " " + new String(read(exchange, by), UTF_8))
                : Hop.text("content of " + exchange.head().target()));
        PeerRequest get = new PeerRequest(
                "GET", "/b/k", List.of(new Field("range", "bytes=0-")), "bob", "192.0.2.7", "0123", Optional.empty());
        try (PeerResponse response = relayed(hop.peers.send("eu", get))) {
            assertThat(response.contentLengthBytes()).hasValue(15);
            assertThat(response.body().orElseThrow().readAllBytes()).asString().isEqualTo("content of /b/k");
        }
        PeerRequest put = new PeerRequest(
                "PUT",
                "/b",
                List.of(),
                "bob",
                "192.0.2.7",
                "0123",
                Optional.of(RelayedBody.of("<xml/>".getBytes(UTF_8))));
        try (PeerResponse response = relayed(hop.peers.send("eu", put))) {
            assertThat(response.body().orElseThrow().readAllBytes()).asString().isEqualTo("bob <xml/>");
        }
        assertThat(hop.peers.traffic().getFirst().answers()).isEqualTo(2);
    }

    @Test
    void a_bucket_that_is_not_the_owners_is_told_before_the_body_is_read() throws Exception {
        hop.answering((exchange, by) -> PeerHandler.misdirected());
        try (RawClient client = hop.client()) {
            client.send(put("content-length: 5", "expect: 100-continue"));
            assertThat(client.reply().text()).isEqualTo("misdirected");
        }
        try (RawClient client = hop.client()) {
            assertThat(client.get("/b/k").text()).isEqualTo("misdirected");
        }
        assertThat(hop.peers.traffic().getFirst().misdirected()).isEqualTo(2);
    }

    @Test
    void connections_serve_one_request_after_the_other() throws Exception {
        hop.answering((exchange, by) -> exchange.head().method().equals("PUT")
                ? Hop.text(new String(read(exchange, by), UTF_8))
                : Hop.text("hello"));
        try (RawClient client = hop.client()) {
            for (int i = 0; i < 10; i++) {
                client.send(put("content-length: 5")).send("hello");
                assertThat(client.reply().status()).isEqualTo(200);
                assertThat(client.get("/b/k").text()).isEqualTo("hello");
            }
        }
        assertThat(hop.peers.gateways().getFirst().idleConnections()).isEqualTo(1);
        assertThat(hop.peers.gateways().getFirst().inFlight()).isZero();
    }

    static PeerResponse relayed(Answer answer) {
        assertThat(answer).isInstanceOf(Answer.Relayed.class);
        return ((Answer.Relayed) answer).response();
    }

    static String put(String... fields) {
        return "PUT /b/k HTTP/1.1\r\nHost: h\r\n" + String.join("\r\n", fields) + "\r\n\r\n";
    }

    private static byte[] read(Exchange exchange, Forwarded by) {
        try {
            return Hop.content(exchange, by);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a head and a body in chunks, and counts the bytes of the body. */
    private static int chunkedBytes(RawClient client) throws IOException {
        while (!line(client).isEmpty()) {
            // the head
        }
        int count = 0;
        for (int size = Integer.parseInt(line(client), 16); size > 0; size = Integer.parseInt(line(client), 16)) {
            count += client.in().readNBytes(size).length;
            line(client);
        }
        line(client);
        return count;
    }

    private static String line(RawClient client) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = client.in().read(); c != '\n'; c = client.in().read()) {
            line.append((char) c);
        }
        return line.toString().strip();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String crc32(byte[] content) {
        CRC32 crc = new CRC32();
        crc.update(content);
        byte[] value = ByteBuffer.allocate(4).putInt((int) crc.getValue()).array();
        return Base64.getEncoder().encodeToString(value);
    }
}
