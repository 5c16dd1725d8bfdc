package io.headgate.app.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a Redis Cluster is: {@code redis://USER:PASSWORD@HOST:PORT,HOST:PORT}, or {@code rediss://} over TLS. {@code toString} shows no
 * password.
 *
 * @param hosts some of its nodes, which name the others
 */
public record ClusterUrl(List<HostPort> hosts, boolean tls, Optional<String> user, Optional<Secret> password) {
    private static final int MAX_HOSTS = 100;
    private static final Pattern URL = Pattern.compile(
            "redis(?<tls>s)?://(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^/?#@]+)/?");
    private static final Pattern HOST =
            Pattern.compile("(?<host>[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::(?<port>\\d{1,5}))?");

    public ClusterUrl {
        hosts = List.copyOf(hosts);
    }

    /** @throws IllegalArgumentException if it is none; the message repeats nothing that may be secret */
    static ClusterUrl parse(String text) {
        Matcher url = URL.matcher(text);
        if (!url.matches()) {
            throw new IllegalArgumentException(
                    "is not a URL such as redis://HOST:6379,HOST:6379 or rediss://USER:PASSWORD@HOST:6379"
                            + " (write other characters than letters, digits and -._~ of user and password percent-encoded)");
        }
        Optional<String> password = RedisUrl.decoded(url.group("password"));
        Optional<String> user = RedisUrl.decoded(url.group("user"));
        if (user.isPresent() && password.isEmpty()) {
            throw new IllegalArgumentException("names a user without a password");
        }
        return new ClusterUrl(hosts(url.group("hosts")), url.group("tls") != null, user, password.map(Secret::new));
    }

    private static List<HostPort> hosts(String text) {
        List<HostPort> hosts = new ArrayList<>();
        for (String one : text.split(",", -1)) {
            Matcher host = HOST.matcher(one);
            if (!host.matches()) {
                throw new IllegalArgumentException("has a host that is not HOST or HOST:PORT");
            }
            int port = host.group("port") == null ? RedisUrl.DEFAULT_PORT : Integer.parseInt(host.group("port"));
            if (port < 1 || port > RedisUrl.MAX_PORT) {
                throw new IllegalArgumentException("has a port that is not in the range 1 to 65535");
            }
            String name = host.group("host");
            hosts.add(new HostPort(name.startsWith("[") ? name.substring(1, name.length() - 1) : name, port));
        }
        if (hosts.size() > MAX_HOSTS) {
            throw new IllegalArgumentException("names more than " + MAX_HOSTS + " hosts; a few are enough");
        }
        return hosts;
    }

    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://")
                + String.join(",", hosts.stream().map(HostPort::toString).toList());
    }
}
