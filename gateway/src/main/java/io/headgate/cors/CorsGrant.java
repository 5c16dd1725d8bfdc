package io.headgate.cors;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * That a page may make a request.
 *
 * @param origin of the page, or {@code *}
 * @param rule that allows it
 * @param requestHeaders that the browser has asked about
 */
public record CorsGrant(String origin, CorsRule rule, List<String> requestHeaders) {
    public CorsGrant {
        requestHeaders = List.copyOf(requestHeaders);
    }

    /** The headers of the answer, by their names in lower case, in order. */
    public Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("access-control-allow-origin", origin);
        headers.put("access-control-allow-methods", String.join(", ", rule.methods()));
        if (!requestHeaders.isEmpty()) {
            headers.put(
                    "access-control-allow-headers",
                    requestHeaders.stream()
                            .map(name -> name.toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(", ")));
        }
        if (!rule.exposeHeaders().isEmpty()) {
            headers.put("access-control-expose-headers", String.join(", ", rule.exposeHeaders()));
        }
        rule.maxAgeSeconds().ifPresent(seconds -> headers.put("access-control-max-age", Integer.toString(seconds)));
        // A browser takes no credentials together with any origin.
        if (!origin.equals(CorsRule.ANY)) {
            headers.put("access-control-allow-credentials", "true");
        }
        headers.put("vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
        return headers;
    }
}
