package io.headgate.http;

import static io.headgate.http.ServerFixture.empty;
import static io.headgate.http.ServerFixture.text;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BodyException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random and mutated requests: never a 500, never a hang, never a stack trace, and the server serves on. */
final class HttpFuzzTest {
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3}) ");
    private static final List<String> METHODS =
            List.of("GET", "PUT", "HEAD", "POST", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PRI", "x", "");
    private static final List<String> TARGETS = List.of(
            "/",
            "/a",
            "//",
            "*",
            "/%",
            "/%00",
            "/%zz",
            "/a?b",
            "http://h/a",
            "http://",
            "h:80",
            "/\u00ff",
            "/a b",
            "/a\tb",
            "",
            "/../..",
            "/a#b");
    private static final List<String> VERSIONS = List.of(
            "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP", "");
    private static final List<String> FIELDS = List.of(
            "Host: h",
            "Host: h:99999",
            "Host: [::1",
            "Host: a b",
            "Content-Length: 3",
            "Content-Length: 0",
            "Content-Length: 3, 3",
            "Content-Length: 9223372036854775807",
            "Content-Length:",
            "Transfer-Encoding: chunked",
            "Transfer-Encoding: Chunked",
            "Transfer-Encoding: identity",
            "Transfer-Encoding: chunked, chunked",
            "Expect: 100-continue",
            "Expect: 100-Continue, x",
            "Expect:",
            "Connection: close",
            "Connection: keep-alive, upgrade",
            "Connection: \u00ff",
            "Upgrade: h2c",
            "Upgrade: websocket",
            "HTTP2-Settings: x",
            "A: \u0001",
            "A\u0000: b",
            ": b",
            "A",
            " A: b",
            "Cookie: a=b; $Version=1; =",
            "Content-Type: text/html; charset=x",
            "Forwarded: for=\"x",
            "TE: trailers",
            "Trailer: a");
    private static final List<String> BODIES = List.of(
            "",
            "abc",
            "3\r\nabc\r\n0\r\n\r\n",
            "3\r\nabc\r\n0\r\nA: b\r\n\r\n",
            "fffffffff\r\n",
            "3;a=\"b\r\nabc\r\n",
            "\r\n",
            "GET / HTTP/1.1\r\n\r\n");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void assembled_requests_are_answered_or_refused(long seed) throws IOException {
        Random random = new Random(seed);
        try (ServerFixture fixture = new ServerFixture(HttpFuzzTest::limits, HttpFuzzTest::readOrNot)) {
            for (int i = 0; i < 400; i++) {
                StringBuilder request = new StringBuilder();
                for (int n = 1 + random.nextInt(3); n > 0; n--) {
                    append(request, random);
                }
                exchange(fixture, request.toString(), seed + "/" + i);
            }
            assertServes(fixture);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6})
    void mutated_requests_are_answered_or_refused(long seed) throws IOException {
        Random random = new Random(seed);
        String valid =
                "PUT /bucket/key?partNumber=1 HTTP/1.1\r\nHost: example.com\r\nContent-Length: 5\r\nx-amz-meta-a: b\r\n\r\nhello"
                        + "PUT /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nx-a: b\r\n\r\n"
                        + "GET /c HTTP/1.1\r\nHost: h\r\n\r\n";
        try (ServerFixture fixture = new ServerFixture(HttpFuzzTest::limits, HttpFuzzTest::readOrNot)) {
            for (int i = 0; i < 600; i++) {
                StringBuilder mutated = new StringBuilder(valid);
                for (int n = 1 + random.nextInt(4); n > 0; n--) {
                    int at = random.nextInt(mutated.length());
                    switch (random.nextInt(4)) {
                        case 0 -> mutated.setCharAt(at, (char) random.nextInt(256));
                        case 1 -> mutated.insert(at, (char) random.nextInt(256));
                        case 2 -> mutated.deleteCharAt(at);
                        default -> mutated.delete(at, Math.min(mutated.length(), at + random.nextInt(30)));
                    }
                    if (mutated.isEmpty()) {
                        mutated.append('x');
                    }
                }
                exchange(fixture, mutated.toString(), seed + "/" + i);
            }
            assertServes(fixture);
        }
    }

    @Test
    void noise_is_refused() throws IOException {
        Random random = new Random(7);
        try (ServerFixture fixture = new ServerFixture(HttpFuzzTest::limits, HttpFuzzTest::readOrNot)) {
            for (int i = 0; i < 200; i++) {
                byte[] noise = new byte[1 + random.nextInt(300)];
                random.nextBytes(noise);
                exchange(fixture, new String(noise, ISO_8859_1), "noise " + i);
            }
            assertServes(fixture);
        }
    }

    private static HttpServerConfig limits(HttpServerConfig config) {
        return config.withTimeouts(Duration.ofSeconds(10), Duration.ofSeconds(10));
    }

    /** Reads the body of half of the targets. */
    private static Response readOrNot(Exchange exchange) {
        if (exchange.head().target().hashCode() % 2 == 0) {
            return text(exchange.head().target());
        }
        try {
            return text("" + exchange.body().readAllBytes().length);
        } catch (BodyException e) {
            return empty(400);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void append(StringBuilder request, Random random) {
        request.append(pick(METHODS, random))
                .append(' ')
                .append(pick(TARGETS, random))
                .append(' ');
        request.append(pick(VERSIONS, random)).append(random.nextInt(20) == 0 ? "\n" : "\r\n");
        if (random.nextInt(5) > 0) {
            request.append("Host: h\r\n");
        }
        for (int n = random.nextInt(4); n > 0; n--) {
            request.append(pick(FIELDS, random)).append(random.nextInt(20) == 0 ? "\n" : "\r\n");
        }
        request.append("\r\n").append(pick(BODIES, random));
    }

    /** Sends it, ends the sending half, and reads until the server closes, which it must do by itself. */
    private static void exchange(ServerFixture fixture, String request, String name) throws IOException {
        String replies;
        try (RawClient client = fixture.connect()) {
            try {
                client.send(request);
                client.socket().shutdownOutput();
            } catch (IOException alreadyClosed) {
                // It is allowed to refuse before it has read all.
            }
            replies = client.everything();
        }
        Matcher status = STATUS.matcher(replies);
        while (status.find()) {
            int code = Integer.parseInt(status.group(1));
            assertThat(code).as("%s: %s -> %s", name, request, replies).isNotIn(500, 502, 503, 504);
        }
        assertThat(replies).as("%s: %s", name, request).doesNotContain("Exception", "\tat ", "org.eclipse", "java.");
    }

    private static void assertServes(ServerFixture fixture) throws IOException {
        try (RawClient client = fixture.connect()) {
            assertThat(client.get("/").status()).isEqualTo(200);
            assertThat(fixture.server.requestsInFlight()).isLessThanOrEqualTo(1);
        }
    }

    private static String pick(List<String> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }
}
