package io.headgate.namespace.postgres;

import io.headgate.namespace.NamespaceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The puts and deletes of this gateway. Callers queue their commands and wait; one thread takes those that are there and runs them in
 * one transaction, so that they share its round trips, its flush and its row of each counter, and none waits for others to come.
 * Thread-safe.
 */
final class PutLane implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PutLane.class);

    /** Wakes the thread, which then sees that the lane is closed. */
    private static final Command<Boolean> WAKE_UP = new Command<>(batch -> {}, batch -> true);

    private final Database database;
    private final int slot;
    private final int slotAlone;
    private final BlockingQueue<Command<?>> queue;
    private final Thread thread;
    private volatile boolean closed;

    /** What a caller waits for. */
    private static final class Command<T> {
        private final Consumer<KeyBatch> naming;
        private final Function<KeyBatch, T> decision;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private @Nullable T value;

        Command(Consumer<KeyBatch> naming, Function<KeyBatch, T> decision) {
            this.naming = naming;
            this.decision = decision;
        }

        void decide(KeyBatch batch) {
            value = decision.apply(batch);
        }

        @SuppressWarnings("NullAway") // set by decide
        void complete() {
            result.complete(value);
        }
    }

    /**
     * @param slot the part of each sum that only this lane adds to
     * @param slotAlone that of the gateway's other transactions
     */
    PutLane(Database database, int slot, int slotAlone) {
        this.database = database;
        this.slot = slot;
        this.slotAlone = slotAlone;
        this.queue = new ArrayBlockingQueue<>(database.options().queuedWrites());
        this.thread = Thread.ofPlatform().name("namespace-puts").daemon().unstarted(this::serve);
    }

    void start() {
        thread.start();
    }

    /**
     * Runs a command; when this returns, what it did is durable.
     *
     * @param naming names what the decision will ask of the batch
     * @param decision without effect but on the batch, as it may be run again
     * @throws NamespaceException if it did not commit, or that is unknown
     */
    <T> T run(Consumer<KeyBatch> naming, Function<KeyBatch, T> decision) {
        database.pool().refuseIfDown();
        Command<T> command = new Command<>(naming, decision);
        long timeoutNanos = database.options().timeout().toNanos();
        try {
            if (closed || !queue.offer(command, timeoutNanos, TimeUnit.NANOSECONDS)) {
                throw new NamespaceException(
                        closed ? "the namespace is closed" : "the namespace is too slow: its queue of writes is full");
            }
            if (closed && queue.remove(command)) {
                throw new NamespaceException("the namespace is closed");
            }
            return command.result.get(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new NamespaceException("interrupted while waiting for the namespace", interrupted);
        } catch (TimeoutException late) {
            queue.remove(command);
            throw new NamespaceException(
                    "the namespace did not commit in " + database.options().timeout(), late);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new NamespaceException(String.valueOf(cause.getMessage()), cause);
        }
    }

    private void serve() {
        List<Command<?>> commands = new ArrayList<>();
        while (true) {
            try {
                Command<?> first = queue.poll(closed ? 0 : 1, TimeUnit.SECONDS);
                if (first != null) {
                    commands.add(first);
                    queue.drainTo(commands, database.options().batchWrites() - 1);
                    commands.remove(WAKE_UP);
                    commit(commands);
                } else if (closed) {
                    return;
                }
            } catch (InterruptedException stray) {
                LOG.warn("The namespace's writer was interrupted; nobody should do that", stray);
            } finally {
                commands.clear();
            }
        }
    }

    private void commit(List<Command<?>> commands) {
        if (commands.isEmpty()) {
            return;
        }
        RuntimeException failure = attempt(commands);
        if (failure == null) {
            commands.forEach(Command::complete);
        } else if (commands.size() == 1 || Failure.isOutage(failure)) {
            LOG.debug("Writes of the namespace failed", failure);
            commands.forEach(command -> command.result.completeExceptionally(failure));
        } else {
            // Nothing of the batch has happened. Each alone, beside the lane, those that can commit do; one that has to
            // wait for a
            // lock holds up nobody then.
            for (Command<?> command : commands) {
                Thread.ofVirtual().name("namespace-put").start(() -> commitAlone(command));
            }
        }
    }

    private void commitAlone(Command<?> command) {
        try {
            database.write(slotAlone, work(List.of(command)));
            command.complete();
        } catch (RuntimeException failed) {
            command.result.completeExceptionally(failed);
        }
    }

    /** Runs the commands in one transaction; null if it committed, else why it did not. */
    private @Nullable RuntimeException attempt(List<Command<?>> commands) {
        try {
            database.writeNow(slot, work(commands));
            return null;
        } catch (RuntimeException failed) {
            return failed;
        }
    }

    private static Database.Work<Boolean> work(List<Command<?>> commands) {
        return tx -> {
            KeyBatch batch = new KeyBatch(tx);
            commands.forEach(command -> command.naming.accept(batch));
            batch.load();
            commands.forEach(command -> command.decide(batch));
            batch.write();
            return true;
        };
    }

    /** Commits what is queued, then stops. Later commands fail. */
    @Override
    public void close() {
        closed = true;
        queue.offer(WAKE_UP); // A queue without a place for it wakes the thread by itself.
        try {
            thread.join(database.options().timeout().toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        NamespaceException reason = new NamespaceException("the namespace is closed");
        for (Command<?> late = queue.poll(); late != null; late = queue.poll()) {
            late.result.completeExceptionally(reason);
        }
    }
}
