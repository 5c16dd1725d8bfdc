package io.headgate.http;

import static io.headgate.http.ServerFixture.empty;
import static io.headgate.http.ServerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.domain.BodyException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a request's body is read, or not. */
final class RequestBodyTest {
    private static final String PUT = "PUT /k HTTP/1.1\r\nHost: h\r\n";

    /** Answers the body's length and checksum, or 400 with the message of its failure, and notes what it was asked for. */
    private static final class Receiver implements HttpHandler {
        final Queue<String> targets = new ConcurrentLinkedQueue<>();

        @Override
        public Response handle(Exchange exchange) {
            targets.add(exchange.head().target());
            if (exchange.head().target().equals("/refuse")) {
                return empty(403);
            }
            CRC32 crc = new CRC32();
            byte[] buffer = new byte[10_000];
            long length = 0;
            try {
                for (int n = exchange.body().read(buffer);
                        n >= 0;
                        n = exchange.body().read(buffer)) {
                    crc.update(buffer, 0, n);
                    length += n;
                }
            } catch (BodyException e) {
                return new Response(
                        400, List.of(), new Response.Body.Bytes(e.getMessage().getBytes()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return text(length + " " + crc.getValue());
        }
    }

    @Test
    void a_body_of_declared_length_arrives_whole() throws IOException {
        byte[] body = random(3_000_000);
        try (ServerFixture fixture = new ServerFixture(new Receiver());
                RawClient client = fixture.connect()) {
            client.send(PUT + "Content-Length: " + body.length + "\r\n\r\n").send(body);
            assertThat(client.reply().text()).isEqualTo(digest(body));
            await().until(() -> fixture.observed.size() == 1);
            assertThat(fixture.observed.element().receivedBytes()).isEqualTo(body.length);
        }
    }

    @Test
    void a_chunked_body_arrives_whole_and_its_trailers_do_no_harm() throws IOException {
        byte[] body = random(200_000);
        HttpHandler handler = exchange -> {
            assertThat(exchange.contentLength()).isEqualTo(OptionalLong.empty());
            return new Receiver().handle(exchange);
        };
        try (ServerFixture fixture = new ServerFixture(handler);
                RawClient client = fixture.connect()) {
            client.send(PUT + "Transfer-Encoding: chunked\r\n\r\n");
            for (int from = 0; from < body.length; from += 70_000) {
                byte[] chunk = Arrays.copyOfRange(body, from, Math.min(body.length, from + 70_000));
                client.send(Integer.toHexString(chunk.length) + ";ext=1\r\n")
                        .send(chunk)
                        .send("\r\n");
            }
            client.send("0\r\nX-Amz-Checksum-Crc32: abc=\r\nB: c\r\n\r\n");
            assertThat(client.reply().text()).isEqualTo(digest(body));
            assertThat(client.get("/").text()).isEqualTo("0 0");
        }
    }

    /** A body is handed to the thread that writes it to its account, and that one must be woken when more of it comes. */
    @Test
    void a_body_that_pauses_goes_on_for_whichever_thread_reads_it() throws IOException {
        AtomicLong received = new AtomicLong();
        AtomicReference<Thread> reader = new AtomicReference<>();
        HttpHandler handler = exchange -> {
            Thread other = Thread.ofPlatform().unstarted(() -> {
                byte[] buffer = new byte[8192];
                try {
                    for (int n = exchange.body().read(buffer);
                            n >= 0;
                            n = exchange.body().read(buffer)) {
                        received.addAndGet(n);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            reader.set(other);
            other.start();
            try {
                other.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return text("received " + received);
        };
        // A reader that nobody wakes would look again only when the least rate is judged, after an hour.
        try (ServerFixture fixture = new ServerFixture(config -> config.withMinRate(1, Duration.ofHours(1)), handler);
                RawClient client = fixture.connect()) {
            client.send(PUT + "Content-Length: 300000\r\n\r\n");
            for (int sent = 0; sent < 300_000; sent += 100_000) {
                int soFar = sent;
                await().until(() -> received.get() == soFar
                        && reader.get() != null
                        && reader.get().getState() == Thread.State.TIMED_WAITING);
                client.send(new byte[100_000]);
            }
            assertThat(client.reply().text()).isEqualTo("received 300000");
        }
    }

    @Test
    void a_body_can_be_read_byte_by_byte_and_is_empty_where_there_is_none() throws IOException {
        HttpHandler handler = exchange -> {
            StringBuilder text = new StringBuilder();
            try {
                for (int c = exchange.body().read(); c >= 0; c = exchange.body().read()) {
                    text.append((char) c);
                }
                assertThat(exchange.body().read(new byte[1])).isEqualTo(-1);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return text(text.toString() + exchange.contentLength());
        };
        try (ServerFixture fixture = new ServerFixture(handler);
                RawClient client = fixture.connect()) {
            assertThat(client.send(PUT + "Content-Length: 3\r\n\r\nabc").reply().text())
                    .isEqualTo("abcOptionalLong[3]");
            assertThat(client.get("/").text()).isEqualTo("OptionalLong.empty");
        }
    }

    @Test
    void the_client_is_told_to_continue_when_its_body_is_first_read_and_not_before() throws Exception {
        CountDownLatch mayRead = new CountDownLatch(1);
        Receiver receiver = new Receiver();
        HttpHandler handler = exchange -> {
            awaitUninterruptibly(mayRead);
            return receiver.handle(exchange);
        };
        try (ServerFixture fixture = new ServerFixture(handler);
                RawClient client = fixture.connect()) {
            client.send(PUT + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            await().until(() -> fixture.server.requestsInFlight() == 1);
            assertThat(client.in().available()).isZero();
            mayRead.countDown();
            assertThat(client.reply().status()).isEqualTo(100);
            client.send("hello");
            assertThat(client.reply().text()).isEqualTo(digest("hello".getBytes()));
            assertThat(client.get("/next").status()).isEqualTo(200);
        }
    }

    @Test
    void a_body_that_came_without_waiting_is_not_asked_for() throws IOException {
        try (ServerFixture fixture = new ServerFixture(new Receiver());
                RawClient client = fixture.connect()) {
            client.send(PUT + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(client.reply().text()).isEqualTo(digest("hello".getBytes()));
            assertThat(client.get("/next").status()).isEqualTo(200);
        }
    }

    @Test
    void an_expectation_of_http_1_0_is_ignored() throws IOException {
        try (ServerFixture fixture = new ServerFixture(new Receiver());
                RawClient client = fixture.connect()) {
            client.send("PUT /k HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            await().until(() -> fixture.server.requestsInFlight() == 1);
            client.send("hello");
            assertThat(client.reply().text()).isEqualTo(digest("hello".getBytes()));
        }
    }

    /** As S3 does, whose clients have sent such. */
    @Test
    void an_expectation_that_nobody_knows_is_ignored() throws IOException {
        try (ServerFixture fixture = new ServerFixture(new Receiver());
                RawClient client = fixture.connect()) {
            client.send(PUT + "Expect: 200\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(client.reply().text()).isEqualTo(digest("hello".getBytes()));
            assertThat(client.get("/next").status()).isEqualTo(200);
        }
    }

    @Test
    void a_refused_expectation_sends_no_continue_and_its_body_is_not_taken_for_a_request() throws IOException {
        Receiver receiver = new Receiver();
        try (ServerFixture fixture = new ServerFixture(receiver);
                RawClient client = fixture.connect()) {
            client.send("PUT /refuse HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 40\r\n\r\n");
            RawClient.Reply reply = client.reply();
            assertThat(reply.status()).isEqualTo(403);
            assertThat(reply.field("connection")).isEqualTo("close");
            client.send("GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n      ");
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(receiver.targets).containsExactly("/refuse");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 39\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n    ",
                "Transfer-Encoding: chunked\r\n\r\n27\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n    \r\n0\r\n\r\n"
            })
    void a_small_body_that_nobody_reads_is_swallowed_and_the_connection_serves_on(String framed) throws IOException {
        Receiver receiver = new Receiver();
        try (ServerFixture fixture = new ServerFixture(receiver);
                RawClient client = fixture.connect()) {
            client.send("PUT /refuse HTTP/1.1\r\nHost: h\r\n" + framed);
            assertThat(client.reply().status()).isEqualTo(403);
            assertThat(client.get("/next").status()).isEqualTo(200);
            assertThat(receiver.targets).containsExactly("/refuse", "/next");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 1000000",
                "Transfer-Encoding: chunked",
                "Connection: close\r\nContent-Length: 40"
            })
    void a_connection_whose_body_stays_unread_is_closed(String framing) throws IOException {
        Receiver receiver = new Receiver();
        try (ServerFixture fixture = new ServerFixture(receiver);
                RawClient client = fixture.connect()) {
            client.send("PUT /refuse HTTP/1.1\r\nHost: h\r\n" + framing + "\r\n\r\n");
            RawClient.Reply reply = client.reply();
            assertThat(reply.status()).isEqualTo(403);
            assertThat(reply.field("connection")).isEqualTo("close");
            client.send("GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(receiver.targets).containsExactly("/refuse");
        }
    }

    @Test
    void a_client_that_sends_a_large_body_before_it_reads_gets_to_see_the_refusal() throws IOException {
        byte[] body = random(2_000_000);
        try (ServerFixture fixture = new ServerFixture(new Receiver());
                RawClient client = fixture.connect()) {
            client.send("PUT /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: " + body.length + "\r\n\r\n")
                    .send(body);
            assertThat(client.reply().status()).isEqualTo(403);
        }
    }

    @Test
    void a_client_that_hangs_up_fails_the_body() throws IOException {
        Queue<Exception> failures = new ConcurrentLinkedQueue<>();
        try (ServerFixture fixture = new ServerFixture(readingInto(failures))) {
            try (RawClient client = fixture.connect()) {
                client.send(PUT + "Content-Length: 10\r\n\r\nhello");
            }
            await().until(() -> fixture.observed.size() == 1);
            assertThat(failures).hasSize(1).allMatch(BodyException.class::isInstance);
            CompletedExchange observed = fixture.observed.element();
            assertThat(observed.cutShort()).isTrue();
            assertThat(observed.receivedBytes()).isEqualTo(5);
        }
    }

    @Test
    void a_client_that_ends_its_half_too_early_fails_the_body_and_gets_an_answer() throws IOException {
        try (ServerFixture fixture = new ServerFixture(new Receiver());
                RawClient client = fixture.connect()) {
            client.send(PUT + "Content-Length: 10\r\n\r\nhello");
            client.socket().shutdownOutput();
            assertThat(client.reply().status()).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zz\r\n",
                "-1\r\n",
                "5\r\nhelloX",
                "ffffffffffffffff\r\n",
                "\r\n",
                "5 5\r\n",
                "0\r\nno colon\r\n\r\n"
            })
    void malformed_chunks_fail_the_body_and_close_the_connection(String chunks) throws IOException {
        Receiver receiver = new Receiver();
        try (ServerFixture fixture = new ServerFixture(receiver);
                RawClient client = fixture.connect()) {
            client.send(
                    PUT + "Transfer-Encoding: chunked\r\n\r\n" + chunks + "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n");
            RawClient.Reply reply = client.reply();
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.field("connection")).isEqualTo("close");
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(receiver.targets).containsExactly("/k");
        }
    }

    @Test
    void a_stalled_body_fails_after_the_idle_timeout_and_is_answered() throws IOException {
        try (ServerFixture fixture = new ServerFixture(
                        config -> config.withTimeouts(Duration.ofMillis(200), Duration.ofSeconds(5)), new Receiver());
                RawClient client = fixture.connect()) {
            client.send(PUT + "Content-Length: 10\r\n\r\nhello");
            RawClient.Reply reply = client.reply();
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.text()).isEqualTo("The client stopped sending the body");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a_body_below_the_least_rate_fails_though_it_never_stalls() throws Exception {
        try (ServerFixture fixture = new ServerFixture(
                        config -> config.withMinRate(1_000_000, Duration.ofMillis(300)), new Receiver());
                RawClient client = fixture.connect()) {
            client.send(PUT + "Content-Length: 100000000\r\n\r\n");
            client.trickleUntilAnswered("x");
            RawClient.Reply reply = client.reply();
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.text()).isEqualTo("The client sent the body too slowly");
            assertThat(reply.field("connection")).isEqualTo("close");
        }
    }

    @Test
    void a_slow_handler_does_not_make_its_client_slow_or_idle() throws IOException {
        byte[] body = random(1_000_000);
        CountDownLatch proceed = new CountDownLatch(1);
        HttpHandler handler = exchange -> {
            Response response = new Receiver().handle(exchange);
            awaitUninterruptibly(proceed);
            return response;
        };
        try (ServerFixture fixture = new ServerFixture(
                        config -> config.withMinRate(1_000, Duration.ofMillis(100))
                                .withTimeouts(Duration.ofMillis(300), Duration.ofSeconds(5)),
                        handler);
                RawClient client = fixture.connect()) {
            client.send(PUT + "Content-Length: " + body.length + "\r\n\r\n").send(body);
            await().until(() -> fixture.server.requestsInFlight() == 1);
            try (RawClient silent = fixture.connect()) {
                // When a later connection is cut as idle, the handler has taken longer than the idle timeout.
                assertThat(silent.isClosedByServer()).isTrue();
            }
            proceed.countDown();
            assertThat(client.reply().text()).isEqualTo(digest(body));
        }
    }

    private static HttpHandler readingInto(Queue<Exception> failures) {
        return exchange -> {
            try {
                exchange.body().readAllBytes();
            } catch (IOException e) {
                failures.add(e);
            }
            return empty(400);
        };
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytesOf(Response response) {
        return ((Response.Body.Bytes) response.body()).bytes();
    }

    private static String digest(byte[] body) {
        CRC32 crc = new CRC32();
        crc.update(body);
        return body.length + " " + crc.getValue();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }
}
