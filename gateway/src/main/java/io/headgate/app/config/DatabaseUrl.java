package io.headgate.app.config;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a PostgreSQL database is, as its own tools write it:
 * {@code postgresql://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?sslmode=verify-full}. {@code toString} shows no password.
 *
 * @param hosts one or more {@code host:port}, with commas between them
 * @param parameters by the driver's names
 * @see <a href="https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS">PostgreSQL: connection URIs</a>
 */
public record DatabaseUrl(
        String hosts, String database, String user, Optional<Secret> password, Map<String, String> parameters) {
    private static final int DEFAULT_PORT = 5432;
    private static final Pattern URL = Pattern.compile(
            "postgres(?:ql)?://(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^/?#@]+)/(?<database>[^/?#]+)(?:\\?(?<query>[^#]*))?");
    private static final Pattern HOST =
            Pattern.compile("(?<host>[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::(?<port>\\d{1,5}))?");

    /** Those that may be given, and what the driver calls them. */
    private static final Map<String, String> PARAMETERS = new LinkedHashMap<>();

    static {
        PARAMETERS.put("sslmode", "sslmode");
        PARAMETERS.put("sslrootcert", "sslrootcert");
        PARAMETERS.put("sslcert", "sslcert");
        PARAMETERS.put("sslkey", "sslkey");
        PARAMETERS.put("channel_binding", "channelBinding");
        PARAMETERS.put("application_name", "ApplicationName");
    }

    public DatabaseUrl {
        parameters = Map.copyOf(parameters);
    }

    /** @throws IllegalArgumentException if it is none; the message repeats nothing that may be secret */
    static DatabaseUrl parse(String text) {
        Matcher url = URL.matcher(text);
        if (!url.matches()) {
            throw new IllegalArgumentException("is not a URL such as postgresql://USER:PASSWORD@HOST:5432/DATABASE"
                    + " (write other characters than letters, digits and -._~ of user and password percent-encoded)");
        }
        String user = url.group("user");
        if (user == null || user.isEmpty()) {
            throw new IllegalArgumentException("names no user: postgresql://USER:PASSWORD@HOST:5432/DATABASE");
        }
        String password = url.group("password");
        return new DatabaseUrl(
                hosts(url.group("hosts")),
                url.group("database"),
                decoded(user),
                password == null || password.isEmpty() ? Optional.empty() : Optional.of(new Secret(decoded(password))),
                parameters(url.group("query") == null ? "" : url.group("query")));
    }

    private static String hosts(String text) {
        StringBuilder hosts = new StringBuilder();
        for (String one : text.split(",", -1)) {
            Matcher host = HOST.matcher(one);
            if (!host.matches()) {
                throw new IllegalArgumentException("has a host that is not HOST or HOST:PORT");
            }
            int port = host.group("port") == null ? DEFAULT_PORT : Integer.parseInt(host.group("port"));
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("has a port that is not in the range 1 to 65535");
            }
            hosts.append(hosts.isEmpty() ? "" : ",")
                    .append(host.group("host"))
                    .append(':')
                    .append(port);
        }
        return hosts.toString();
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? null : PARAMETERS.get(pair.substring(0, equals));
            if (name == null) {
                throw new IllegalArgumentException(
                        "has a parameter other than " + String.join(", ", PARAMETERS.keySet()));
            }
            parameters.put(name, decoded(pair.substring(equals + 1)));
        }
        return parameters;
    }

    /** Percent coding; a plus sign is one. */
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException(
                    "has a percent sign that is not followed by two hexadecimal digits", malformed);
        }
    }

    @Override
    public String toString() {
        return "postgresql://" + hosts + "/" + database;
    }
}
