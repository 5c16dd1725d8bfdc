package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.namespace.NamespaceException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.ReadOnlyCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What runs in the cluster. A write is done when as many replicas have it as are waited for. What fails for a while (a slot on its way, a
 * failover, a lost connection, a missing replica) is done again until the time is over, so whatever is run here must be such that it takes
 * effect once. Thread-safe.
 */
final class Cluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    private static final long FIRST_PAUSE_MILLIS = 2;
    private static final long LONGEST_PAUSE_MILLIS = 100;
    /** A node that has not answered by then may have a successor. */
    private static final Duration LONGEST_TRY = Duration.ofSeconds(2);

    /** What has less time left is not tried again: a try that ends early closes a connection that others use. */
    private static final long SHORTEST_TRY_NANOS = Duration.ofMillis(100).toNanos();

    private static final long COMPLAINT_NANOS = Duration.ofSeconds(10).toNanos();
    private static final int MOST_AT_ONCE = 256;

    private final RedisOptions options;
    private final Nodes nodes;
    private final Functions functions;
    private final AtomicLong complainedNanos = new AtomicLong(System.nanoTime() - COMPLAINT_NANOS);

    /** @throws NamespaceException if no node answers, or the cluster can keep no namespace */
    Cluster(RedisOptions options) {
        this(options, "headgate");
    }

    /** @param name by which the servers know the client */
    Cluster(RedisOptions options, String name) {
        this.options = options;
        nodes = new Nodes(options, name);
        try {
            functions = new Functions(nodes);
            functions.loadAtStart(options.timeout());
        } catch (NamespaceException refused) {
            nodes.close();
            throw refused;
        }
    }

    /** What a script answers that answers one string, or nothing. */
    byte @Nullable [] one(Script script, byte[][] keys, byte[]... arguments) {
        return call(
                script.effect() != Script.Effect.READS,
                redis -> redis.<byte[]>fcall(Library.function(script), ScriptOutputType.VALUE, keys, arguments));
    }

    /** What a script answers that answers strings. */
    List<byte[]> many(Script script, byte[][] keys, byte[]... arguments) {
        List<byte[]> answer = call(
                script.effect() != Script.Effect.READS,
                redis -> redis.<List<byte[]>>fcall(Library.function(script), ScriptOutputType.MULTI, keys, arguments));
        return answer == null ? List.of() : answer;
    }

    /** As {@link #many}, of a script that reads: replicas have what it answers. */
    List<byte[]> settled(Script script, byte[][] keys, byte[]... arguments) {
        List<byte[]> answer = call(
                true,
                redis -> redis.<List<byte[]>>fcall(Library.function(script), ScriptOutputType.MULTI, keys, arguments));
        return answer == null ? List.of() : answer;
    }

    /** Waits until replicas have all that the slot's master has done: who has read there may act elsewhere on what was read. */
    void settle(int slot) {
        byte[] unused = one(Script.MARK, new byte[][] {SlotKeys.key(slot, "k")});
    }

    /** Sends a command that may be sent again. */
    <T> @Nullable T command(Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
        boolean reads = ReadOnlyCommands.isReadOnlyCommand(Unsent.make(command).getType());
        return call(!reads, command);
    }

    /** What a field holds, empty if there is none, and the server's time when it was so. */
    record Dated(long nowMillis, String text) {}

    Dated dated(byte[] key, String field) {
        List<byte[]> answer = many(Script.CLOCK, new byte[][] {key}, field.getBytes(UTF_8));
        long seconds = Long.parseLong(new String(answer.get(0), UTF_8));
        long micros = Long.parseLong(new String(answer.get(1), UTF_8));
        return new Dated(seconds * 1_000 + micros / 1_000, new String(answer.get(2), UTF_8));
    }

    /** The masters, as far as is known. */
    List<Node> masters() {
        return nodes.masters();
    }

    /** Sends a command that changes nothing to a node, whatever it serves. */
    <T> @Nullable T at(Node node, Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
        long deadline = System.nanoTime() + options.timeout().toNanos();
        while (true) {
            Throwable cause;
            try {
                return attempt(node, Unsent.make(command), false, false, deadline);
            } catch (ExecutionException failed) {
                cause = failed.getCause() == null ? failed : failed.getCause();
            } catch (CancellationException | RedisException | TimeoutException failed) {
                cause = failed;
            } catch (InterruptedException interrupted) {
                throw interrupted(interrupted);
            }
            if (System.nanoTime() - deadline > 0 || Failure.of(cause) instanceof Failure.Final) {
                throw outage(node, cause);
            }
            pause(LONGEST_PAUSE_MILLIS);
        }
    }

    /**
     * Returns if a master answers for a slot of its own: what the others have may be out, and is refused alone.
     *
     * @throws NamespaceException if none does
     */
    void ping() {
        List<Callable<Boolean>> reads = new ArrayList<>();
        for (int slot : nodes.slotOfEachMaster()) {
            byte[] key = SlotKeys.key(slot, "k");
            reads.add(() -> command(redis -> redis.exists(key)) != null);
        }
        if (reads.isEmpty()) {
            throw new NamespaceException("no master of Redis is known");
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Boolean unused = threads.invokeAny(reads);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof NamespaceException outage ? outage : new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        }
    }

    /** How many connections of clients of that name the masters have. */
    long clients(String name) {
        String word = "name=" + name;
        long clients = 0;
        for (Node master : masters()) {
            String all = at(master, redis -> redis.clientList());
            clients += String.valueOf(all)
                    .lines()
                    .filter(line -> List.of(line.split(" ", -1)).contains(word))
                    .count();
        }
        return clients;
    }

    /** Sends a command that is of no matter: what it does is done by others later. */
    <T> void send(Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
        try {
            AsyncCommand<byte[], byte[], T> unsent = Unsent.make(command);
            Node node = nodes.serving(Unsent.slot(unsent));
            if (node != null && node.answers().mayTry()) {
                CompletableFuture<Void> unused = node.link().thenAccept(link -> link.send(unsent, false));
            }
        } catch (RedisException left) {
            LOG.debug("Redis is left to be told later", left);
        }
    }

    private <T> @Nullable T call(
            boolean writes, Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
        long deadline = System.nanoTime() + options.timeout().toNanos();
        long pause = FIRST_PAUSE_MILLIS;
        Failure.@Nullable Elsewhere elsewhere = null;
        while (true) {
            AsyncCommand<byte[], byte[], T> unsent = Unsent.make(command);
            Node node = node(elsewhere, Unsent.slot(unsent), deadline);
            if (writes && !node.replicas().mayTry()) {
                throw new NamespaceException("Redis at " + node + " has had too few replicas for a while");
            }
            Throwable cause;
            try {
                T answer = attempt(node, unsent, elsewhere != null && elsewhere.once(), writes, deadline);
                node.answers().succeeded();
                return answer;
            } catch (ExecutionException failed) {
                cause = failed.getCause() == null ? failed : failed.getCause();
            } catch (CancellationException | RedisException | TimeoutException failed) {
                cause = failed;
            } catch (InterruptedException interrupted) {
                throw interrupted(interrupted);
            }
            Failure failure = Failure.of(cause);
            learn(node, failure, cause);
            if (deadline - System.nanoTime() < SHORTEST_TRY_NANOS
                    || node.answers().isGivenUp()
                    || (writes && node.replicas().isGivenUp())) {
                throw outage(node, cause);
            }
            elsewhere = failure instanceof Failure.Elsewhere to ? to : null;
            pause(pause);
            pause = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
        }
    }

    /** The node to ask, which may be a while in coming. */
    private Node node(Failure.@Nullable Elsewhere elsewhere, int slot, long deadline) {
        while (true) {
            Node node = elsewhere == null ? nodes.serving(slot) : nodes.at(elsewhere.host(), elsewhere.port());
            if (node != null) {
                if (!node.answers().mayTry()) {
                    throw new NamespaceException("Redis at " + node + " has not answered for a while");
                }
                return node;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new NamespaceException("no master of Redis serves slot " + slot);
            }
            nodes.refresh();
            pause(LONGEST_PAUSE_MILLIS);
        }
    }

    /** @throws NamespaceException if it is in vain to try again */
    private void learn(Node node, Failure failure, Throwable cause) {
        switch (failure) {
            case Failure.Elsewhere to -> {
                node.answers().succeeded();
                nodes.refresh();
            }
            case Failure.NoLibrary() -> {
                node.answers().succeeded();
                nodes.refresh(); // it may be a master of late
                functions.load();
            }
            case Failure.Passing() -> {
                node.answers().succeeded();
                nodes.refresh();
            }
            case Failure.Unwell(), Failure.Silent() -> {
                node.answers().failed();
                nodes.refresh();
            }
            case Failure.Unacknowledged() -> {
                node.answers().succeeded();
                nodes.refresh(); // it may be a master no more, or of late
            }
            case Failure.Full() -> {
                node.answers().succeeded();
                throw full(node, cause);
            }
            case Failure.Final() -> {
                node.answers().succeeded();
                throw outage(node, cause);
            }
        }
    }

    /** Sends it once. A connection that gives no answer in time is left. */
    private <T> @Nullable T attempt(
            Node node, AsyncCommand<byte[], byte[], T> command, boolean once, boolean writes, long deadline)
            throws ExecutionException, TimeoutException, InterruptedException {
        Link link = link(node, deadline);
        try {
            link.send(command, once);
            T answer = answer(command.toCompletableFuture(), LONGEST_TRY, deadline);
            if (writes && nodes.waitForReplicas()) {
                acknowledge(node, link, deadline);
            }
            return answer;
        } catch (TimeoutException late) {
            link.close();
            throw late;
        }
    }

    private static Link link(Node node, long deadline)
            throws ExecutionException, TimeoutException, InterruptedException {
        CompletableFuture<Link> link = node.link();
        try {
            return answer(link, Nodes.HANDSHAKE.plus(LONGEST_TRY), deadline);
        } catch (TimeoutException late) {
            node.giveUp(link);
            throw late;
        }
    }

    /** Asks for as long as the link holds, since whoever writes again loses the answer of the first time. */
    private void acknowledge(Node node, Link link, long deadline)
            throws ExecutionException, TimeoutException, InterruptedException {
        // Others' writes may be asked about before.
        Duration longest = LONGEST_TRY.plus(options.replicasTimeout().multipliedBy(2));
        while (true) {
            try {
                answer(link.acknowledged(), longest, deadline);
                node.replicas().succeeded();
                return;
            } catch (ExecutionException failed) {
                node.replicas().failed();
                if (!link.isOpen() || node.replicas().isGivenUp() || System.nanoTime() - deadline > 0) {
                    throw failed;
                }
                if (failed.getCause() instanceof Acknowledgements.Unacknowledged why && why.isForWantOfLibrary()) {
                    functions.load();
                }
            }
            pause(LONGEST_PAUSE_MILLIS);
        }
    }

    private static <T> T answer(CompletableFuture<T> future, Duration longest, long deadline)
            throws ExecutionException, TimeoutException, InterruptedException {
        long left = Math.max(1, deadline - System.nanoTime());
        return future.get(Math.min(left, longest.toNanos()), TimeUnit.NANOSECONDS);
    }

    private NamespaceException full(Node node, Throwable cause) {
        long last = complainedNanos.get();
        long now = System.nanoTime();
        if (now - last >= COMPLAINT_NANOS && complainedNanos.compareAndSet(last, now)) {
            LOG.error(
                    "Redis at {} has no memory left for the namespace: writes are refused, reads and deletes go on",
                    node);
        }
        return NamespaceException.full("Redis at " + node + " has no memory left: " + cause.getMessage(), cause);
    }

    private static NamespaceException outage(Node node, Throwable cause) {
        return new NamespaceException("Redis at " + node + " did not do it: " + reason(cause), cause);
    }

    private static NamespaceException interrupted(InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return new NamespaceException("interrupted while waiting for Redis", interrupted);
    }

    /** Does the same for many at once; answers in their order. If one fails, the others are interrupted, and no more are begun. */
    <S, T> List<T> each(List<S> many, Function<S, T> work) {
        AtomicReference<@Nullable Throwable> first = new AtomicReference<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Semaphore room = new Semaphore(MOST_AT_ONCE);
            List<Future<T>> answers = new ArrayList<>(many.size());
            for (S one : many) {
                room.acquire();
                answers.add(threads.submit(() -> {
                    try {
                        return work.apply(one);
                    } catch (RuntimeException | Error failed) {
                        first.compareAndSet(null, failed);
                        threads.shutdownNow();
                        throw failed;
                    } finally {
                        room.release();
                    }
                }));
            }
            List<T> all = new ArrayList<>(many.size());
            for (Future<T> answer : answers) {
                all.add(answer.get());
            }
            return all;
        } catch (ExecutionException | RejectedExecutionException failed) {
            Throwable cause = first.get();
            if (cause instanceof NamespaceException outage) {
                throw outage;
            }
            throw new IllegalStateException(cause == null ? failed : cause);
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        }
    }

    private static String reason(Throwable cause) {
        String message = cause instanceof TimeoutException ? "no answer" : String.valueOf(cause.getMessage());
        return cause.getCause() == null
                ? message
                : message + ": " + cause.getCause().getMessage();
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        }
    }

    @Override
    public void close() {
        nodes.close();
    }
}
