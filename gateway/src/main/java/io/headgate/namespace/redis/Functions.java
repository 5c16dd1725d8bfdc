package io.headgate.namespace.redis;

import io.headgate.namespace.NamespaceException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sees that the masters have the {@link Library}, which their replicas get from them. Thread-safe. */
final class Functions {
    private static final Logger LOG = LoggerFactory.getLogger(Functions.class);

    /** After which another try is made. */
    private static final Duration LONGEST_LOAD = Duration.ofSeconds(10);

    private final Nodes nodes;
    /** Masters that are being given the library. */
    private final Set<String> loading = ConcurrentHashMap.newKeySet();

    Functions(Nodes nodes) {
        this.nodes = nodes;
    }

    /**
     * Gives the library to the masters that answer, and takes away what gateways of other versions have left: those that still run load
     * theirs again.
     *
     * @throws NamespaceException if a master refuses it
     */
    void loadAtStart(Duration timeout) {
        Map<String, CompletableFuture<Void>> loads = new HashMap<>();
        for (Node master : nodes.masters()) {
            loads.put(
                    master.toString(),
                    load(master).thenCompose(Functions::removeOthers).toCompletableFuture());
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        loads.forEach((master, load) -> {
            try {
                load.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (ExecutionException failed) {
                if (failed.getCause() != null && Failure.of(failed.getCause()) instanceof Failure.Final) {
                    throw new NamespaceException(
                            "Redis at " + master + " does not take the library of functions, for which it must be of"
                                    + " version 7.0 or later: " + failed.getMessage(),
                            failed);
                }
                LOG.warn("Redis at {} is not given the library of functions yet: {}", master, failed.getMessage());
            } catch (TimeoutException late) {
                LOG.warn("Redis at {} is not given the library of functions yet: it does not answer", master);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new NamespaceException("interrupted while waiting for Redis", interrupted);
            }
        });
    }

    /** Begins to give the library to the masters. Whoever misses it asks again until it is there, so none waits for a master that is dead. */
    void load() {
        for (Node master : nodes.masters()) {
            load(master, master.toString());
        }
    }

    private void load(Node master, String name) {
        if (!loading.add(name)) {
            return;
        }
        CompletableFuture<Void> load;
        try {
            load = load(master).<Void>thenApply(_ -> null).toCompletableFuture();
        } catch (RedisException failed) {
            load = CompletableFuture.failedFuture(failed);
        }
        CompletableFuture<Void> unused = load.orTimeout(LONGEST_LOAD.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((_, failure) -> {
                    loading.remove(name);
                    if (failure != null) {
                        LOG.warn("Redis at {} is not given the library of functions: {}", name, failure.getMessage());
                    }
                });
    }

    private CompletionStage<RedisAsyncCommands<byte[], byte[]>> load(Node master) {
        return master.link()
                .thenCompose(link -> link.commands()
                        .async()
                        .functionLoad(Library.TEXT)
                        .handle((_, failure) -> {
                            if (failure != null
                                    && !String.valueOf(failure.getMessage()).contains("already exists")) {
                                throw failure instanceof RuntimeException known
                                        ? known
                                        : new CompletionException(failure);
                            }
                            return link.commands().async();
                        }));
    }

    private static CompletionStage<Void> removeOthers(RedisAsyncCommands<byte[], byte[]> redis) {
        return redis.functionList(Library.PREFIX + "*").thenCompose(libraries -> {
            CompletionStage<Void> all = CompletableFuture.completedFuture(null);
            for (Map<String, Object> library : libraries) {
                String name = String.valueOf(library.get("library_name"));
                if (!name.equals(Library.NAME)) {
                    all = all.thenCompose(_ -> remove(redis, name));
                }
            }
            return all;
        });
    }

    /** Another gateway may have removed it meanwhile. */
    private static CompletionStage<Void> remove(RedisAsyncCommands<byte[], byte[]> redis, String library) {
        return redis.dispatch(
                        CommandType.FUNCTION,
                        new StatusOutput<>(ByteArrayCodec.INSTANCE),
                        new CommandArgs<>(ByteArrayCodec.INSTANCE).add("DELETE").add(library))
                .handle((_, failure) -> {
                    LOG.info(
                            "Removed the library {} from Redis{}",
                            library,
                            failure == null ? "" : ": " + failure.getMessage());
                    return null;
                });
    }
}
