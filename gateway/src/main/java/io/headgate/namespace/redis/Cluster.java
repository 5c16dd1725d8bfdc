package io.headgate.namespace.redis;

import io.headgate.namespace.NamespaceException;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to the cluster's nodes. What fails for a while (a slot on its way, a failover, a lost connection) is done again until the
 * time is over, so whatever is run here must be such that it takes effect once. Thread-safe.
 */
final class Cluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(15);
    private static final long FIRST_PAUSE_MILLIS = 2;
    private static final long LONGEST_PAUSE_MILLIS = 100;
    private static final int MOST_REDIRECTIONS = 5;
    private static final int MOST_REQUESTS = 65_536;
    private static final int MOST_AT_ONCE = 256;

    /** How answers begin that another try may not get. */
    private static final List<String> PASSING =
            List.of("TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY", "BUSY", "MOVED", "ASK");

    private final RedisOptions options;
    private final ClientResources resources;
    private final RedisClusterClient client;
    private final StatefulRedisClusterConnection<byte[], byte[]> connection;

    /** @throws NamespaceException if no node answers */
    Cluster(RedisOptions options) {
        this(options, "headgate");
    }

    /** @param name by which the servers know the client */
    Cluster(RedisOptions options, String name) {
        this.options = options;
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .addressResolverGroup(DefaultAddressResolverGroup.INSTANCE)
                .build();
        client = RedisClusterClient.create(
                resources,
                options.nodes().stream().map(node -> uri(options, node, name)).toList());
        client.setOptions(ClusterClientOptions.builder()
                .autoReconnect(true)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(MOST_REQUESTS)
                .maxRedirects(MOST_REDIRECTIONS)
                .validateClusterNodeMembership(false)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(TOPOLOGY_REFRESH)
                        .adaptiveRefreshTriggersTimeout(Duration.ofMillis(200))
                        .build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(options.timeout())
                        .tcpNoDelay(true)
                        .build())
                .build());
        try {
            connection = client.connect(ByteArrayCodec.INSTANCE);
        } catch (RedisException failed) {
            shutDown();
            throw new NamespaceException("Redis at " + options + " does not answer: " + reason(failed), failed);
        }
    }

    private static RedisURI uri(RedisOptions options, RedisOptions.Node node, String name) {
        RedisURI.Builder uri = RedisURI.builder()
                .withHost(node.host())
                .withPort(node.port())
                .withSsl(options.tls())
                .withTimeout(options.timeout())
                .withClientName(name);
        if (options.password() != null && options.user() != null) {
            uri.withAuthentication(options.user(), options.password());
        } else if (options.password() != null) {
            uri.withPassword(options.password().toCharArray());
        }
        return uri.build();
    }

    /** What a script answers that answers one string, or nothing. */
    byte @Nullable [] one(Script script, byte[][] keys, byte[]... arguments) {
        return call(
                redis -> redis.<byte[]>evalsha(script.sha1(), ScriptOutputType.VALUE, keys, arguments),
                redis -> redis.<byte[]>eval(script.text(), ScriptOutputType.VALUE, keys, arguments));
    }

    /** What a script answers that answers strings. */
    List<byte[]> many(Script script, byte[][] keys, byte[]... arguments) {
        List<byte[]> answer = call(
                redis -> redis.<List<byte[]>>evalsha(script.sha1(), ScriptOutputType.MULTI, keys, arguments),
                redis -> redis.<List<byte[]>>eval(script.text(), ScriptOutputType.MULTI, keys, arguments));
        return answer == null ? List.of() : answer;
    }

    /** Sends a command that may be sent again. */
    <T> @Nullable T command(Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
        return call(command, command);
    }

    /** How many connections of clients of that name the masters have. */
    long clients(String name) {
        String word = "name=" + name;
        try {
            return connection.async().upstream().commands().clientList().asMap().values().stream()
                    .map(CompletionStage::toCompletableFuture)
                    .flatMap(list -> list.orTimeout(options.timeout().toMillis(), TimeUnit.MILLISECONDS)
                            .join()
                            .lines())
                    .filter(line -> List.of(line.split(" ", -1)).contains(word))
                    .count();
        } catch (CompletionException | RedisException failed) {
            throw new NamespaceException("Redis did not tell of its clients: " + failed.getMessage(), failed);
        }
    }

    /** Sends a command that is of no matter: what it does is done by others later. */
    void send(Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, RedisFuture<?>> command) {
        try {
            RedisFuture<?> unused = command.apply(connection.async());
        } catch (RedisException left) {
            LOG.debug("Redis is left to be told later", left);
        }
    }

    private <T> @Nullable T call(
            Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> first,
            Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> withoutScript) {
        long deadline = System.nanoTime() + options.timeout().toNanos();
        long pause = FIRST_PAUSE_MILLIS;
        Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> next = first;
        while (true) {
            Exception failure;
            try {
                return next.apply(connection.async())
                        .get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (ExecutionException | CancellationException | RedisException | TimeoutException failed) {
                failure = failed;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new NamespaceException("interrupted while waiting for Redis", interrupted);
            }
            Throwable cause =
                    failure instanceof ExecutionException && failure.getCause() != null ? failure.getCause() : failure;
            if (cause instanceof RedisNoScriptException) { // this node has not run it yet, or has forgotten it
                next = withoutScript;
                continue;
            }
            if (!isPassing(cause) || System.nanoTime() - deadline > 0) {
                throw new NamespaceException("Redis did not do it: " + reason(cause), cause);
            }
            pause(pause);
            pause = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
        }
    }

    /** Does the same for many slots at once; answers in their order. */
    <T> List<T> each(List<Integer> slots, IntFunction<T> work) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Semaphore room = new Semaphore(MOST_AT_ONCE);
            List<Future<T>> answers = new ArrayList<>(slots.size());
            for (int slot : slots) {
                room.acquireUninterruptibly();
                answers.add(threads.submit(() -> {
                    try {
                        return work.apply(slot);
                    } finally {
                        room.release();
                    }
                }));
            }
            List<T> all = new ArrayList<>(slots.size());
            for (Future<T> answer : answers) {
                all.add(answer.get());
            }
            return all;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof NamespaceException outage) {
                throw outage;
            }
            throw new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new NamespaceException("interrupted while waiting for Redis", interrupted);
        }
    }

    private static boolean isPassing(Throwable cause) {
        return !(cause instanceof RedisCommandExecutionException refused)
                || PASSING.stream().anyMatch(String.valueOf(refused.getMessage())::startsWith);
    }

    private static String reason(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        return cause.getCause() == null
                ? message
                : message + ": " + cause.getCause().getMessage();
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new NamespaceException("interrupted while waiting for Redis", interrupted);
        }
    }

    private void shutDown() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        connection.close();
        shutDown();
    }
}
