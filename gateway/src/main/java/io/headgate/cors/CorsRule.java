package io.headgate.cors;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What pages of some origins may do.
 *
 * @param id its owner's name for it
 * @param origins each with at most one {@code *}, which stands for anything; they differ by case
 * @param methods in upper case
 * @param headers that requests may have, each with at most one {@code *}; they do not differ by case
 * @param exposeHeaders that pages may see of an answer
 * @param maxAgeSeconds for so long a browser may remember what it was told
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html">S3: elements of a CORS configuration</a>
 */
public record CorsRule(
        Optional<String> id,
        List<String> origins,
        List<String> methods,
        List<String> headers,
        List<String> exposeHeaders,
        OptionalInt maxAgeSeconds) {
    /** Stands for any origin. */
    public static final String ANY = "*";

    public CorsRule {
        origins = List.copyOf(origins);
        methods = List.copyOf(methods);
        headers = List.copyOf(headers);
        exposeHeaders = List.copyOf(exposeHeaders);
    }

    boolean allows(String origin, String method, List<String> requestHeaders) {
        return origins.stream().anyMatch(pattern -> matches(pattern, origin))
                && methods.contains(method)
                && requestHeaders.stream().allMatch(this::allowsHeader);
    }

    private boolean allowsHeader(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return headers.stream().anyMatch(pattern -> matches(pattern.toLowerCase(Locale.ROOT), lower));
    }

    /** Whether the rule is for all origins, whatever else it names. */
    boolean allowsAnyOrigin() {
        return origins.contains(ANY);
    }

    private static boolean matches(String pattern, String text) {
        int star = pattern.indexOf('*');
        if (star < 0) {
            return pattern.equals(text);
        }
        // Both ends, which must not share a character: "ab*ba" is not met by "aba".
        return text.length() >= pattern.length() - 1
                && text.startsWith(pattern.substring(0, star))
                && text.endsWith(pattern.substring(star + 1));
    }
}
