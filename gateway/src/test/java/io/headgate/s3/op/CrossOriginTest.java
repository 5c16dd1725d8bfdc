package io.headgate.s3.op;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.cors.CorsConfiguration;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.XmlElement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CrossOriginTest {
    private static final String RULES = """
            <CORSRule><ID>one</ID><AllowedMethod>GET</AllowedMethod><AllowedMethod>PUT</AllowedMethod>\
            <AllowedOrigin>http://*.example.com</AllowedOrigin><AllowedHeader>x-amz-*</AllowedHeader>\
            <MaxAgeSeconds>60</MaxAgeSeconds><ExposeHeader>ETag</ExposeHeader></CORSRule>\
            <CORSRule><AllowedMethod>DELETE</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>""";

    private static CorsConfiguration read(String rules) {
        String document = "<CORSConfiguration>" + rules + "</CORSConfiguration>";
        return CorsDocument.read(XmlElement.parse(document.getBytes(UTF_8), CorsDocument.ROOT));
    }

    private static String rule(String elements) {
        return "<CORSRule>" + elements + "</CORSRule>";
    }

    private static RequestHead head(String method, String... namesAndValues) {
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.add(new Field(namesAndValues[i], namesAndValues[i + 1]));
        }
        return new RequestHead(method, "/bucket/key", fields, "127.0.0.1");
    }

    private static void refused(S3Error error, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refusal -> assertThat(refusal.error()).isEqualTo(error));
    }

    private static Response preflight(String... namesAndValues) {
        return CrossOrigin.preflight(Optional.of(read(RULES)), head("OPTIONS", namesAndValues), "OBJECT");
    }

    private static Optional<String> header(Response response, String name) {
        return response.headers().stream()
                .filter(field -> field.name().equals(name))
                .map(Field::value)
                .findFirst();
    }

    @Test
    void a_document_is_written_as_it_was_read() {
        String written = new String(CorsDocument.write(read(RULES)).end(CorsDocument.ROOT), UTF_8);

        assertThat(written).contains(RULES);
        assertThat(CorsDocument.read(XmlElement.parse(written.getBytes(UTF_8), CorsDocument.ROOT)))
                .isEqualTo(read(RULES));
    }

    @ParameterizedTest
    @CsvSource({
        "<AllowedMethod>GET</AllowedMethod>, MALFORMED_XML",
        "<AllowedOrigin>*</AllowedOrigin>, MALFORMED_XML",
        "<AllowedMethod>PATCH</AllowedMethod><AllowedOrigin>*</AllowedOrigin>, INVALID_REQUEST",
        "<AllowedMethod>GET</AllowedMethod><AllowedOrigin>*.*</AllowedOrigin>, INVALID_REQUEST",
        "<AllowedMethod>GET</AllowedMethod><AllowedOrigin>a b</AllowedOrigin>, INVALID_REQUEST",
        "<AllowedMethod>GET</AllowedMethod><AllowedOrigin>a</AllowedOrigin><AllowedHeader>**</AllowedHeader>, INVALID_REQUEST",
        "<AllowedMethod>GET</AllowedMethod><AllowedOrigin>a</AllowedOrigin><ExposeHeader>x*</ExposeHeader>, INVALID_REQUEST",
        "<AllowedMethod>GET</AllowedMethod><AllowedOrigin>a</AllowedOrigin><MaxAgeSeconds>x</MaxAgeSeconds>, MALFORMED_XML",
        "<AllowedMethod>GET</AllowedMethod><AllowedOrigin>a</AllowedOrigin><MaxAgeSeconds>-1</MaxAgeSeconds>, MALFORMED_XML",
    })
    void a_rule_that_breaks_the_rules_is_refused(String elements, S3Error error) {
        refused(error, () -> read(rule(elements)));
    }

    @Test
    void there_are_one_to_a_hundred_rules() {
        String rule = rule("<AllowedMethod>GET</AllowedMethod><AllowedOrigin>a</AllowedOrigin>");
        refused(S3Error.MALFORMED_XML, () -> read(""));
        assertThat(read(rule.repeat(100)).rules()).hasSize(100);
        refused(S3Error.MALFORMED_XML, () -> read(rule.repeat(101)));
    }

    @Test
    void a_browser_that_asks_first_is_told_what_is_allowed() {
        Response answer = preflight(
                "Origin", "http://a.example.com",
                "Access-Control-Request-Method", "PUT",
                "Access-Control-Request-Headers", "X-Amz-Acl,, x-amz-date ");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(header(answer, "access-control-allow-origin")).contains("http://a.example.com");
        assertThat(header(answer, "access-control-allow-methods")).contains("GET, PUT");
        assertThat(header(answer, "access-control-allow-headers")).contains("x-amz-acl, x-amz-date");
        assertThat(header(answer, "access-control-max-age")).contains("60");
    }

    @Test
    void what_is_not_allowed_is_forbidden() {
        refused(
                S3Error.ACCESS_FORBIDDEN,
                () -> preflight("Origin", "http://a.example.org", "Access-Control-Request-Method", "PUT"));
        refused(
                S3Error.ACCESS_FORBIDDEN,
                () -> preflight(
                        "Origin", "http://a.example.com",
                        "Access-Control-Request-Method", "PUT",
                        "Access-Control-Request-Headers", "range"));
        refused(
                S3Error.ACCESS_FORBIDDEN,
                () -> CrossOrigin.preflight(
                        Optional.empty(),
                        head("OPTIONS", "Origin", "http://a.example.com", "Access-Control-Request-Method", "PUT"),
                        "BUCKET"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "get", "PATCH"})
    void a_browser_must_say_what_it_asks(String method) {
        refused(S3Error.BAD_REQUEST, () -> preflight("Origin", "http://a", "Access-Control-Request-Method", method));
        refused(S3Error.BAD_REQUEST, () -> preflight("Origin", "http://a"));
        refused(S3Error.BAD_REQUEST, () -> preflight("Access-Control-Request-Method", "GET"));
    }

    @Test
    void an_answer_says_so_if_a_rule_allows_its_request() {
        Response answer = Responses.empty(404);
        CorsConfiguration rules = read(RULES);

        assertThat(header(
                        CrossOrigin.with(answer, rules, head("GET", "Origin", "http://a.example.com")),
                        "access-control-allow-origin"))
                .contains("http://a.example.com");
        assertThat(header(
                        CrossOrigin.with(answer, rules, head("DELETE", "Origin", "http://elsewhere")),
                        "access-control-allow-origin"))
                .contains("*");
        assertThat(CrossOrigin.with(answer, rules, head("GET", "Origin", "http://elsewhere")))
                .isEqualTo(answer);
        assertThat(CrossOrigin.with(answer, rules, head("GET"))).isEqualTo(answer);
    }

    @Test
    void a_method_that_is_asked_about_counts_before_that_of_the_request() {
        Response answer = CrossOrigin.with(
                Responses.empty(403),
                read(RULES),
                head("POST", "Origin", "http://a.example.com", "Access-Control-Request-Method", "GET"));

        assertThat(header(answer, "access-control-allow-origin")).contains("http://a.example.com");
    }
}
