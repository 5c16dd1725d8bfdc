package io.headgate.http;

import static io.headgate.http.ServerFixture.text;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.http.RawClient.Reply;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What of a request reaches the handler, and what is refused before. */
final class RequestTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "//",
                "/b//k",
                "/b/../k",
                "/b/./k/..",
                "/b/a%2Fb",
                "/b/a%2fb",
                "/b/a%20b+c",
                "/b/%FF%fe",
                "/b/%E2%82%AC",
                "/b/a;v=1;w",
                "/b/k?",
                "/b/k??a=?&b",
                "/b?prefix=a%01b",
                "/b/k#f",
                "/b/\"<>\\^`{|}",
                "/b/%25",
                "/b/a:b@c",
                "/%2e%2e/x",
                "/http://x/y",
            })
    void a_target_reaches_the_handler_as_it_was_sent(String target) throws IOException {
        try (ServerFixture fixture =
                        new ServerFixture(exchange -> text(exchange.head().target()));
                RawClient client = fixture.connect()) {
            assertThat(client.get(target).text()).isEqualTo(target);
            assertThat(client.get("/next").text()).isEqualTo("/next");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://proxied.example:9000/b/%2F//k?q, /b/%2F//k?q",
        "HTTP://proxied.example:9000, /",
        "https://proxied.example:9000?list, /?list",
    })
    void an_absolute_target_is_taken_in_origin_form_and_its_authority_stands_for_the_host(String sent, String received)
            throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange ->
                        text(exchange.head().target() + " " + exchange.head().header("host")));
                RawClient client = fixture.connect()) {
            Reply reply = client.send("GET " + sent + " HTTP/1.1\r\nHost: other\r\n\r\n")
                    .reply();
            assertThat(reply.text()).isEqualTo(received + " proxied.example:9000");
        }
    }

    @Test
    void header_fields_arrive_in_order_with_lower_case_names_and_latin_1_values() throws IOException {
        try (ServerFixture fixture = new ServerFixture(
                        exchange -> text(exchange.head().fields().toString()));
                RawClient client = fixture.connect()) {
            Reply reply = client.send("GET / HTTP/1.1\r\nHost: h:80\r\nX-Amz-Meta-A:  \u00e9\u00ff \r\n"
                            + "x-AMZ-meta-a: two\r\nE:\r\n\r\n")
                    .reply();
            assertThat(reply.text())
                    .isEqualTo(List.of(
                                    new RequestHead.Field("host", "h:80"),
                                    new RequestHead.Field("x-amz-meta-a", "\u00e9\u00ff"),
                                    new RequestHead.Field("x-amz-meta-a", "two"),
                                    new RequestHead.Field("e", ""))
                            .toString());
        }
    }

    @Test
    void a_field_that_differs_from_a_common_one_in_case_only_keeps_its_case() throws IOException {
        List<String> values =
                List.of("text/plain; charset=UTF-8", "text/plain; charset=utf-8", "Text/HTML", "KEEP-alive");
        try (ServerFixture fixture =
                        new ServerFixture(exchange -> text(exchange.head().header("content-type")));
                RawClient client = fixture.connect()) {
            for (String value : values) {
                Reply reply = client.send("GET / HTTP/1.1\r\nHost: h\r\nContent-Type: " + value + "\r\n\r\n")
                        .reply();
                assertThat(reply.text()).isEqualTo(value);
            }
        }
    }

    @Test
    void request_ids_are_sixteen_hex_digits_and_all_different() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> text(exchange.requestId()))) {
            for (int i = 0; i < 20; i++) {
                try (RawClient client = fixture.connect()) {
                    for (int j = 0; j < 5; j++) {
                        Reply reply = client.get("/");
                        assertThat(reply.text()).matches("[0-9A-F]{16}").isEqualTo(reply.field("x-amz-request-id"));
                    }
                }
            }
            await().until(() -> fixture.observed.size() == 100);
            assertThat(fixture.observed.stream()
                            .map(CompletedExchange::requestId)
                            .collect(Collectors.toSet()))
                    .hasSize(100);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/b/%00",
                "/b/%zz",
                "/b/%2",
                "/b/%",
                "/b/\u00e9",
                "/b/\u0080",
                "*",
                "b/k",
                "ftp://x/y",
                "http:///b",
                "?x",
            })
    void a_target_that_is_none_is_an_invalid_uri(String target) throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> text("reached"));
                RawClient client = fixture.connect()) {
            Reply reply = client.get(target);
            assertRefused(fixture, reply, 400, "InvalidURI");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET / HTTP/1.1\\r\\n\\r\\n | 400 | BadRequest",
                "GET /\u0007 HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n | 400 | BadRequest",
                "GET /\u007f HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n | 400 | BadRequest",
                "GET / HTTP/1.1\\r\\nHost: a\\r\\nHost: b\\r\\n\\r\\n | 400 | BadRequest",
                "GET / HTTP/1.1\\r\\nHost:\\r\\n\\r\\n | 400 | BadRequest",
                "GET / HTTP/3.7\\r\\nHost: h\\r\\n\\r\\n | 505 | HTTPVersionNotSupported",
                "GET /\\r\\n\\r\\n | 505 | HTTPVersionNotSupported",
                "GET / NONSENSE\\r\\nHost: h\\r\\n\\r\\n | 505 | HTTPVersionNotSupported",
                "G@T / HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n | 400 | BadRequest",
                "GET / HTTP/1.1\\r\\nHost: h\\r\\nA B: c\\r\\n\\r\\n | 400 | BadRequest",
                "GET / HTTP/1.1\\r\\nHost: h\\r\\nA : c\\r\\n\\r\\n | 400 | BadRequest",
                "GET / HTTP/1.1\\r\\nHost: h\\r\\n folded: c\\r\\n\\r\\n | 400 | BadRequest",
                "GET / HTTP/1.1\\r\\nHost: h\\r\\nA: b\\r\\n c\\r\\n\\r\\n | 400 | BadRequest",
                "GET / HTTP/1.1\\r\\nHost: h\\r\\nno colon\\r\\n\\r\\n | 400 | BadRequest",
                "PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 1\\r\\nContent-Length: 2\\r\\n\\r\\nab | 400 | BadRequest",
                "PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 1\\r\\nContent-Length: 1\\r\\n\\r\\na | 400 | BadRequest",
                "PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: -1\\r\\n\\r\\n | 400 | BadRequest",
                "PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: +1\\r\\n\\r\\na | 400 | BadRequest",
                "PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 1x\\r\\n\\r\\na | 400 | BadRequest",
                "PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 99999999999999999999\\r\\n\\r\\na | 400 | BadRequest",
                "PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 1\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n | 400 | BadRequest",
                "PUT / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked\\r\\nContent-Length: 1\\r\\n\\r\\n0\\r\\n\\r\\n | 400 | BadRequest",
                "PUT / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: gzip\\r\\n\\r\\n | 400 | BadRequest",
                "PUT / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked, gzip\\r\\n\\r\\n | 400 | BadRequest",
            })
    void what_is_not_http_is_refused_in_xml_and_the_connection_closed(String request, int status, String code)
            throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> text("reached"));
                RawClient client = fixture.connect()) {
            Reply reply = client.send(request.strip().replace("\\r", "\r").replace("\\n", "\n"))
                    .reply();
            assertRefused(fixture, reply, status, code);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a_head_that_is_too_large_is_refused() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> text("reached"));
                RawClient client = fixture.connect()) {
            Reply reply = client.send("GET / HTTP/1.1\r\nHost: h\r\nA: " + "a".repeat(40_000) + "\r\n\r\n")
                    .reply();
            assertRefused(fixture, reply, 431, "RequestHeaderSectionTooLarge");
        }
    }

    @Test
    void a_head_of_too_many_fields_is_refused() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> text("reached"));
                RawClient client = fixture.connect()) {
            Reply reply = client.send("GET / HTTP/1.1\r\nHost: h\r\n" + "A: b\r\n".repeat(200) + "\r\n")
                    .reply();
            assertRefused(fixture, reply, 431, "RequestHeaderSectionTooLarge");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {16 * 1024 + 1, 40_000})
    void a_target_that_is_too_long_is_refused(int bytes) throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> text("reached"));
                RawClient client = fixture.connect()) {
            assertRefused(fixture, client.get("/" + "a".repeat(bytes - 1)), 414, "InvalidURI");
        }
    }

    @Test
    void the_longest_presigned_target_and_eight_kilobytes_of_fields_pass() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange ->
                        text(Integer.toString(exchange.head().target().length())));
                RawClient client = fixture.connect()) {
            String target = "/" + "%E2%82%AC".repeat(16 * 1024 / 9);
            Reply reply = client.send(
                            "GET " + target + " HTTP/1.1\r\nHost: h\r\nA: " + "a".repeat(8 * 1024) + "\r\n\r\n")
                    .reply();
            assertThat(reply.text()).isEqualTo(Integer.toString(target.length()));
        }
    }

    @Test
    void a_refused_head_request_gets_no_body() throws IOException {
        try (ServerFixture fixture = new ServerFixture(exchange -> text("reached"));
                RawClient client = fixture.connect()) {
            client.send("HEAD / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n");
            String everything = client.everything();
            assertThat(everything).startsWith("HTTP/1.1 400 ").endsWith("\r\n\r\n");
        }
    }

    private static void assertRefused(ServerFixture fixture, Reply reply, int status, String code) {
        assertThat(reply.status()).isEqualTo(status);
        assertThat(reply.field("content-type")).isEqualTo("application/xml");
        assertThat(reply.field("server")).isEqualTo("Headgate");
        assertThat(reply.field("date")).isNotNull();
        assertThat(reply.text())
                .contains("<Error><Code>" + code + "</Code><Message>")
                .contains("<RequestId>" + reply.field("x-amz-request-id") + "</RequestId></Error>");
        await().atMost(5, SECONDS).until(() -> fixture.observed.size() == 1);
        CompletedExchange observed = fixture.observed.element();
        assertThat(observed.status()).isEqualTo(status);
        assertThat(observed.requestId()).isEqualTo(reply.field("x-amz-request-id"));
        assertThat(observed.sentBytes()).isEqualTo(reply.body().length);
    }
}
