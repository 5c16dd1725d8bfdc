package io.headgate.namespace.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * What replicas have of the writes that one master has done, asked on a connection of its own, so that nothing else waits meanwhile. One
 * question is under way at a time, and the next is for all who have come by then. Thread-safe.
 */
final class Acknowledgements {
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final String history;
    private final byte[] mark;
    private final int replicas;
    private final Duration timeout;

    private List<CompletableFuture<Void>> waiting = new ArrayList<>();
    private boolean asking;

    /**
     * @param history by which the master's replication is known
     * @param mark a key of a slot that the master serves
     */
    Acknowledgements(
            StatefulRedisConnection<byte[], byte[]> connection,
            String history,
            byte[] mark,
            int replicas,
            Duration timeout) {
        this.connection = connection;
        this.history = history;
        this.mark = mark;
        this.replicas = replicas;
        this.timeout = timeout;
        connection.setAutoFlushCommands(false);
    }

    /** Writes that may be lost, or that nobody can tell of. */
    static final class Unacknowledged extends RedisException {
        private static final long serialVersionUID = 1;

        Unacknowledged(String message, @Nullable Throwable cause) {
            super(message, cause);
        }

        /** The function that marks is missing. */
        boolean isForWantOfLibrary() {
            return getCause() != null && Failure.of(getCause()) instanceof Failure.NoLibrary;
        }
    }

    /** Completed when the replicas have what the master had done before the call, or with {@link Unacknowledged}. */
    CompletableFuture<Void> ofWritesSoFar() {
        CompletableFuture<Void> acknowledged = new CompletableFuture<>();
        synchronized (this) {
            waiting.add(acknowledged);
            if (asking) {
                return acknowledged;
            }
            asking = true;
        }
        ask();
        return acknowledged;
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    void close() {
        CompletableFuture<Void> unused = connection.closeAsync();
    }

    private void ask() {
        List<CompletableFuture<Void>> asked;
        synchronized (this) {
            asked = waiting;
            waiting = new ArrayList<>();
            if (asked.isEmpty()) {
                asking = false;
                return;
            }
        }
        CompletableFuture<Void> unused = answer().thenAccept(failure -> {
            for (CompletableFuture<Void> one : asked) {
                if (failure == null) {
                    one.complete(null);
                } else {
                    one.completeExceptionally(failure);
                }
            }
            ask();
        });
    }

    /** The last answer says that it was the same master all the time, which another process, or one that was demoted meanwhile, is not. */
    private CompletableFuture<@Nullable Unacknowledged> answer() {
        try {
            RedisAsyncCommands<byte[], byte[]> redis = connection.async();
            RedisFuture<byte[]> marked =
                    redis.fcall(Library.function(Script.MARK), ScriptOutputType.VALUE, new byte[][] {mark});
            RedisFuture<Long> count = redis.waitForReplication(replicas, timeout.toMillis());
            RedisFuture<String> info = redis.info("replication");
            connection.flushCommands();
            return marked.toCompletableFuture()
                    .thenCombine(count, (_, has) -> has)
                    .thenCombine(info, (has, said) -> {
                        if (!history.equals(history(said))) {
                            throw new RedisException("the master has been another one meanwhile");
                        }
                        return has;
                    })
                    .handle(this::outcome);
        } catch (RedisException failed) {
            return CompletableFuture.completedFuture(outcome(0L, failed));
        }
    }

    /** Why they are not acknowledged; null if they are. Unless the mark's function is missing, nobody gets an answer to another question. */
    private @Nullable Unacknowledged outcome(@Nullable Long has, @Nullable Throwable failure) {
        if (failure != null || has == null) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            Unacknowledged why = new Unacknowledged("it is not known whether replicas have it", cause);
            if (!why.isForWantOfLibrary()) {
                close();
            }
            return why;
        }
        return has < replicas ? new Unacknowledged(has + " replicas have it, not " + replicas, null) : null;
    }

    /** By which a master's replication is known, from what it says of it; null if it is none. */
    static @Nullable String history(String info) {
        String id = null;
        boolean master = false;
        for (String line : info.lines().toList()) {
            if (line.startsWith("master_replid:")) {
                id = line.substring("master_replid:".length());
            }
            master |= line.equals("role:master");
        }
        return master ? id : null;
    }
}
