package io.headgate.region;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.headgate.http.HttpServer;
import io.headgate.http.HttpServerConfig;
import io.headgate.http.RawClient;
import io.headgate.http.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HopFailuresTest {
    private static final Duration MORE_THAN_A_REACTION = Duration.ofSeconds(16);
    private static final Duration MORE_THAN_AN_ANSWER = Duration.ofMinutes(6);

    @Test
    void a_client_that_hangs_up_ends_the_owners_answer_at_once() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        AtomicLong given = new AtomicLong();
        try (Hop hop = new Hop()) {
            hop.answering((exchange, by) -> endless(given, closed));
            try (RawClient client = hop.client()) {
                client.send("GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
                client.in().readNBytes(1 << 20);
                // More than the sockets' buffers hold is never asked of the owner, however long the client waits.
                await().during(Duration.ofMillis(300)).until(() -> given.get() < 64L << 20);
            }
            closed.await();
            await().until(() -> hop.peers.gateways().getFirst().inFlight() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/known", "/stream"})
    void an_answer_that_nobody_takes_frees_the_owner(String target) throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        try (Hop hop = new Hop()) {
            Response.Body stream = new Response.Body.Stream(HopFailuresTest::endlessly, closed::countDown);
            hop.answering((exchange, by) -> exchange.head().target().equals("/stream")
                    ? new Response(200, List.of(), stream)
                    : endless(new AtomicLong(), closed));
            PeerRequest get = new PeerRequest("GET", target, List.of(), "bob", "192.0.2.7", "0123", Optional.empty());
            Response response = HopTest.relayed(hop.peers.send("eu", get)).relayed();
            assertThat(hop.peers.gateways().getFirst().inFlight()).isEqualTo(1);
            response.discard();
            assertThat(hop.peers.gateways().getFirst().inFlight()).isZero();
            closed.await();
        }
    }

    @Test
    void a_client_that_hangs_up_while_it_sends_ends_the_owners_request_at_once() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch failed = new CountDownLatch(1);
        try (Hop hop = new Hop()) {
            hop.answering((exchange, by) -> {
                try (InputStream body = exchange.body()) {
                    body.read();
                    reading.countDown();
                    body.readAllBytes();
                    return Hop.text("whole");
                } catch (IOException cut) {
                    failed.countDown();
                    return Hop.text(400, "cut");
                }
            });
            try (RawClient client = hop.client()) {
                client.send(HopTest.put("content-length: 100000")).send(new byte[50_000]);
                reading.await();
            }
            failed.await();
        }
    }

    @Test
    void an_answer_that_breaks_off_cuts_the_client() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        try (Hop hop = new Hop()) {
            hop.answering((exchange, by) -> {
                requests.incrementAndGet();
                return exchange.head().target().equals("/stream")
                        ? new Response(200, List.of(), new Response.Body.Stream(out -> {
                            out.write(new byte[300_000]);
                            throw new IOException("the account is gone");
                        }))
                        : new Response(200, List.of(), new Response.Body.Channel(broken(), 1 << 20));
            });
            for (String target : List.of("/known", "/stream")) {
                try (RawClient client = hop.client()) {
                    client.send("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
                    String all = client.everything();
                    assertThat(all.length()).isLessThan(1 << 20);
                    assertThat(all).doesNotEndWith("0\r\n\r\n");
                }
            }
            assertThat(requests).hasValue(2);
        }
    }

    @Test
    void a_gateway_that_is_gone_is_passed_over_and_tried_again_later() throws Exception {
        URI gone;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            gone = URI.create("http://127.0.0.1:" + free.getLocalPort());
        }
        try (Hop hop = new Hop(List.of(gone));
                RawClient client = hop.client()) {
            for (int i = 0; i < 4; i++) {
                assertThat(client.get("/b/k").text()).isEqualTo("hello");
                client.send(HopTest.put("content-length: 0"));
                assertThat(client.reply().status()).isEqualTo(200);
            }
            assertThat(hop.live()).containsExactly(false, true);
            PeerHandler receiver =
                    new PeerHandler("eu", Map.of("us", Hop.SECRET), (exchange, by) -> Hop.text("back"), () -> hop.now);
            HttpServer back = HttpServer.start(
                    HttpServerConfig.listeningOn("127.0.0.1", gone.getPort()),
                    receiver,
                    done -> {},
                    () -> hop.now,
                    new Random(9));
            try {
                for (int i = 0; i < 4; i++) {
                    assertThat(client.get("/b/k").text())
                            .as("it is left alone for a second")
                            .isEqualTo("hello");
                }
                hop.now = hop.now.plusSeconds(2);
                await().until(() -> client.get("/b/k").text().equals("back"));
                assertThat(hop.live()).containsExactly(true, true);
            } finally {
                back.stop(Duration.ZERO);
            }
        }
    }

    @Test
    void a_region_of_which_no_gateway_lives_is_unreachable_at_once() throws Exception {
        try (Hop hop = new Hop();
                RawClient client = hop.client()) {
            hop.owner.stop(Duration.ZERO);
            assertThat(client.get("/b/k").status()).isEqualTo(503);
            RawClient.Reply later = client.get("/b/k");
            assertThat(later.status()).isEqualTo(503);
            assertThat(later.text()).as("nobody is asked for a second").contains("lately");
            assertThat(hop.peers.traffic().getFirst().failures()).isEqualTo(2);
        }
    }

    @Test
    void an_owner_that_is_back_serves_others_while_the_first_one_sends_a_long_body() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        try (Hop hop = new Hop();
                RawClient sending = hop.client();
                RawClient other = hop.client()) {
            int port = hop.owner.address().getPort();
            hop.owner.stop(Duration.ZERO);
            assertThat(other.get("/b/k").status()).isEqualTo(503);
            hop.answering((exchange, by) -> {
                if (!exchange.head().method().equals("PUT")) {
                    return Hop.text("hello");
                }
                try (InputStream body = exchange.body()) {
                    body.read();
                    reading.countDown();
                    body.readAllBytes();
                    return Hop.text("whole");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            HttpServer again = HttpServer.start(
                    HttpServerConfig.listeningOn("127.0.0.1", port),
                    hop.receiver,
                    done -> {},
                    () -> hop.now,
                    new Random(9));
            try {
                hop.now = hop.now.plusSeconds(2);
                sending.send(HopTest.put("content-length: 100000")).send(new byte[50_000]);
                reading.await();
                assertThat(other.get("/b/k").text()).isEqualTo("hello");
                assertThat(hop.live()).containsExactly(true);
                assertThat(sending.send(new byte[50_000]).reply().text()).isEqualTo("whole");
            } finally {
                again.stop(Duration.ZERO);
            }
        }
    }

    @Test
    void an_owner_that_came_back_meanwhile_answers_what_may_not_be_sent_twice() throws Exception {
        try (Hop hop = new Hop();
                RawClient client = hop.client()) {
            assertThat(client.get("/b/k").text()).isEqualTo("hello");
            int port = hop.owner.address().getPort();
            hop.owner.stop(Duration.ZERO);
            HttpServer again = HttpServer.start(
                    HttpServerConfig.listeningOn("127.0.0.1", port),
                    hop.receiver,
                    done -> {},
                    () -> hop.now,
                    new Random(9));
            try {
                client.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
                assertThat(client.reply().text()).as("over a new connection").isEqualTo("hello");
            } finally {
                again.stop(Duration.ZERO);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"GET, 200", "PUT, 200", "DELETE, 503"})
    void a_gateway_that_takes_requests_and_never_answers_is_given_up(String method, int status) throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        try (ServerSocket hole = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
                Hop hop = new Hop(List.of(URI.create("http://127.0.0.1:" + hole.getLocalPort())));
                RawClient client = hop.client()) {
            Thread.ofVirtual().start(() -> takeOne(hole, taken));
            client.send(method + " /b/k HTTP/1.1\r\nHost: h\r\ncontent-length: 5\r\n\r\nhello");
            taken.await();
            hop.nanos.addAndGet(MORE_THAN_A_REACTION.toNanos());
            assertThat(client.reply().status())
                    .as("the other gateway answers what cannot have been done")
                    .isEqualTo(status);
            assertThat(hop.live()).containsExactly(false, true);
        }
    }

    @ParameterizedTest
    @CsvSource({"content-length: 0", "x-amz-meta-a: no length"})
    void a_request_without_content_may_have_been_done_and_is_not_sent_twice(String field) throws Exception {
        AtomicInteger requests = new AtomicInteger();
        try (ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
                Hop hop = new Hop(List.of(URI.create("http://127.0.0.1:" + listener.getLocalPort())));
                RawClient client = hop.client()) {
            hop.answering((exchange, by) -> {
                requests.incrementAndGet();
                return Hop.text("hello");
            });
            Thread.ofVirtual().start(() -> Hop.answerAll(listener, ""));
            client.send(HopTest.put(field));
            assertThat(client.reply().status()).isEqualTo(503);
            assertThat(requests).hasValue(0);
        }
    }

    @Test
    void a_request_without_content_may_take_long() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch taken = new CountDownLatch(2);
        try (Hop hop = new Hop();
                RawClient copying = hop.client();
                RawClient reading = hop.client()) {
            hop.answering((exchange, by) -> {
                taken.countDown();
                hold(over);
                return Hop.text("copied");
            });
            copying.send(HopTest.put("content-length: 0"));
            reading.send("GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            taken.await();
            hop.nanos.addAndGet(MORE_THAN_A_REACTION.toNanos());
            assertThat(reading.reply().status()).as("reads do not").isEqualTo(503);
            over.countDown();
            assertThat(copying.reply().text()).isEqualTo("copied");
        }
    }

    @Test
    void a_request_that_takes_too_long_says_nothing_of_its_gateway() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch taken = new CountDownLatch(1);
        try (Hop hop = new Hop();
                RawClient client = hop.client()) {
            hop.answering((exchange, by) -> {
                taken.countDown();
                hold(over);
                return Hop.text("late");
            });
            client.send(HopTest.put("content-length: 0"));
            taken.await();
            hop.nanos.addAndGet(MORE_THAN_AN_ANSWER.toNanos());
            assertThat(client.reply().status()).isEqualTo(503);
            assertThat(hop.live()).containsExactly(true);
            over.countDown();
        }
    }

    @Test
    void a_gateway_that_answers_others_is_not_given_up_for_a_request_that_takes_long() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch taken = new CountDownLatch(1);
        try (Hop hop = new Hop();
                RawClient waiting = hop.client();
                RawClient other = hop.client()) {
            hop.answering((exchange, by) -> {
                if (exchange.head().target().equals("/long")) {
                    taken.countDown();
                    hold(over);
                }
                return Hop.text("hello");
            });
            waiting.send("GET /long HTTP/1.1\r\nHost: h\r\n\r\n");
            taken.await();
            hop.nanos.incrementAndGet();
            assertThat(other.get("/b/k").text()).isEqualTo("hello");
            hop.nanos.addAndGet(MORE_THAN_A_REACTION.toNanos());
            assertThat(waiting.reply().status()).isEqualTo(503);
            assertThat(hop.live()).containsExactly(true);
            assertThat(other.get("/b/k").text()).isEqualTo("hello");
            over.countDown();
        }
    }

    @Test
    void an_owner_that_answers_before_it_has_the_whole_body_is_heard() throws Exception {
        try (Hop hop = new Hop();
                RawClient client = hop.client()) {
            hop.answering((exchange, by) -> {
                try {
                    exchange.body().read();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return Hop.text(507, "no room");
            });
            client.send(HopTest.put("content-length: " + (2 << 20))).send(new byte[2 << 20]);
            RawClient.Reply reply = client.reply();
            assertThat(reply.status()).isEqualTo(507);
            assertThat(reply.text()).isEqualTo("no room");
        }
    }

    @Test
    void a_bug_of_the_owners_is_its_answer() throws Exception {
        try (Hop hop = new Hop();
                RawClient client = hop.client()) {
            hop.answering((exchange, by) -> {
                throw new IllegalStateException("a bug, for the test");
            });
            RawClient.Reply reply = client.get("/b/k");
            assertThat(reply.status()).isEqualTo(500);
            assertThat(reply.text()).contains("InternalError").contains(reply.field("x-amz-request-id"));
        }
    }

    @Test
    void an_owner_that_takes_the_body_and_never_answers_is_not_replaced() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch taken = new CountDownLatch(1);
        AtomicInteger requests = new AtomicInteger();
        try (Hop hop = new Hop();
                RawClient client = hop.client()) {
            hop.answering((exchange, by) -> {
                requests.incrementAndGet();
                try {
                    Hop.content(exchange, by);
                    taken.countDown();
                    over.await();
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
                return Hop.text("late");
            });
            client.send(HopTest.put("content-length: 5")).send("hello");
            taken.await();
            passUntilAnswered(hop, client);
            assertThat(client.reply().status()).isEqualTo(503);
            over.countDown();
            assertThat(requests).hasValue(1);
        }
    }

    @Test
    void an_owner_that_stops_to_take_the_body_is_given_up() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch taken = new CountDownLatch(1);
        try (Hop hop = new Hop();
                RawClient client = hop.client()) {
            hop.answering((exchange, by) -> {
                try (InputStream body = exchange.body()) {
                    body.read();
                    taken.countDown();
                    over.await();
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
                return Hop.text("late");
            });
            client.send(HopTest.put("content-length: " + (1L << 30)));
            Thread sending = Thread.ofVirtual().start(() -> sendUntilCut(client));
            taken.await();
            passUntilAnswered(hop, client);
            assertThat(client.reply().status()).isEqualTo(503);
            over.countDown();
            client.close();
            sending.join();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://h:1", "http://h:1/path", "http://h:0", "http://h:70000", "http://u@h:1", "h:1"})
    void an_address_that_is_none_of_a_gateway_is_refused(String address) {
        List<URI> addresses = List.of(URI.create(address));
        assertThatIllegalArgumentException().isThrownBy(() -> new PeerRegion("eu", addresses, Hop.SECRET));
    }

    private static void hold(CountDownLatch over) {
        try {
            over.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Lets time pass until the client has something to read. */
    private static void passUntilAnswered(Hop hop, RawClient client) {
        await().until(() -> {
            hop.nanos.addAndGet(MORE_THAN_AN_ANSWER.toNanos());
            return client.in().available() > 0;
        });
    }

    private static void sendUntilCut(RawClient client) {
        try {
            while (true) {
                client.send(new byte[64 * 1024]);
            }
        } catch (IOException cut) {
            // As it should be.
        }
    }

    /** Takes one request, and says nothing to it until its sender has left. */
    private static void takeOne(ServerSocket hole, CountDownLatch taken) {
        try (Socket socket = hole.accept()) {
            Hop.readHead(socket);
            taken.countDown();
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_gateway_that_fails_one_request_is_asked_again() throws Exception {
        try (Hop hop = new Hop();
                RawClient client = hop.client()) {
            hop.answering((exchange, by) -> exchange.head().target().equals("/unreadable")
                    ? new Response(200, List.of(), new Response.Body.Channel(unreadable(), 1 << 20))
                    : Hop.text("hello"));
            assertThat(client.get("/unreadable").status()).isEqualTo(503);
            assertThat(hop.live()).containsExactly(true);
            assertThat(client.get("/b/k").text()).isEqualTo("hello");
        }
    }

    private static void endlessly(OutputStream out) throws IOException {
        while (true) {
            out.write(new byte[64 * 1024]);
        }
    }

    private static Response endless(AtomicLong given, CountDownLatch closed) {
        return new Response(
                200,
                List.of(),
                new Response.Body.Channel(
                        new TestChannel() {
                            @Override
                            public int read(ByteBuffer target) {
                                int count = target.remaining();
                                given.addAndGet(count);
                                target.position(target.limit());
                                return count;
                            }

                            @Override
                            public void close() {
                                closed.countDown();
                            }
                        },
                        1L << 40));
    }

    private static TestChannel broken() {
        return new TestChannel() {
            private int reads;

            @Override
            public int read(ByteBuffer target) throws IOException {
                if (++reads > 3) {
                    throw new IOException("the account is gone");
                }
                int count = target.remaining();
                target.position(target.limit());
                return count;
            }
        };
    }

    private static TestChannel unreadable() {
        return new TestChannel() {
            @Override
            public int read(ByteBuffer target) throws IOException {
                throw new IOException("the account is gone");
            }
        };
    }

    private abstract static class TestChannel implements ReadableByteChannel {
        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
