package io.headgate.cors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CorsConfigurationTest {
    private static CorsRule rule(List<String> origins, List<String> methods, List<String> headers) {
        return new CorsRule(Optional.empty(), origins, methods, headers, List.of(), OptionalInt.empty());
    }

    private static boolean allows(CorsRule rule, String origin, String method, String... headers) {
        return new CorsConfiguration(List.of(rule))
                .match(origin, method, List.of(headers))
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "http://a.com,     http://a.com,    true",
        "http://a.com,     http://a.com:80, false",
        "http://a.com,     http://A.com,    false",
        "*,                http://a.com,    true",
        "*suffix,          foo.suffix,      true",
        "*suffix,          foo.suffix.get,  false",
        "start*end,        startend,        true",
        "start*end,        start12end,      true",
        "start*end,        0start12end,     false",
        "prefix*,          prefix,          true",
        "prefix*,          bla.prefix,      false",
        "ab*ba,            aba,             false",
        "ab*ba,            abba,            true",
        "http://*.a.com,   http://.a.com,   true",
        "http://*.a.com,   http://a.com,    false",
        "a.c,              abc,             false",
    })
    void an_origin_is_met_as_it_stands_or_by_what_the_star_leaves(String allowed, String origin, boolean met) {
        assertThat(allows(rule(List.of("other", allowed), List.of("GET"), List.of()), origin, "GET"))
                .isEqualTo(met);
    }

    @Test
    void only_the_methods_of_the_rule_are_allowed() {
        CorsRule rule = rule(List.of("*"), List.of("GET", "PUT"), List.of());
        assertThat(allows(rule, "o", "PUT")).isTrue();
        assertThat(allows(rule, "o", "DELETE")).isFalse();
        assertThat(allows(rule, "o", "put")).isFalse();
    }

    @Test
    void every_header_that_is_asked_about_must_be_allowed_in_any_case() {
        CorsRule rule = rule(List.of("*"), List.of("GET"), List.of("X-Amz-*", "Content-Type"));
        assertThat(allows(rule, "o", "GET", "x-amz-meta-a", "content-type")).isTrue();
        assertThat(allows(rule, "o", "GET", "CONTENT-TYPE")).isTrue();
        assertThat(allows(rule, "o", "GET", "x-amz-meta-a", "range")).isFalse();
        assertThat(allows(rule(List.of("*"), List.of("GET"), List.of()), "o", "GET", "range"))
                .isFalse();
    }

    @Test
    void the_first_rule_that_is_met_counts() {
        CorsRule put = rule(List.of("a"), List.of("PUT"), List.of());
        CorsRule all = rule(List.of("*"), List.of("GET", "PUT"), List.of());
        CorsConfiguration rules = new CorsConfiguration(List.of(put, all));

        assertThat(rules.match("a", "PUT", List.of()).orElseThrow().rule()).isEqualTo(put);
        assertThat(rules.match("a", "GET", List.of()).orElseThrow().rule()).isEqualTo(all);
        assertThat(rules.match("a", "DELETE", List.of())).isEmpty();
    }

    @Test
    void a_browser_is_told_what_the_rule_says() {
        CorsRule rule = new CorsRule(
                Optional.of("id"),
                List.of("http://*"),
                List.of("GET", "PUT"),
                List.of("*"),
                List.of("ETag", "x-amz-meta-a"),
                OptionalInt.of(3000));
        assertThat(new CorsConfiguration(List.of(rule))
                        .match("http://a.com", "GET", List.of("X-One", "x-two"))
                        .orElseThrow()
                        .headers())
                .containsExactly(
                        Map.entry("access-control-allow-origin", "http://a.com"),
                        Map.entry("access-control-allow-methods", "GET, PUT"),
                        Map.entry("access-control-allow-headers", "x-one, x-two"),
                        Map.entry("access-control-expose-headers", "ETag, x-amz-meta-a"),
                        Map.entry("access-control-max-age", "3000"),
                        Map.entry("access-control-allow-credentials", "true"),
                        Map.entry("vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"));
    }

    @Test
    void a_rule_for_any_origin_says_so_and_allows_no_credentials() {
        assertThat(new CorsConfiguration(List.of(rule(List.of("*"), List.of("GET"), List.of())))
                        .match("o", "GET", List.of())
                        .orElseThrow()
                        .headers())
                .containsEntry("access-control-allow-origin", "*")
                .doesNotContainKeys("access-control-allow-credentials", "access-control-allow-headers");
    }
}
