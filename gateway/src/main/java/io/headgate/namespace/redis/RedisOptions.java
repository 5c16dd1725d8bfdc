package io.headgate.namespace.redis;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Where the cluster is, and when a write is done.
 *
 * @param nodes some of its nodes, host and port, at least one
 * @param minPartBytes the least size of every part of a multipart object but the last
 * @param ranges when ranges are split and joined
 * @param timeout in which an operation is done, moves and failovers on the way included
 * @param replicas how many replicas have to have a write before it is acknowledged: 0 for none; empty for one if the cluster has replicas
 *     when the namespace is opened, otherwise none
 * @param replicasTimeout how long a master is waited for to hear that they have it, before the write is done again, to be known by its id
 */
public record RedisOptions(
        List<Node> nodes,
        boolean tls,
        @Nullable String user,
        @Nullable String password,
        Duration timeout,
        long minPartBytes,
        RangeLimits ranges,
        OptionalInt replicas,
        Duration replicasTimeout) {
    public RedisOptions {
        nodes = List.copyOf(nodes);
    }

    /** With the usual limits of ranges; writes wait for one replica if there is one. */
    public RedisOptions(
            List<Node> nodes,
            boolean tls,
            @Nullable String user,
            @Nullable String password,
            Duration timeout,
            long minPartBytes) {
        this(
                nodes,
                tls,
                user,
                password,
                timeout,
                minPartBytes,
                RangeLimits.DEFAULT,
                OptionalInt.empty(),
                Duration.ofSeconds(1));
    }

    public RedisOptions withReplicas(int count) {
        return new RedisOptions(
                nodes, tls, user, password, timeout, minPartBytes, ranges, OptionalInt.of(count), replicasTimeout);
    }

    public RedisOptions withRanges(RangeLimits limits) {
        return new RedisOptions(nodes, tls, user, password, timeout, minPartBytes, limits, replicas, replicasTimeout);
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
