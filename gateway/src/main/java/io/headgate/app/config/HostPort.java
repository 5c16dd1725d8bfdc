package io.headgate.app.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where to listen or to connect.
 *
 * @param host a host name, an IPv4 address, or an IPv6 address without its brackets
 * @param port 0 to 65,535; 0 lets the system choose
 */
public record HostPort(String host, int port) {
    private static final Pattern FORM =
            Pattern.compile("(?:\\[(?<six>[0-9A-Fa-f:.]{2,45})]|(?<name>[A-Za-z0-9.-]{1,253})):(?<port>[0-9]{1,5})");

    /**
     * Parses {@code HOST:PORT} or {@code [IPV6]:PORT}.
     *
     * @throws IllegalArgumentException if {@code text} is neither
     */
    public static HostPort parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("is not HOST:PORT, such as 127.0.0.1:9000 or [::1]:9000");
        }
        int port = Integer.parseInt(matcher.group("port"));
        if (port > 65_535) {
            throw new IllegalArgumentException("has a port above 65535");
        }
        String six = matcher.group("six");
        return new HostPort(six != null ? six : matcher.group("name"), port);
    }

    /** In the form that {@link #parse} takes and that a URL holds. */
    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
