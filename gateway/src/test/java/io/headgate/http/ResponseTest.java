package io.headgate.http;

import static io.headgate.http.ServerFixture.empty;
import static io.headgate.http.ServerFixture.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.http.RawClient.Reply;
import io.headgate.http.RequestHead.Field;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How responses are written, whole or visibly broken. */
final class ResponseTest {
    /** A channel over bytes that may fail at its end, and knows whether it was closed. */
    private static final class Source implements ReadableByteChannel {
        private final ByteBuffer bytes;
        private final boolean failing;
        final AtomicBoolean closed = new AtomicBoolean();

        Source(byte[] bytes, boolean failing) {
            this.bytes = ByteBuffer.wrap(bytes);
            this.failing = failing;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            if (!bytes.hasRemaining()) {
                if (failing) {
                    throw new IOException("The disk is gone: /secret/path");
                }
                return -1;
            }
            // Odd portions, as a network would give.
            int count = Math.min(Math.min(target.remaining(), bytes.remaining()), 4_321);
            target.put(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            return count;
        }

        @Override
        public boolean isOpen() {
            return !closed.get();
        }

        @Override
        public void close() {
            closed.set(true);
        }
    }

    @Test
    void every_response_names_the_server_the_request_and_the_date_once() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> text("x"));
                RawClient client = fixture.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
            String reply = client.everything();
            for (String name : List.of(
                    "\r\nServer: Headgate\r\n", "\r\nDate: ", "\r\nx-amz-request-id: ", "\r\nContent-Length: 1\r\n")) {
                assertThat(reply.split(name, -1)).as(name).hasSize(2);
            }
        }
    }

    @Test
    void header_fields_are_written_in_order_and_cannot_break_out_of_their_line() throws IOException {
        List<Field> fields = List.of(
                new Field("etag", "\"e\""),
                new Field("x-amz-meta-a", "\u00e9 b"),
                new Field("x-amz-meta-b", "c\r\nX-Evil: 1"));
        try (ServerFixture fixture =
                        new ServerFixture(exchange -> new Response(200, fields, new Response.Body.None(-1)));
                RawClient client = fixture.connect()) {
            Reply reply = client.get("/");
            assertThat(reply.fields())
                    .containsEntry("etag", "\"e\"")
                    .containsEntry("x-amz-meta-a", "\u00e9 b")
                    .doesNotContainKey("x-evil");
            assertThat(client.get("/").status()).isEqualTo(200);
        }
    }

    @Test
    void a_head_response_has_the_length_of_the_body_but_no_body() throws IOException {
        Map<String, Response.Body> bodies = Map.of(
                "/none", new Response.Body.None(1_234_567_890_123L),
                "/bytes", new Response.Body.Bytes("hello".getBytes(UTF_8)),
                "/channel", new Response.Body.Channel(new Source(new byte[10], false), 10));
        try (ServerFixture fixture = new ServerFixture(exchange ->
                        new Response(200, List.of(), bodies.get(exchange.head().rawPath())));
                RawClient client = fixture.connect()) {
            assertThat(head(client, "/none").field("content-length")).isEqualTo("1234567890123");
            assertThat(head(client, "/bytes").field("content-length")).isEqualTo("5");
            assertThat(head(client, "/channel").field("content-length")).isEqualTo("10");
            assertThat(head(client, "/none").status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 304})
    void a_status_without_content_carries_no_length_and_leaves_the_connection_usable(int status) throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> empty(status));
                RawClient client = fixture.connect()) {
            for (int i = 0; i < 3; i++) {
                Reply reply = client.get("/");
                assertThat(reply.status()).isEqualTo(status);
                assertThat(reply.fields()).doesNotContainKeys("content-length", "transfer-encoding", "connection");
            }
        }
    }

    @Test
    void no_body_means_a_length_of_zero() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> empty(200));
                RawClient client = fixture.connect()) {
            assertThat(client.get("/").field("content-length")).isEqualTo("0");
            assertThat(client.get("/").field("content-length")).isEqualTo("0");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4_096, 8_192, 8_193, 131_072, 131_073, 3_000_000})
    void a_channel_is_written_whole_and_closed(int length) throws IOException {
        byte[] bytes = random(length);
        Source source = new Source(bytes, false);
        try (ServerFixture fixture =
                        new ServerFixture(exchange -> exchange.head().target().equals("/next")
                                ? text("next")
                                : new Response(200, List.of(), new Response.Body.Channel(source, length)));
                RawClient client = fixture.connect()) {
            assertThat(client.get("/").body()).isEqualTo(bytes);
            await().untilTrue(source.closed);
            assertThat(client.get("/next").text()).isEqualTo("next");
            await().until(() -> fixture.observed.size() == 2);
            assertThat(fixture.observed.element().sentBytes()).isEqualTo(length);
        }
    }

    @Test
    void a_large_body_in_memory_is_written_whole() throws IOException {
        byte[] bytes = random(5_000_000);
        try (ServerFixture fixture =
                        new ServerFixture(exchange -> new Response(200, List.of(), new Response.Body.Bytes(bytes)));
                RawClient client = fixture.connect()) {
            assertThat(client.get("/").body()).isEqualTo(bytes);
        }
    }

    @Test
    void a_channel_that_fails_before_the_first_byte_is_answered_with_an_internal_error() throws IOException {
        Source source = new Source(new byte[5_000], true);
        try (ServerFixture fixture = new ServerFixture(exchange -> new Response(
                        200, List.of(new Field("etag", "\"e\"")), new Response.Body.Channel(source, 10_000)));
                RawClient client = fixture.connect()) {
            Reply reply = client.get("/");
            assertThat(reply.status()).isEqualTo(500);
            assertThat(reply.text()).contains("<Code>InternalError</Code>").doesNotContain("secret");
            assertThat(reply.fields()).doesNotContainKey("etag");
            await().untilTrue(source.closed);
            await().until(() -> fixture.observed.size() == 1);
            assertThat(fixture.observed.element().status()).isEqualTo(500);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_channel_that_breaks_off_or_ends_early_after_the_head_cuts_the_connection(boolean failing)
            throws IOException {
        Source source = new Source(new byte[500_000], failing);
        try (ServerFixture fixture = new ServerFixture(
                        exchange -> new Response(200, List.of(), new Response.Body.Channel(source, 1_000_000)));
                RawClient client = fixture.connect()) {
            assertThatThrownBy(() -> client.get("/")).isInstanceOf(IOException.class);
            await().untilTrue(source.closed);
            await().until(() -> fixture.observed.size() == 1);
            CompletedExchange observed = fixture.observed.element();
            assertThat(observed.cutShort()).isTrue();
            assertThat(observed.sentBytes()).isLessThanOrEqualTo(500_000);
        }
    }

    @Test
    void a_streamed_body_arrives_as_it_is_flushed_and_whole() throws Exception {
        CountDownLatch firstSeen = new CountDownLatch(1);
        byte[] rest = random(700_000);
        Response.Source source = out -> {
            out.write("first\n".getBytes(UTF_8));
            out.flush();
            try {
                firstSeen.await();
            } catch (InterruptedException stopped) {
                throw new IOException(stopped);
            }
            out.write(rest);
        };
        try (ServerFixture fixture =
                        new ServerFixture(exchange -> new Response(200, List.of(), new Response.Body.Stream(source)));
                HttpClient client = HttpClient.newHttpClient()) {
            InputStream body = client.send(request(fixture), HttpResponse.BodyHandlers.ofInputStream())
                    .body();
            assertThat(body.readNBytes(6)).isEqualTo("first\n".getBytes(UTF_8));
            firstSeen.countDown();
            assertThat(body.readAllBytes()).isEqualTo(rest);
        }
    }

    @Test
    void a_streamed_body_that_fails_on_the_way_cuts_the_connection() throws Exception {
        Response.Source source = out -> {
            out.write(new byte[100]);
            out.flush();
            throw new IOException("secret");
        };
        try (ServerFixture fixture =
                        new ServerFixture(exchange -> new Response(200, List.of(), new Response.Body.Stream(source)));
                HttpClient client = HttpClient.newHttpClient()) {
            assertThatThrownBy(() -> client.send(request(fixture), HttpResponse.BodyHandlers.ofByteArray()))
                    .isInstanceOf(IOException.class);
            await().until(() -> fixture.observed.size() == 1);
            assertThat(fixture.observed.element().cutShort()).isTrue();
        }
    }

    @Test
    void a_streamed_body_that_is_not_asked_for_is_released() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        Response.Body body = new Response.Body.Stream(
                out -> {
                    throw new IOException("nobody asks a HEAD's source");
                },
                released::countDown);
        try (ServerFixture fixture = new ServerFixture(exchange -> new Response(200, List.of(), body));
                HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest head =
                    HttpRequest.newBuilder(request(fixture).uri()).HEAD().build();
            assertThat(client.send(head, HttpResponse.BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
            released.await();
        }
    }

    private static HttpRequest request(ServerFixture fixture) {
        return HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + fixture.server.address().getPort() + "/"))
                .build();
    }

    @Test
    void a_cut_response_to_http_1_0_is_no_clean_end_either() throws IOException {
        Source source = new Source(new byte[500_000], true);
        try (ServerFixture fixture = new ServerFixture(
                        exchange -> new Response(200, List.of(), new Response.Body.Channel(source, 1_000_000)));
                RawClient client = fixture.connect()) {
            client.send("GET / HTTP/1.0\r\n\r\n");
            assertThatThrownBy(client::reply).isInstanceOfAny(EOFException.class, java.net.SocketException.class);
        }
    }

    @Test
    void a_bug_in_the_handler_is_answered_without_its_text() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> {
                    if (exchange.head().target().equals("/bug")) {
                        throw new IllegalStateException("secret");
                    }
                    if (exchange.head().target().equals("/error")) {
                        throw new StackOverflowError("secret");
                    }
                    return text("fine");
                });
                RawClient client = fixture.connect()) {
            for (String target : List.of("/bug", "/error")) {
                Reply reply = client.get(target);
                assertThat(reply.status()).isEqualTo(500);
                assertThat(reply.text())
                        .contains("<Code>InternalError</Code>")
                        .contains(reply.field("x-amz-request-id"))
                        .doesNotContain("secret", "Exception", "\tat ");
            }
            assertThat(client.get("/").text()).isEqualTo("fine");
        }
    }

    @Test
    void a_response_head_that_fits_nowhere_cuts_the_connection() throws IOException {
        try (ServerFixture fixture =
                new ServerFixture(exchange -> exchange.head().target().equals("/huge")
                        ? new Response(200, List.of(new Field("a", "b".repeat(100_000))), new Response.Body.None(-1))
                        : text("fine"))) {
            try (RawClient client = fixture.connect()) {
                client.send("GET /huge HTTP/1.1\r\nHost: h\r\n\r\n");
                assertThat(client.everything()).doesNotContain("200 OK");
            }
            try (RawClient client = fixture.connect()) {
                assertThat(client.get("/").text()).isEqualTo("fine");
            }
            await().until(() -> fixture.observed.size() == 2);
        }
    }

    @Test
    void a_response_that_nobody_reads_is_cut_after_the_idle_timeout() throws IOException {
        Source source = new Source(new byte[50_000_000], false);
        try (ServerFixture fixture = new ServerFixture(
                        config -> config.withTimeouts(Duration.ofMillis(200), Duration.ofSeconds(5)),
                        exchange -> new Response(200, List.of(), new Response.Body.Channel(source, 50_000_000)));
                RawClient client = fixture.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            await().until(() -> fixture.observed.size() == 1);
            await().untilTrue(source.closed);
            assertThat(fixture.observed.element().cutShort()).isTrue();
        }
    }

    @Test
    void a_response_read_below_the_least_rate_is_cut_though_it_never_stalls() throws IOException {
        Source source = new Source(new byte[200_000_000], false);
        try (ServerFixture fixture = new ServerFixture(
                        config -> config.withMinRate(50_000_000, Duration.ofMillis(300)),
                        exchange -> new Response(200, List.of(), new Response.Body.Channel(source, 200_000_000)));
                RawClient client = fixture.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10)).until(() -> {
                client.in().readNBytes(Math.min(10_000, client.in().available()));
                return fixture.observed.size() == 1;
            });
            await().untilTrue(source.closed);
            assertThat(fixture.observed.element().cutShort()).isTrue();
        }
    }

    @Test
    void a_client_that_hangs_up_during_a_response_is_noticed() throws IOException {
        Source source = new Source(new byte[50_000_000], false);
        try (ServerFixture fixture = new ServerFixture(
                exchange -> new Response(200, List.of(), new Response.Body.Channel(source, 50_000_000)))) {
            try (RawClient client = fixture.connect()) {
                client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
                assertThat(client.in().read()).isEqualTo('H');
            }
            await().until(() -> fixture.observed.size() == 1);
            await().untilTrue(source.closed);
            assertThat(fixture.observed.element().cutShort()).isTrue();
        }
    }

    @Test
    void the_observer_sees_what_was_said_and_sent_and_cannot_break_a_response() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> {
                    exchange.label(Exchange.Label.OPERATION, "GetObject");
                    exchange.label(Exchange.Label.BUCKET, "a");
                    exchange.label(Exchange.Label.BUCKET, "b");
                    return new Response(
                            200,
                            List.of(),
                            new Response.Body.Channel(
                                    Channels.newChannel(new java.io.ByteArrayInputStream(new byte[7])), 7));
                });
                RawClient client = fixture.connect()) {
            client.get("/b/k?x");
            await().until(() -> fixture.observed.size() == 1);
            CompletedExchange observed = fixture.observed.element();
            assertThat(observed.head().target()).isEqualTo("/b/k?x");
            assertThat(observed.head().remoteAddress()).isEqualTo("127.0.0.1");
            assertThat(observed.labels())
                    .isEqualTo(Map.of(Exchange.Label.OPERATION, "GetObject", Exchange.Label.BUCKET, "b"));
            assertThat(observed.status()).isEqualTo(200);
            assertThat(observed.sentBytes()).isEqualTo(7);
            assertThat(observed.cutShort()).isFalse();
            assertThat(observed.timeToFirstByte()).isPositive().isLessThanOrEqualTo(observed.duration());
        }
    }

    private static Reply head(RawClient client, String target) throws IOException {
        return client.send("HEAD " + target + " HTTP/1.1\r\nHost: h\r\n\r\n").reply(true);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(9).nextBytes(bytes);
        return bytes;
    }
}
