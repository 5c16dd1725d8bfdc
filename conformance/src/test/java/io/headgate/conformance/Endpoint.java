package io.headgate.conformance;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;

/**
 * The S3 endpoint under test and the credentials that own everything the tests make there. Read from the system properties
 * {@code headgate.conformance.*} or the environment {@code HEADGATE_CONFORMANCE_*}; without a URL, a gateway started for this run.
 *
 * @param domain the domain of virtual-hosted buckets; empty if the endpoint has none
 */
record Endpoint(URI url, String accessKey, String secretKey, String region, Optional<String> domain) {
    private static Endpoint current;
    private static RuntimeException failure;

    /**
     * The endpoint of this run; the first call may start a gateway, which lives as long as this JVM. If it does not start, every call
     * fails for the same reason.
     */
    static synchronized Endpoint current() {
        if (failure != null) {
            throw new IllegalStateException(failure.getMessage(), failure);
        }
        if (current == null) {
            try {
                current = setting("url")
                        .map(Endpoint::external)
                        .orElseGet(() -> Gateway.start().endpoint());
            } catch (RuntimeException failed) {
                failure = failed;
                throw failed;
            }
        }
        return current;
    }

    private static Endpoint external(String url) {
        return new Endpoint(
                URI.create(url),
                required("access.key"),
                required("secret.key"),
                setting("region").orElse("us-east-1"),
                setting("domain"));
    }

    private static String required(String name) {
        return setting(name)
                .orElseThrow(() -> new IllegalStateException(
                        "headgate.conformance.url is set, but headgate.conformance." + name + " is not"));
    }

    /** A setting of the suite, such as {@code access.key}: the property if set, else the environment variable. */
    static Optional<String> setting(String name) {
        String property = System.getProperty("headgate.conformance." + name);
        String variable =
                "HEADGATE_CONFORMANCE_" + name.toUpperCase(Locale.ROOT).replace('.', '_');
        return Optional.ofNullable(property != null ? property : System.getenv(variable))
                .filter(value -> !value.isBlank());
    }

    String host() {
        return url.getHost();
    }

    int port() {
        return url.getPort() >= 0 ? url.getPort() : 80;
    }

    /** The Host header's value. */
    String authority() {
        return host() + ":" + port();
    }
}
