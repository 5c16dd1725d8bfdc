package io.headgate.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.HttpServer;
import io.headgate.http.HttpServerConfig;
import io.headgate.http.RawClient;
import io.headgate.http.RequestHead.Field;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whom a gateway believes that it has sent a request to. */
final class HopTrustTest {
    @Test
    void an_answer_that_the_region_did_not_sign_is_not_relayed() throws Exception {
        for (String answer : List.of(
                "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged",
                "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nx-headgate-peer-answer: " + "0".repeat(64) + "\r\n\r\nforged",
                "HTTP/1.1 421 Misdirected\r\nContent-Length: 0\r\nx-headgate-peer-misdirected: 1\r\n\r\n",
                "nonsense\r\n\r\n",
                "")) {
            try (ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
                    Hop hop = new Hop(List.of(URI.create("http://127.0.0.1:" + listener.getLocalPort())));
                    RawClient client = hop.client()) {
                Thread.ofVirtual().start(() -> Hop.answerAll(listener, answer));
                client.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
                assertThat(client.reply().status()).as(answer).isEqualTo(503);
                for (int i = 0; i < 3; i++) {
                    assertThat(client.get("/b/k").text())
                            .as("from the other gateway")
                            .isEqualTo("hello");
                }
            }
        }
    }

    @Test
    void a_gateway_that_refuses_all_is_left_alone() throws Exception {
        Instant at = Instant.parse("2026-11-30T12:00:00Z");
        PeerHandler wrong = new PeerHandler(
                "eu", Map.of("us", new PeerSecret("some other secret")), (exchange, by) -> Hop.text("never"), () -> at);
        HttpServer refusing = HttpServer.start(
                HttpServerConfig.listeningOn("127.0.0.1", 0), wrong, done -> {}, () -> at, new Random(9));
        try (Hop hop = new Hop(List.of(Hop.address(refusing)));
                RawClient client = hop.client()) {
            client.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.reply().status()).isEqualTo(503);
            assertThat(hop.live()).containsExactly(false, true);
            for (int i = 0; i < 3; i++) {
                client.send("DELETE /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
                assertThat(client.reply().text()).isEqualTo("hello");
            }
            assertThat(wrong.refused()).isEqualTo(1);
        } finally {
            refusing.stop(Duration.ZERO);
        }
    }

    @Test
    void an_answer_that_was_changed_on_the_way_is_not_relayed() {
        List<Field> fields = List.of(new Field("etag", "\"1\""), new Field("date", "now"));
        String signature = Hop.SECRET.ofAnswer("n", 200, fields);
        assertThat(Hop.SECRET.ofAnswer("m", 200, fields)).isNotEqualTo(signature);
        assertThat(Hop.SECRET.ofAnswer("n", 404, fields)).isNotEqualTo(signature);
        assertThat(Hop.SECRET.ofAnswer("n", 200, fields.subList(1, 2))).isNotEqualTo(signature);
        assertThat(Hop.SECRET.ofAnswer("n", 200, fields.subList(0, 1)))
                .as("without what each server adds by itself")
                .isEqualTo(signature);
    }
}
