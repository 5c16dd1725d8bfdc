package io.headgate.namespace.cache;

import io.headgate.namespace.cache.CacheStatistics.Step;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to Redis that all callers share, and what is known of the process behind it. It is never mended, only replaced, so that
 * a connection leads to one process for ever and what was sent over it is not sent again. No method throws for what Redis does; a caller
 * is told that there is no answer. Thread-safe.
 */
final class RedisLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RedisLink.class);

    private static final long PAUSE_MILLIS = 500;
    private static final long LEAST_RETRY_MILLIS = 50;

    /** Requests under way; more are refused at once. */
    private static final int MOST_REQUESTS = 16_384;

    /** Keys that one script is run for, so that it does not hold up others for long. */
    private static final int KEYS_A_SCRIPT = 100;

    /** With others a mark may be evicted though it was set just now. */
    private static final Set<String> SAFE_POLICIES =
            Set.of("noeviction", "allkeys-lru", "volatile-lru", "allkeys-lrm", "volatile-lrm");

    static final long NO_ANSWER = -1;

    private static final byte[] ONE = {'1'};

    private final @Nullable RedisAddress address;
    private final CacheSettings settings;
    private final CacheStatistics statistics;
    private final LongSupplier nanos;
    private final byte[] probeKey;
    private final @Nullable ClientResources resources;
    private final @Nullable RedisClient client;
    private final Thread thread;

    private final AtomicReference<@Nullable Open> open = new AtomicReference<>();
    /** Whether the last probe found all well, and nothing has failed since. */
    private volatile boolean well;
    /** Whether Redis did not answer a read in time; ends with the next probe. */
    private volatile boolean slow;

    private volatile String reason;
    private volatile boolean closed;

    /** A connection to the process of that id. */
    private record Open(
            StatefulRedisConnection<byte[], byte[]> connection,
            ReadLane reads,
            String serverId,
            String mark,
            String lift,
            String fill) {}

    /** @param address null if this gateway has no cache, and must keep others from having one */
    RedisLink(@Nullable RedisAddress address, CacheSettings settings, CacheStatistics statistics, LongSupplier nanos) {
        this.address = address;
        this.settings = settings;
        this.statistics = statistics;
        this.nanos = nanos;
        this.probeKey = ("hg1:probe:" + settings.gateway()).getBytes(StandardCharsets.US_ASCII);
        this.reason = address == null ? "this gateway has no cache configured" : "not connected yet";
        this.thread = Thread.ofPlatform().name("cache-link").daemon().unstarted(this::serve);
        if (address == null) {
            resources = null;
            client = null;
            return;
        }
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .addressResolverGroup(DefaultAddressResolverGroup.INSTANCE) // names are resolved as the JVM does it
                .build();
        client = RedisClient.create(resources, uri(address, settings.writeTimeout()));
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(MOST_REQUESTS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(settings.writeTimeout())
                        .tcpNoDelay(true)
                        .build())
                .build());
    }

    private static RedisURI uri(RedisAddress address, Duration timeout) {
        RedisURI.Builder uri = RedisURI.builder()
                .withHost(address.host())
                .withPort(address.port())
                .withSsl(address.tls())
                .withDatabase(address.database())
                .withTimeout(timeout)
                .withClientName("headgate");
        if (address.password() != null && address.user() != null) {
            uri.withAuthentication(address.user(), address.password());
        } else if (address.password() != null) {
            uri.withPassword(address.password().toCharArray());
        }
        return uri.build();
    }

    void start() {
        if (isConfigured()) {
            thread.start();
        }
    }

    boolean isConfigured() {
        return address != null;
    }

    /** Why it cannot be used, or last could not. */
    String reason() {
        return reason;
    }

    /** The process behind it, if all is well; else null. */
    @Nullable String readyServer() {
        Open now = open.get();
        return now != null && well && !slow ? now.serverId : null;
    }

    /** Whether reads of what is in that process are worth a try. */
    boolean isReadable(String serverId) {
        Open now = open.get();
        return now != null && !slow && now.serverId.equals(serverId);
    }

    /** The values of the keys, of one instant; null if there is no answer. */
    @Nullable List<byte @Nullable []> get(String serverId, byte[]... keys) {
        Open now = of(serverId);
        if (now == null) {
            return null;
        }
        long began = nanos.getAsLong();
        Future<List<byte @Nullable []>> answer = now.reads.get(keys);
        try {
            List<byte @Nullable []> values = answer.get(settings.readTimeout().toNanos(), TimeUnit.NANOSECONDS);
            statistics.took(Step.READ, nanos.getAsLong() - began);
            return values;
        } catch (TimeoutException | ExecutionException | InterruptedException failed) {
            answer.cancel(false);
            noAnswer(now, failed);
            return null;
        }
    }

    /** Puts a reservation where nothing is; whether it is there. */
    boolean reserve(String serverId, byte[] key, byte[] reservation, Duration lifetime) {
        Open now = of(serverId);
        if (now == null) {
            return false;
        }
        long began = nanos.getAsLong();
        try {
            String set = now.connection
                    .async()
                    .set(key, reservation, SetArgs.Builder.nx().px(lifetime.toMillis()))
                    .get(settings.readTimeout().toNanos(), TimeUnit.NANOSECONDS);
            statistics.took(Step.RESERVE, nanos.getAsLong() - began);
            return set != null;
        } catch (TimeoutException | ExecutionException | InterruptedException | RedisException failed) {
            noAnswer(now, failed);
            return false;
        }
    }

    /** Turns a reservation that is still there into an entry, some time soon. */
    void fill(String serverId, byte[] key, byte[] reservation, byte[] entry) {
        Open now = of(serverId);
        if (now == null) {
            return;
        }
        byte[] lifetime = number(settings.lifetime().toMillis());
        try {
            now.connection
                    .async()
                    .<Long>evalsha(now.fill, ScriptOutputType.INTEGER, new byte[][] {key}, reservation, entry, lifetime)
                    .whenComplete((filled, failed) -> statistics.filled(failed == null && filled == 1));
        } catch (RedisException refused) {
            noAnswer(now, refused);
        }
    }

    /** Marks keys as being written; whether they all are. */
    boolean mark(String serverId, List<byte[]> keys, byte[] token, Duration lifetime) {
        byte[][] arguments = {token, number(lifetime.toMillis())};
        return run(Step.MARK, serverId, keys, List.of(), Open::mark, arguments) != NO_ANSWER;
    }

    /**
     * Takes marks back, so that none of the keys has an entry but those given; answers how many marks were not there any more, or
     * {@link #NO_ANSWER}.
     *
     * @param entries what to leave there, in the order of the keys; empty for nothing, or if all are empty
     * @param lifetime of those entries
     */
    long lift(String serverId, List<byte[]> keys, byte[] token, List<byte[]> entries, Duration lifetime) {
        List<byte[]> left = entries;
        if (left.isEmpty()) {
            left = new ArrayList<>(keys.size());
            for (int i = 0; i < keys.size(); i++) {
                left.add(new byte[0]);
            }
        }
        byte[][] arguments = {token, number(lifetime.toMillis())};
        return run(Step.LIFT, serverId, keys, left, Open::lift, arguments);
    }

    /** Runs a script for the keys, all batches under way at once, each with its keys' values after the common arguments; the sum of the answers. */
    private long run(
            Step step,
            String serverId,
            List<byte[]> keys,
            List<byte[]> values,
            Function<Open, String> script,
            byte[][] common) {
        Open now = of(serverId);
        if (now == null) {
            return NO_ANSWER;
        }
        long began = nanos.getAsLong();
        long deadline = began + settings.writeTimeout().toNanos();
        try {
            List<Future<Long>> answers = new ArrayList<>();
            for (int from = 0; from < keys.size(); from += KEYS_A_SCRIPT) {
                int to = Math.min(keys.size(), from + KEYS_A_SCRIPT);
                List<byte[]> arguments = new ArrayList<>(List.of(common));
                arguments.addAll(values.isEmpty() ? List.of() : values.subList(from, to));
                answers.add(now.connection
                        .async()
                        .evalsha(
                                script.apply(now),
                                ScriptOutputType.INTEGER,
                                keys.subList(from, to).toArray(byte[][]::new),
                                arguments.toArray(byte[][]::new)));
            }
            long sum = 0;
            for (Future<Long> answer : answers) {
                sum += answer.get(Math.max(0, deadline - nanos.getAsLong()), TimeUnit.NANOSECONDS);
            }
            statistics.took(step, nanos.getAsLong() - began);
            return sum;
        } catch (ExecutionException failed) {
            // Also when it refused: perhaps it has forgotten the scripts, which the next connection brings again.
            drop(now, "it did not do a write: " + failed.getMessage());
            return NO_ANSWER;
        } catch (TimeoutException late) {
            drop(now, "it did not do a write in " + settings.writeTimeout());
            return NO_ANSWER;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return NO_ANSWER;
        } catch (RedisException failed) {
            drop(now, String.valueOf(failed.getMessage()));
            return NO_ANSWER;
        }
    }

    private static byte[] number(long value) {
        return Long.toString(value).getBytes(StandardCharsets.US_ASCII);
    }

    private @Nullable Open of(String serverId) {
        Open now = open.get();
        return now != null && now.serverId.equals(serverId) ? now : null;
    }

    /** After a read: the next ones are spared the wait, until Redis has answered again. */
    private void noAnswer(Open now, Exception failed) {
        if (failed instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        } else if (failed instanceof TimeoutException) {
            slow = true;
            unwell("it did not answer in " + settings.readTimeout());
        } else if (failed.getCause() instanceof RedisCommandExecutionException refused) {
            unwell("it refuses: " + refused.getMessage());
        } else {
            drop(now, String.valueOf(failed.getMessage()));
        }
    }

    private void unwell(String why) {
        well = false;
        reason = why;
        wake();
    }

    private void drop(Open which, String why) {
        if (open.compareAndSet(which, null)) {
            CompletableFuture<Void> unused = which.connection.closeAsync();
            unwell(why);
        }
    }

    private synchronized void wake() {
        notifyAll();
    }

    private void serve() {
        long retryMillis = LEAST_RETRY_MILLIS;
        while (!closed) {
            boolean fine = probe();
            retryMillis = fine ? LEAST_RETRY_MILLIS : Math.min(PAUSE_MILLIS, 2 * retryMillis);
            synchronized (this) {
                try {
                    if (!closed) {
                        wait(fine ? PAUSE_MILLIS : retryMillis);
                    }
                } catch (InterruptedException stray) {
                    LOG.warn("The keeper of the connection to Redis was interrupted; nobody should do that", stray);
                }
            }
        }
    }

    /** Connects if there is no connection, and looks whether all is well. */
    private boolean probe() {
        Open now = open.get();
        try {
            if (now == null) {
                now = connect();
                open.set(now);
            }
            long began = nanos.getAsLong();
            RedisInfo info = info(now.connection);
            boolean late = nanos.getAsLong() - began > settings.readTimeout().toNanos();
            if (!info.id().equals(now.serverId)) {
                drop(now, "it was failed over");
                return false;
            }
            String objection = objection(info);
            if (objection != null) {
                disable(objection);
                drop(now, objection);
                return false;
            }
            await(now.connection.async().set(probeKey, ONE, SetArgs.Builder.px(PAUSE_MILLIS)));
            slow = late;
            well = true;
            reason = "";
            return true;
        } catch (TimeoutException | ExecutionException | RedisException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            if (now != null && cause instanceof RedisCommandExecutionException) {
                disable("it refuses: " + cause.getMessage());
            } else {
                disable("it cannot be reached: " + cause.getMessage());
                if (now != null) {
                    drop(now, reason);
                }
            }
            return false;
        } catch (InterruptedException stray) {
            LOG.warn("The keeper of the connection to Redis was interrupted; nobody should do that", stray);
            return false;
        }
    }

    private void disable(String why) {
        if (!why.equals(reason)) {
            LOG.warn("Redis at {} cannot be used as a cache: {}", this, why);
        }
        well = false;
        reason = why;
    }

    private static @Nullable String objection(RedisInfo info) {
        if (!info.isMaster()) {
            return "it is a replica";
        }
        if (info.isCluster()) {
            return "it is part of a cluster; the cache needs a Redis of one process, with replicas or without";
        }
        return SAFE_POLICIES.contains(info.evictionPolicy())
                ? null
                : "its maxmemory-policy is " + info.evictionPolicy()
                        + "; set it to allkeys-lru, volatile-lru or noeviction";
    }

    private Open connect() throws InterruptedException, ExecutionException, TimeoutException {
        RedisClient redis = client;
        if (redis == null || address == null) {
            throw new IllegalStateException("there is no Redis to connect to");
        }
        StatefulRedisConnection<byte[], byte[]> connection =
                await(redis.connectAsync(ByteArrayCodec.INSTANCE, uri(address, settings.writeTimeout()))
                        .toCompletableFuture());
        try {
            RedisInfo info = info(connection);
            return new Open(
                    connection,
                    new ReadLane(connection),
                    info.id(),
                    await(connection.async().scriptLoad(Scripts.MARK)),
                    await(connection.async().scriptLoad(Scripts.LIFT)),
                    await(connection.async().scriptLoad(Scripts.FILL)));
        } catch (InterruptedException | ExecutionException | TimeoutException | RuntimeException failed) {
            CompletableFuture<Void> unused = connection.closeAsync();
            throw failed;
        }
    }

    private RedisInfo info(StatefulRedisConnection<byte[], byte[]> connection)
            throws InterruptedException, ExecutionException, TimeoutException {
        return RedisInfo.parse(await(connection.async().info()));
    }

    private <T> T await(Future<T> answer) throws InterruptedException, ExecutionException, TimeoutException {
        return answer.get(settings.writeTimeout().toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public String toString() {
        return address == null ? "nowhere" : address.toString();
    }

    @Override
    public void close() {
        closed = true;
        wake();
        if (client == null || resources == null) {
            return;
        }
        try {
            thread.join(settings.writeTimeout().multipliedBy(8));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        Open now = open.get();
        if (now != null) {
            now.connection.close();
        }
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
