package io.headgate.cors;

import java.util.List;
import java.util.Optional;

/** The rules of a bucket. The first that a request meets counts. */
public record CorsConfiguration(List<CorsRule> rules) {
    public CorsConfiguration {
        rules = List.copyOf(rules);
    }

    /**
     * What a browser is told of a request.
     *
     * @param origin of the page
     * @param method of the request that the page makes
     * @param requestHeaders that the browser asks about, in any case; empty for none
     * @return empty if no rule allows it
     */
    public Optional<CorsGrant> match(String origin, String method, List<String> requestHeaders) {
        return rules.stream()
                .filter(rule -> rule.allows(origin, method, requestHeaders))
                .findFirst()
                .map(rule -> new CorsGrant(rule.allowsAnyOrigin() ? CorsRule.ANY : origin, rule, requestHeaders));
    }
}
