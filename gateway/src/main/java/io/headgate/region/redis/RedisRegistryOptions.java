package io.headgate.region.redis;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the registry's Redis is, a single server or a cluster. {@code toString} shows no password.
 *
 * @param nodes some of the cluster's nodes, or the server; at least one
 * @param timeout in which an operation is done, failovers on the way included
 * @param replicasTimeout how long a master is waited for to hear that a replica has a change
 */
public record RedisRegistryOptions(
        List<Node> nodes,
        boolean tls,
        @Nullable String user,
        @Nullable String password,
        Duration timeout,
        Duration replicasTimeout) {
    public RedisRegistryOptions {
        nodes = List.copyOf(nodes);
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("no node is named");
        }
    }

    /** With the usual time-outs. */
    public RedisRegistryOptions(List<Node> nodes, boolean tls, @Nullable String user, @Nullable String password) {
        this(nodes, tls, user, password, Duration.ofSeconds(10), Duration.ofSeconds(1));
    }

    public RedisRegistryOptions withTimeout(Duration whole) {
        return new RedisRegistryOptions(nodes, tls, user, password, whole, replicasTimeout);
    }

    /** Where a node listens. */
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
