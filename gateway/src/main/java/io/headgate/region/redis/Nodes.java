package io.headgate.region.redis;

import io.headgate.region.RegistryException;
import io.headgate.region.redis.RedisRegistryOptions.Node;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of Redis, and the link to the one that is thought to serve the registry. A node of a cluster that does not says which does; if
 * one does not answer, the next is tried. Thread-safe.
 */
final class Nodes implements AutoCloseable {
    /** In which a node takes a connection. */
    private static final Duration HANDSHAKE = Duration.ofSeconds(2);

    private static final int MOST_REQUESTS = 16_384;
    private static final int MOST_NODES = 1_000;

    private final RedisRegistryOptions options;
    private final ClientResources resources;
    private final RedisClient client;
    private final ReentrantLock finding = new ReentrantLock(true);

    /** Guarded by the lock, as those that follow. The configured ones come first, and stay. */
    private Set<Node> known;

    private int next;
    private @Nullable Node named;
    private boolean closed;

    private volatile @Nullable Link link;

    Nodes(RedisRegistryOptions options) {
        this.options = options;
        this.known = new LinkedHashSet<>(options.nodes());
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .addressResolverGroup(DefaultAddressResolverGroup.INSTANCE) // names are resolved as the JVM does it
                .build();
        client = RedisClient.create(resources);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(MOST_REQUESTS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(HANDSHAKE)
                        .tcpNoDelay(true)
                        .build())
                .build());
    }

    /** The open link, or one to the next node to try. */
    Link link(long deadline) throws ExecutionException, TimeoutException, InterruptedException {
        Link open = link;
        if (open != null && open.isOpen()) {
            return open;
        }
        if (!finding.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException("no node was found in time");
        }
        try {
            if (closed) {
                throw new RegistryException("the registry is closed");
            }
            open = link;
            if (open == null || !open.isOpen()) {
                open = open(candidate(), deadline);
                link = open;
            }
            return open;
        } finally {
            finding.unlock();
        }
    }

    /** Leaves a link that was of no use. */
    void leave(Link used) {
        finding.lock();
        try {
            if (link == used) {
                link = null;
            }
        } finally {
            finding.unlock();
        }
        used.close();
    }

    /** A node has said that this one serves the registry: it is tried next. */
    void isAt(Node node) {
        finding.lock();
        try {
            named = node;
        } finally {
            finding.unlock();
        }
    }

    private Node candidate() {
        Node first = named;
        if (first != null) {
            named = null;
            return first;
        }
        List<Node> all = List.copyOf(known);
        next = (next + 1) % all.size();
        return all.get(next);
    }

    private Link open(Node node, long deadline) throws ExecutionException, TimeoutException, InterruptedException {
        StatefulRedisConnection<byte[], byte[]> reads = connect(node, deadline);
        try {
            inspect(node, reads, deadline);
            return new Link(node, reads, connect(node, deadline), options.replicasTimeout());
        } catch (ExecutionException | TimeoutException | InterruptedException | RuntimeException failed) {
            CompletableFuture<Void> unused = reads.closeAsync();
            throw failed;
        }
    }

    private StatefulRedisConnection<byte[], byte[]> connect(Node node, long deadline)
            throws ExecutionException, TimeoutException, InterruptedException {
        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connecting =
                client.connectAsync(ByteArrayCodec.INSTANCE, uri(node)).toCompletableFuture();
        try {
            StatefulRedisConnection<byte[], byte[]> connection = Link.await(connecting, HANDSHAKE, deadline);
            if (connection == null) {
                throw new IllegalStateException("a connection that is none");
            }
            return connection;
        } catch (TimeoutException | InterruptedException late) {
            CompletableFuture<Void> unused = connecting.thenCompose(StatefulRedisConnection::closeAsync);
            throw late;
        }
    }

    private RedisURI uri(Node node) {
        RedisURI.Builder uri = RedisURI.builder()
                .withHost(node.host())
                .withPort(node.port())
                .withSsl(options.tls())
                .withTimeout(HANDSHAKE)
                .withClientName("headgate-registry");
        if (options.password() != null && options.user() != null) {
            uri.withAuthentication(options.user(), options.password());
        } else if (options.password() != null) {
            uri.withPassword(options.password().toCharArray());
        }
        return uri.build();
    }

    /** A replica of a server without a cluster is of no use; a node of a cluster knows others. */
    private void inspect(Node node, StatefulRedisConnection<byte[], byte[]> connection, long deadline)
            throws ExecutionException, TimeoutException, InterruptedException {
        List<String> info = String.valueOf(Link.await(connection.async().info(), HANDSHAKE, deadline))
                .lines()
                .toList();
        if (!info.contains("cluster_enabled:1")) {
            if (!info.contains("role:master")) {
                throw new ExecutionException(new RegistryException(node + " is a replica"));
            }
            return;
        }
        String view = String.valueOf(Link.await(connection.async().clusterNodes(), HANDSHAKE, deadline));
        Set<Node> all = new LinkedHashSet<>(options.nodes());
        all.addAll(addresses(view));
        known = all;
    }

    /** Of a cluster's nodes, as one of them lists them: id, host:port@bus and more, flags and so on. */
    private static List<Node> addresses(String view) {
        List<Node> nodes = new ArrayList<>();
        for (String line : view.lines().limit(MOST_NODES).toList()) {
            String[] words = line.split(" ", -1);
            int at = words.length < 3 ? -1 : words[1].indexOf('@');
            int colon = at < 0 ? -1 : words[1].lastIndexOf(':', at);
            if (colon > 0 && !words[2].contains("noaddr") && !words[2].contains("handshake")) {
                nodes.add(new Node(words[1].substring(0, colon), Integer.parseInt(words[1].substring(colon + 1, at))));
            }
        }
        return nodes;
    }

    @Override
    public void close() {
        finding.lock();
        try {
            closed = true;
            Link open = link;
            if (open != null) {
                open.close();
            }
        } finally {
            finding.unlock();
        }
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
