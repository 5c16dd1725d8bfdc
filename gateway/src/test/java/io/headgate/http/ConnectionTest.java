package io.headgate.http;

import static io.headgate.http.ServerFixture.empty;
import static io.headgate.http.ServerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.http.RawClient.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The life of connections: kept, closed, pipelined, bounded, cut. */
final class ConnectionTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_connection_serves_many_requests_on_either_pool(boolean virtualSelectors) throws IOException {
        try (ServerFixture fixture =
                        new ServerFixture(config -> config.withVirtualThreadSelectors(virtualSelectors), exchange -> {
                            assertThat(Thread.currentThread().isVirtual()).isTrue();
                            return text(exchange.head().target());
                        });
                RawClient client = fixture.connect()) {
            for (int i = 0; i < 100; i++) {
                assertThat(client.get("/" + i).text()).isEqualTo("/" + i);
            }
        }
    }

    @Test
    void a_client_that_wants_to_close_is_closed() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> text("x"));
                RawClient client = fixture.connect()) {
            Reply reply = client.send(
                            "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n")
                    .reply();
            assertThat(reply.field("connection")).isEqualTo("close");
            assertThat(client.isClosedByServer()).isTrue();
            await().until(() -> fixture.observed.size() == 1);
        }
    }

    @Test
    void http_1_0_is_closed_unless_it_asks_to_be_kept() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> text("x"))) {
            try (RawClient client = fixture.connect()) {
                assertThat(client.send("GET / HTTP/1.0\r\n\r\n").reply().text()).isEqualTo("x");
                assertThat(client.isClosedByServer()).isTrue();
            }
            try (RawClient client = fixture.connect()) {
                for (int i = 0; i < 2; i++) {
                    Reply reply = client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                            .reply();
                    assertThat(reply.text()).isEqualTo("x");
                    assertThat(reply.field("connection")).isEqualToIgnoringCase("keep-alive");
                }
            }
        }
    }

    @Test
    void pipelined_requests_are_answered_in_order_with_their_own_bodies() throws IOException {
        HttpHandler handler = exchange -> {
            try {
                boolean unread = exchange.head().target().startsWith("/unread");
                String body = unread ? "" : new String(exchange.body().readAllBytes());
                return text(exchange.head().target() + " " + body);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        try (ServerFixture fixture = new ServerFixture(handler);
                RawClient client = fixture.connect()) {
            client.send("PUT /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab"
                    + "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n"
                    + "\r\nPUT /unread/3 HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nGET "
                    + "PUT /4 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ncde\r\n0\r\n\r\n"
                    + "HEAD /5 HTTP/1.1\r\nHost: h\r\n\r\n"
                    + "PUT /6 HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nf"
                    + "GET /7 HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\ng"
                    + "GET /8 HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n"
                    + "GET /9 HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.reply().text()).isEqualTo("/1 ab");
            assertThat(client.reply().text()).isEqualTo("/2 ");
            assertThat(client.reply().text()).isEqualTo("/unread/3 ");
            assertThat(client.reply().text()).isEqualTo("/4 cde");
            assertThat(client.reply(true).field("content-length")).isEqualTo("3");
            assertThat(client.reply().text()).isEqualTo("/6 f");
            assertThat(client.reply().text()).isEqualTo("/7 g");
            assertThat(client.reply().status()).isEqualTo(400);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a_head_in_many_pieces_is_read_as_one() throws IOException {
        try (ServerFixture fixture =
                        new ServerFixture(exchange -> text(exchange.head().target()));
                RawClient client = fixture.connect()) {
            for (char c : "GET /abc HTTP/1.1\r\nHost: h\r\n\r\n".toCharArray()) {
                client.send(String.valueOf(c));
            }
            assertThat(client.reply().text()).isEqualTo("/abc");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"G", "GET /slow", "GET /slow HTTP/1.1\r\nHost: h\r\n"})
    void a_head_that_is_not_complete_in_time_is_answered_with_408_and_cut(String begin) throws IOException {
        try (ServerFixture fixture = new ServerFixture(
                        config -> config.withTimeouts(Duration.ofSeconds(30), Duration.ofMillis(200)),
                        exchange -> text("x"));
                RawClient client = fixture.connect()) {
            assertThat(client.get("/first").status()).isEqualTo(200);
            Reply reply = client.send(begin).reply();
            assertThat(reply.status()).isEqualTo(408);
            assertThat(reply.text()).contains("<Code>RequestTimeout</Code>");
            assertThat(client.isClosedByServer()).isTrue();
            await().until(() -> fixture.observed.size() == 2);
            assertThat(fixture.observed)
                    .last()
                    .satisfies(observed -> assertThat(observed.status()).isEqualTo(408));
        }
    }

    @Test
    void a_head_that_trickles_without_end_is_cut() throws IOException {
        try (ServerFixture fixture = new ServerFixture(
                        config -> config.withTimeouts(Duration.ofSeconds(30), Duration.ofMillis(300)),
                        exchange -> text("x"));
                RawClient client = fixture.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: h\r\n");
            client.trickleUntilAnswered("a: b\r\n");
            assertThat(client.reply().status()).isEqualTo(408);
        }
    }

    @Test
    void a_head_that_came_slowly_but_in_time_leaves_the_connection_uncut() throws IOException {
        try (ServerFixture fixture = new ServerFixture(
                        config -> config.withTimeouts(Duration.ofSeconds(30), Duration.ofMillis(400)),
                        exchange -> text("x"));
                RawClient client = fixture.connect();
                RawClient later = fixture.connect()) {
            client.send("GET / HTTP/1.1\r\n");
            later.send("GET / HTTP/1.1\r\n");
            assertThat(client.send("Host: h\r\n\r\n").reply().status()).isEqualTo(200);
            // When the later head's time is over, so is the first one's.
            assertThat(later.reply().status()).isEqualTo(408);
            assertThat(client.get("/next").status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_silent_connection_is_closed_after_the_idle_timeout(boolean used) throws IOException {
        try (ServerFixture fixture = new ServerFixture(
                        config -> config.withTimeouts(Duration.ofMillis(200), Duration.ofSeconds(5)),
                        exchange -> text("x"));
                RawClient client = fixture.connect()) {
            if (used) {
                client.get("/");
            }
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void connections_above_the_cap_wait_until_one_closes() throws IOException {
        try (ServerFixture fixture =
                new ServerFixture(config -> config.withMaxConnections(10), exchange -> text("x"))) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                clients.add(fixture.connect());
                clients.get(i).send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            }
            int answered = 0;
            while (!clients.isEmpty()) {
                await().until(() -> clients.stream().anyMatch(ConnectionTest::hasAnswer));
                assertThat(clients.stream().filter(ConnectionTest::hasAnswer).count())
                        .isLessThanOrEqualTo(11);
                RawClient done = clients.stream()
                        .filter(ConnectionTest::hasAnswer)
                        .findFirst()
                        .orElseThrow();
                assertThat(done.reply().text()).isEqualTo("x");
                done.close();
                clients.remove(done);
                answered++;
            }
            assertThat(answered).isEqualTo(30);
        }
    }

    @Test
    void stopping_waits_for_requests_in_flight_and_accepts_no_more() throws Exception {
        CountDownLatch finish = new CountDownLatch(1);
        ServerFixture fixture = new ServerFixture(exchange -> {
            try {
                finish.await();
                return text(Integer.toString(exchange.body().readAllBytes().length));
            } catch (InterruptedException | IOException e) {
                throw new IllegalStateException(e);
            }
        });
        try (RawClient busy = fixture.connect();
                RawClient idle = fixture.connect()) {
            busy.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n");
            await().until(() -> fixture.server.requestsInFlight() == 1);
            CompletableFuture<Void> stopped =
                    CompletableFuture.runAsync(() -> fixture.server.stop(Duration.ofSeconds(20)));
            assertThat(idle.isClosedByServer()).isTrue();
            await().until(() -> refusesConnections(fixture));
            assertThat(stopped).isNotDone();
            finish.countDown();
            busy.send(new byte[100_000]);
            Reply reply = busy.reply();
            assertThat(reply.text()).isEqualTo("100000");
            assertThat(reply.field("connection")).isEqualTo("close");
            stopped.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_request_that_outlasts_the_drain_is_cut() throws Exception {
        ServerFixture fixture = new ServerFixture(exchange -> {
            try {
                exchange.body().readAllBytes();
                return text("whole");
            } catch (IOException e) {
                return empty(400);
            }
        });
        try (RawClient client = fixture.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n");
            await().until(() -> fixture.server.requestsInFlight() == 1);
            fixture.server.stop(Duration.ofMillis(100));
            assertThat(client.everything()).doesNotContain("200 OK");
            await().until(() -> fixture.server.requestsInFlight() == 0);
        }
    }

    @Test
    void an_address_in_use_is_an_io_error() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))) {
            assertThatThrownBy(() -> HttpServer.start(
                            HttpServerConfig.listeningOn("127.0.0.1", taken.getLocalPort()),
                            exchange -> text("x"),
                            observed -> {},
                            InstantSource.system(),
                            new Random(1)))
                    .isInstanceOf(IOException.class);
        }
    }

    private static boolean hasAnswer(RawClient client) {
        try {
            return client.in().available() > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean refusesConnections(ServerFixture fixture) {
        try (RawClient client = fixture.connect()) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
