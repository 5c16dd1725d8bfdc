package io.headgate.namespace.redis;

import io.headgate.namespace.NamespaceException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of the cluster, which of them serves a slot as far as is known, and the connections to them. A connection is to one process and is
 * not made again by itself: nothing is sent twice, or to another than was meant, without its sender. Thread-safe.
 */
final class Nodes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);
    /** In which a node takes a connection, or says what it knows of the others. */
    static final Duration HANDSHAKE = Duration.ofSeconds(3);

    private static final Duration CHECK_PATIENCE = Duration.ofSeconds(10);
    private static final long REFRESH_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LONGEST_REFRESH_NANOS = Duration.ofSeconds(10).toNanos();
    private static final int MOST_REQUESTS = 65_536;
    private static final int STRIDE = 7_919;

    private final RedisOptions options;
    private final String clientName;
    private final ClientResources resources;
    private final RedisClusterClient topology;
    private final RedisClient client;
    private final Map<String, Node> nodes = new ConcurrentHashMap<>();
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private final AtomicLong refreshBegunNanos = new AtomicLong(System.nanoTime());
    private final AtomicInteger links = new AtomicInteger();
    private final int replicas;
    private volatile boolean closed;

    /**
     * Connects to one of them.
     *
     * @param clientName by which they know the client
     * @throws NamespaceException if none answers, or the cluster can keep no namespace
     */
    Nodes(RedisOptions options, String clientName) {
        this.options = options;
        this.clientName = clientName;
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .addressResolverGroup(DefaultAddressResolverGroup.INSTANCE)
                .build();
        SocketOptions sockets = SocketOptions.builder()
                .connectTimeout(HANDSHAKE)
                .tcpNoDelay(true)
                .build();
        topology = RedisClusterClient.create(
                resources,
                options.nodes().stream()
                        .map(node -> uri(node.host(), node.port()))
                        .toList());
        topology.setOptions(
                ClusterClientOptions.builder().socketOptions(sockets).build());
        client = RedisClient.create(resources);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(MOST_REQUESTS)
                .socketOptions(sockets)
                .build());
        try {
            check();
            replicas = options.replicas().orElseGet(() -> hasReplicas(topology.getPartitions()) ? 1 : 0);
        } catch (RedisException failed) {
            close();
            throw ClusterCheck.unreachable(options, failed);
        } catch (NamespaceException refused) {
            close();
            throw refused;
        }
        LOG.info("Writes to Redis at {} wait for {} replicas", options, replicas);
    }

    private void check() {
        try (StatefulRedisClusterConnection<byte[], byte[]> all = topology.connect(ByteArrayCodec.INSTANCE)) {
            ClusterCheck.Findings findings = ClusterCheck.of(all, CHECK_PATIENCE);
            if (!findings.obstacles().isEmpty()) {
                throw new NamespaceException(String.join("; ", findings.obstacles()));
            }
            findings.risks().forEach(risk -> LOG.warn("{}", risk));
        }
    }

    private static boolean hasReplicas(Partitions partitions) {
        return partitions.stream().anyMatch(node -> node.is(RedisClusterNode.NodeFlag.REPLICA));
    }

    private RedisURI uri(String host, int port) {
        RedisURI.Builder uri = RedisURI.builder()
                .withHost(host)
                .withPort(port)
                .withSsl(options.tls())
                .withTimeout(HANDSHAKE)
                .withClientName(clientName);
        if (options.password() != null && options.user() != null) {
            uri.withAuthentication(options.user(), options.password());
        } else if (options.password() != null) {
            uri.withPassword(options.password().toCharArray());
        }
        return uri.build();
    }

    /** Whether writes wait for replicas. */
    boolean waitForReplicas() {
        return replicas > 0;
    }

    /** Null if none is known. */
    @Nullable Node serving(int slot) {
        RedisClusterNode node = topology.getPartitions().getPartitionBySlot(slot);
        return node == null ? null : at(node.getUri().getHost(), node.getUri().getPort());
    }

    Node at(String host, int port) {
        String name = host + ":" + port;
        Node known = nodes.get(name);
        return known != null
                ? known
                : nodes.computeIfAbsent(name, _ -> new Node(name, () -> connect(host, port), options.timeout()));
    }

    List<Node> masters() {
        List<Node> masters = new ArrayList<>();
        for (RedisClusterNode node : topology.getPartitions()) {
            if (node.is(RedisClusterNode.NodeFlag.UPSTREAM)) {
                masters.add(at(node.getUri().getHost(), node.getUri().getPort()));
            }
        }
        return masters;
    }

    /** For each master one of the slots that it serves, as far as is known. */
    List<Integer> slotOfEachMaster() {
        return topology.getPartitions().stream()
                .filter(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM))
                .filter(node -> !node.getSlots().isEmpty())
                .map(node -> node.getSlots().getFirst())
                .toList();
    }

    private CompletableFuture<Link> connect(String host, int port) {
        if (closed) {
            return CompletableFuture.failedFuture(new NamespaceException("the connections to Redis are closed"));
        }
        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> commands = open(host, port);
        if (replicas == 0) {
            return commands.thenApply(connection -> new Link(connection, null));
        }
        return commands.thenCompose(one -> unlessFailed(
                one, open(host, port).thenCompose(other -> unlessFailed(other, link(host, port, one, other)))));
    }

    private static CompletableFuture<Link> unlessFailed(
            StatefulRedisConnection<byte[], byte[]> connection, CompletableFuture<Link> link) {
        return link.whenComplete((_, failure) -> {
            if (failure != null) {
                CompletableFuture<Void> unused = connection.closeAsync();
            }
        });
    }

    private CompletableFuture<Link> link(
            String host,
            int port,
            StatefulRedisConnection<byte[], byte[]> commands,
            StatefulRedisConnection<byte[], byte[]> other) {
        try {
            return commands.async()
                    .info("replication")
                    .thenCombine(other.async().info("replication"), (a, b) -> link(host, port, commands, other, a, b))
                    .toCompletableFuture()
                    .orTimeout(HANDSHAKE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RedisException closed) {
            return CompletableFuture.failedFuture(closed);
        }
    }

    private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> open(String host, int port) {
        return client.connectAsync(ByteArrayCodec.INSTANCE, uri(host, port)).toCompletableFuture();
    }

    /** Two masters that say the same of their replication are one. */
    private Link link(
            String host,
            int port,
            StatefulRedisConnection<byte[], byte[]> commands,
            StatefulRedisConnection<byte[], byte[]> other,
            String saidToOne,
            String saidToOther) {
        String history = Acknowledgements.history(saidToOne);
        byte[] mark = mark(host, port);
        if (history == null || mark == null || !history.equals(Acknowledgements.history(saidToOther))) {
            CompletableFuture<Void> unused = other.closeAsync();
            return new Link(commands, null);
        }
        return new Link(commands, new Acknowledgements(other, history, mark, replicas, options.replicasTimeout()));
    }

    /** In one of the node's slots, another one for each link, since one that is on its way to another node takes no mark. */
    private byte @Nullable [] mark(String host, int port) {
        RedisClusterNode node = topology.getPartitions().getPartition(host, port);
        List<Integer> slots = node == null ? List.of() : node.getSlots();
        return slots.isEmpty()
                ? null
                : SlotKeys.key(slots.get(Math.floorMod(links.getAndAdd(STRIDE), slots.size())), "k");
    }

    /** Begins to ask the nodes again who serves what, unless that has just been done, or is being done and not too long in coming. */
    void refresh() {
        long now = System.nanoTime();
        long begun = refreshBegunNanos.get();
        long pause = refreshing.get() ? LONGEST_REFRESH_NANOS : REFRESH_NANOS;
        if (now - begun < pause || !refreshBegunNanos.compareAndSet(begun, now)) {
            return;
        }
        refreshing.set(true);
        try {
            topology.refreshPartitionsAsync().whenComplete((_, failure) -> refreshed(failure));
        } catch (RedisException failed) {
            refreshed(failed);
        }
    }

    private void refreshed(@Nullable Throwable failure) {
        refreshing.set(false);
        if (failure != null) {
            LOG.debug("The nodes of Redis do not say who serves what", failure);
        }
    }

    @Override
    public void close() {
        closed = true;
        nodes.values().forEach(Node::close);
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        topology.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
