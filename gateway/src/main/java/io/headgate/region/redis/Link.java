package io.headgate.region.redis;

import static io.lettuce.core.ScriptOutputType.MULTI;

import io.headgate.region.RegistryException;
import io.headgate.region.redis.RedisRegistryOptions.Node;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one process: one for reads, and one for changes, whose replicas are asked about on the same connection, one change
 * after the other. They are never mended, only replaced, so that what was sent is not sent again without its sender. Thread-safe.
 */
final class Link {
    /** A process that has not answered by then may have a successor. */
    private static final Duration LONGEST_TRY = Duration.ofSeconds(2);

    private static final byte[][] KEYS = {key("names"), key("owners"), key("regions"), key("changes")};

    private final Node node;
    private final StatefulRedisConnection<byte[], byte[]> reads;
    private final StatefulRedisConnection<byte[], byte[]> changes;
    private final Duration replicasTimeout;
    private final ReentrantLock changing = new ReentrantLock(true);

    Link(
            Node node,
            StatefulRedisConnection<byte[], byte[]> reads,
            StatefulRedisConnection<byte[], byte[]> changes,
            Duration replicasTimeout) {
        this.node = node;
        this.reads = reads;
        this.changes = changes;
        this.replicasTimeout = replicasTimeout;
    }

    private static byte[] key(String name) {
        return ("{headgate-registry}:" + name).getBytes(StandardCharsets.US_ASCII);
    }

    /** A change was made, and no replica has it. */
    static final class Unacknowledged extends Exception {
        private static final long serialVersionUID = 1;

        Unacknowledged(String message) {
            super(message);
        }
    }

    Node node() {
        return node;
    }

    boolean isOpen() {
        return reads.isOpen() && changes.isOpen();
    }

    List<byte[]> read(Script script, long deadline, byte[]... arguments)
            throws ExecutionException, TimeoutException, InterruptedException {
        return run(reads, script, deadline, arguments);
    }

    List<byte[]> change(Script script, long deadline, byte[]... arguments)
            throws ExecutionException, TimeoutException, InterruptedException, Unacknowledged {
        if (!changing.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw new RegistryException("the registry's Redis is too slow: other changes took all the time");
        }
        try {
            List<byte[]> changed = run(changes, script, deadline, arguments);
            acknowledge(deadline);
            return changed;
        } finally {
            changing.unlock();
        }
    }

    private static List<byte[]> run(
            StatefulRedisConnection<byte[], byte[]> connection, Script script, long deadline, byte[]... arguments)
            throws ExecutionException, TimeoutException, InterruptedException {
        try {
            return answer(connection.async().evalsha(script.digest(), MULTI, KEYS, arguments), deadline);
        } catch (ExecutionException failed) {
            if (!(failed.getCause() instanceof RedisNoScriptException)) {
                throw failed;
            }
            return answer(connection.async().eval(script.text(), MULTI, KEYS, arguments), deadline);
        }
    }

    private static List<byte[]> answer(RedisFuture<List<byte[]>> sent, long deadline)
            throws ExecutionException, TimeoutException, InterruptedException {
        List<byte[]> answer = await(sent, LONGEST_TRY, deadline);
        return answer == null ? List.of() : answer;
    }

    /** Waits until a replica, if there is one, has what was done on this connection. */
    private void acknowledge(long deadline)
            throws ExecutionException, TimeoutException, InterruptedException, Unacknowledged {
        List<Object> role = await(changes.async().role(), LONGEST_TRY, deadline);
        if (role == null || !(role.getFirst() instanceof byte[] name) || !isMaster(name)) {
            throw new ExecutionException(new RedisCommandExecutionException("READONLY the master is a replica by now"));
        }
        if (!(role.getLast() instanceof List<?> replicas) || replicas.isEmpty()) {
            return;
        }
        Long have = await(
                changes.async().waitForReplication(1, replicasTimeout.toMillis()),
                LONGEST_TRY.plus(replicasTimeout),
                deadline);
        if (have == null || have < 1) {
            throw new Unacknowledged("no replica has had the change in " + replicasTimeout);
        }
    }

    private static boolean isMaster(byte[] role) {
        return new String(role, StandardCharsets.US_ASCII).equals("master");
    }

    static <T> @Nullable T await(Future<T> answer, Duration longest, long deadline)
            throws ExecutionException, TimeoutException, InterruptedException {
        long left = Math.max(1, deadline - System.nanoTime());
        return answer.get(Math.min(left, longest.toNanos()), TimeUnit.NANOSECONDS);
    }

    void close() {
        CompletableFuture<Void> unused = reads.closeAsync();
        CompletableFuture<Void> unusedToo = changes.closeAsync();
    }

    @Override
    public String toString() {
        return node.toString();
    }
}
