package io.headgate.app.config;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a Redis is: {@code redis://USER:PASSWORD@HOST:PORT/NUMBER}, or {@code rediss://} over TLS. {@code toString} shows no password.
 *
 * @param database its number, of which most have 16 and managed ones often only 0
 */
public record RedisUrl(
        String host, int port, boolean tls, Optional<String> user, Optional<Secret> password, int database) {
    static final int DEFAULT_PORT = 6379;
    static final int MAX_PORT = 65_535;
    private static final Pattern URL =
            Pattern.compile("redis(?<tls>s)?://(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?"
                    + "(?<host>[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::(?<port>\\d{1,5}))?/?(?<database>\\d{1,5})?");

    /** @throws IllegalArgumentException if it is none; the message repeats nothing that may be secret */
    static RedisUrl parse(String text) {
        Matcher url = URL.matcher(text);
        if (!url.matches()) {
            throw new IllegalArgumentException(
                    "is not a URL such as redis://HOST:6379 or rediss://USER:PASSWORD@HOST:6379/0"
                            + " (write other characters than letters, digits and -._~ of user and password percent-encoded)");
        }
        int port = url.group("port") == null ? DEFAULT_PORT : Integer.parseInt(url.group("port"));
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("has a port that is not in the range 1 to 65535");
        }
        Optional<String> password = decoded(url.group("password"));
        Optional<String> user = decoded(url.group("user"));
        if (user.isPresent() && password.isEmpty()) {
            throw new IllegalArgumentException("names a user without a password");
        }
        String host = url.group("host");
        return new RedisUrl(
                host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                port,
                url.group("tls") != null,
                user,
                password.map(Secret::new),
                url.group("database") == null ? 0 : Integer.parseInt(url.group("database")));
    }

    /** What is percent-encoded, if anything is; a plus sign is one. */
    static Optional<String> decoded(@Nullable String part) {
        if (part == null || part.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException(
                    "has a percent sign that is not followed by two hexadecimal digits", malformed);
        }
    }

    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://") + host + ":" + port + "/" + database;
    }
}
