package io.headgate.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.RawClient;
import io.headgate.http.RequestHead.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is let through at the internal address. */
final class PeerHandlerTest {
    private Hop hop;
    private int nonces;

    @BeforeEach
    void start() throws IOException {
        hop = new Hop();
    }

    @AfterEach
    void stop() {
        hop.close();
    }

    @Test
    void a_request_that_a_known_region_signed_is_let_through_once() throws IOException {
        List<Field> fields = signed(Hop.SECRET, unsigned("us", "eu"));
        assertThat(status("GET", "/b/k", fields)).isEqualTo(200);
        assertThat(status("GET", "/b/k", fields)).as("sent again").isEqualTo(403);
        assertThat(status("GET", "/b/k", signed(Hop.SECRET, unsigned("us", "eu"))))
                .isEqualTo(200);
        assertThat(hop.receiver.refused()).isEqualTo(1);
    }

    @Test
    void a_request_that_was_changed_on_the_way_is_refused() throws IOException {
        assertThat(status("HEAD", "/b/k", signed(Hop.SECRET, unsigned("us", "eu"))))
                .as("another method")
                .isEqualTo(403);
        assertThat(status("GET", "/b/k2", signed(Hop.SECRET, unsigned("us", "eu"))))
                .as("another target")
                .isEqualTo(403);
        changed(fields -> replaced(fields, PeerFields.USER, "bob"));
        changed(fields -> replaced(fields, PeerFields.TIME, "" + (hop.now.toEpochMilli() + 1)));
        changed(fields -> replaced(fields, PeerFields.NONCE, "f".repeat(32)));
        changed(fields -> replaced(fields, "range", "bytes=0-1"));
        changed(fields -> plus(fields, new Field("x-amz-meta-more", "")));
        changed(fields -> plus(fields, new Field(PeerFields.USER, "bob")));
        changed(fields -> fields.stream().filter(f -> !f.name().equals("range")).toList());
        changed(fields -> fields.reversed());
        assertThat(hop.receiver.refused()).isEqualTo(10);
    }

    @Test
    void where_a_field_ends_and_the_next_begins_is_signed_too() throws IOException {
        List<Field> fields = unsigned("us", "eu");
        fields.add(new Field("x-amz-meta-a", "1"));
        fields.add(new Field("x-amz-meta-b", "2"));
        String signature = Hop.SECRET.ofRequest("GET", "/b/k", fields);
        fields.set(fields.size() - 2, new Field("x-amz-meta-a", "1x-amz-meta-b2"));
        fields.removeLast();
        fields.add(new Field(PeerFields.SIGNATURE, signature));
        assertThat(status("GET", "/b/k", fields)).isEqualTo(403);
    }

    @Test
    void who_does_not_know_the_secret_is_refused() throws IOException {
        PeerSecret other = new PeerSecret("another secret of theirs");
        assertThat(status("GET", "/b/k", signed(other, unsigned("us", "eu")))).isEqualTo(403);
        assertThat(status("GET", "/b/k", signed(Hop.SECRET, unsigned("mars", "eu"))))
                .isEqualTo(403);
        assertThat(status("GET", "/b/k", signed(Hop.SECRET, unsigned("us", "asia"))))
                .isEqualTo(403);
        assertThat(status("GET", "/b/k", unsigned("us", "eu"))).isEqualTo(403);
        assertThat(status(
                        "GET",
                        "/b/k",
                        List.of(
                                new Field("host", "h"),
                                new Field("authorization", "AWS4-HMAC-SHA256 Credential=root/20261130/us-east-1/s3"))))
                .as("a client's credentials alone")
                .isEqualTo(403);
        try (RawClient client = new RawClient(hop.owner.address())) {
            assertThat(client.get("/b/k").body()).isEmpty();
        }
    }

    @Test
    void a_request_of_more_than_a_minute_before_or_after_now_is_refused() throws IOException {
        for (long seconds : new long[] {61, -61}) {
            List<Field> fields = signed(Hop.SECRET, unsigned("us", "eu"));
            hop.now = hop.now.plusSeconds(seconds);
            assertThat(status("GET", "/b/k", fields)).isEqualTo(403);
            hop.now = hop.now.minusSeconds(seconds);
        }
        List<Field> fields = signed(Hop.SECRET, unsigned("us", "eu"));
        hop.now = hop.now.plusSeconds(59);
        assertThat(status("GET", "/b/k", fields)).isEqualTo(200);
        assertThat(status("GET", "/b/k", fields)).as("sent again").isEqualTo(403);
    }

    private void changed(UnaryOperator<List<Field>> change) throws IOException {
        assertThat(status("GET", "/b/k", change.apply(signed(Hop.SECRET, unsigned("us", "eu")))))
                .isEqualTo(403);
    }

    private static List<Field> replaced(List<Field> fields, String name, String value) {
        return fields.stream()
                .map(field -> field.name().equals(name) ? new Field(name, value) : field)
                .toList();
    }

    private static List<Field> plus(List<Field> fields, Field more) {
        List<Field> all = new ArrayList<>(fields);
        all.add(more);
        return all;
    }

    private static List<Field> signed(PeerSecret secret, List<Field> fields) {
        return plus(fields, new Field(PeerFields.SIGNATURE, secret.ofRequest("GET", "/b/k", fields)));
    }

    private List<Field> unsigned(String from, String to) {
        return new ArrayList<>(List.of(
                new Field("host", "h"),
                new Field("range", "bytes=0-"),
                new Field(PeerFields.FROM, from),
                new Field(PeerFields.TO, to),
                new Field(PeerFields.USER, "alice"),
                new Field(PeerFields.REQUEST_ID, "0123456789ABCDEF"),
                new Field(PeerFields.TIME, "" + hop.now.toEpochMilli()),
                new Field(PeerFields.NONCE, "%032x".formatted(++nonces))));
    }

    private int status(String method, String target, List<Field> fields) throws IOException {
        StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        fields.forEach(field ->
                head.append(field.name()).append(": ").append(field.value()).append("\r\n"));
        try (RawClient client = new RawClient(hop.owner.address())) {
            return client.send(head.append("\r\n").toString())
                    .reply(method.equals("HEAD"))
                    .status();
        }
    }
}
