package io.headgate.namespace.redis;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the cluster is.
 *
 * @param nodes some of its nodes, host and port, at least one
 * @param minPartBytes the least size of every part of a multipart object but the last
 * @param ranges when ranges are split and joined
 * @param timeout in which an operation is done, moves and failovers on the way included
 */
public record RedisOptions(
        List<Node> nodes,
        boolean tls,
        @Nullable String user,
        @Nullable String password,
        Duration timeout,
        long minPartBytes,
        RangeLimits ranges) {
    public RedisOptions {
        nodes = List.copyOf(nodes);
    }

    /** With the usual limits of ranges. */
    public RedisOptions(
            List<Node> nodes,
            boolean tls,
            @Nullable String user,
            @Nullable String password,
            Duration timeout,
            long minPartBytes) {
        this(nodes, tls, user, password, timeout, minPartBytes, RangeLimits.DEFAULT);
    }

    public record Node(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
        }
    }

    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://")
                + String.join(",", nodes.stream().map(Node::toString).toList());
    }
}
