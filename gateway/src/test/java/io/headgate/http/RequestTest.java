package io.headgate.http;

import static io.headgate.http.ServerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.RawClient.Reply;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What of a request reaches the handler. */
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
            })
    void a_target_reaches_the_handler_as_it_was_sent(String target) throws IOException {
        try (ServerFixture fixture =
                        new ServerFixture(exchange -> text(exchange.head().target()));
                RawClient client = fixture.connect()) {
            assertThat(client.get(target).text()).isEqualTo(target);
            assertThat(client.get("/next").text()).isEqualTo("/next");
        }
    }

    @Test
    void header_fields_arrive_in_order_with_lower_case_names_and_latin_1_values() throws IOException {
        try (ServerFixture fixture = new ServerFixture(
                        exchange -> text(exchange.head().fields().toString()));
                RawClient client = fixture.connect()) {
            Reply reply = client.send(
                            "GET / HTTP/1.1\r\nHost: h:80\r\nX-Amz-Meta-A:  \u00e9\u00ff \r\nx-AMZ-meta-a: two\r\nE:\r\n\r\n")
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
}
