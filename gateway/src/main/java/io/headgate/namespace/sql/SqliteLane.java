package io.headgate.namespace.sql;

import io.headgate.namespace.NamespaceException;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer. Callers queue their operations and wait; one thread takes those that are there, runs them in one transaction and
 * commits once, so that many share a flush of the disk and none waits for others to come. Thread-safe.
 */
final class SqliteLane implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteLane.class);
    private static final String BEGIN = "BEGIN IMMEDIATE";
    private static final String COMMIT = "COMMIT";
    private static final String ROLLBACK = "ROLLBACK";

    private final SqliteFile file;
    private final InstantSource clock;
    private final SqliteOptions options;
    private final RecentVersions recent;
    private final Runnable committed;
    private final BlockingQueue<Write<?>> queue;
    private final Thread thread;

    /** Held while a transaction is open, so that a checkpoint can keep the next one from beginning. */
    private final ReentrantLock transaction = new ReentrantLock(true);

    private volatile boolean closed;

    /** Only the writer thread uses it. Null when it has failed and is to be opened again. */
    private @Nullable Session session;

    /** An operation: deterministic, and without effect but on the database, so that it can be run again after a rollback. */
    interface Work<T> {
        T run(Batch batch) throws SQLException;
    }

    private static final class Write<T> {
        private final Work<T> work;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private @Nullable T value;

        Write(Work<T> work) {
            this.work = work;
        }

        void run(Batch batch) throws SQLException {
            value = work.run(batch);
        }

        @SuppressWarnings("NullAway") // set by run
        void complete() {
            result.complete(value);
        }

        void fail(Throwable cause) {
            result.completeExceptionally(cause);
        }
    }

    /** @param committed called after each commit, on the writer's thread, with no transaction open */
    SqliteLane(SqliteFile file, InstantSource clock, SqliteOptions options, RecentVersions recent, Runnable committed) {
        this.file = file;
        this.clock = clock;
        this.options = options;
        this.recent = recent;
        this.committed = committed;
        this.queue = new ArrayBlockingQueue<>(options.queuedWrites());
        this.thread = Thread.ofPlatform().name("namespace-writer").daemon().unstarted(this::serve);
    }

    void start() {
        thread.start();
    }

    /**
     * Runs the operation; when this returns, what it did is durable.
     *
     * @throws NamespaceException if it did not commit, or that is unknown
     */
    <T> T write(Work<T> work) {
        Write<T> write = new Write<>(work);
        try {
            if (closed || !queue.offer(write, options.timeout().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new NamespaceException(
                        closed ? "the namespace is closed" : "the namespace is too slow: its queue of writes is full");
            }
            if (closed && queue.remove(write)) {
                throw new NamespaceException("the namespace is closed");
            }
            return write.result.get(options.timeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new NamespaceException("interrupted while waiting for the namespace", interrupted);
        } catch (TimeoutException late) {
            queue.remove(write);
            throw new NamespaceException("the namespace did not commit in " + options.timeout(), late);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            String reason = cause == null ? failed.toString() : String.valueOf(cause.getMessage());
            throw new NamespaceException("the namespace could not write: " + reason, cause == null ? failed : cause);
        }
    }

    /** Runs {@code pause} while no transaction is open and none begins. */
    void whilePaused(Runnable pause) {
        transaction.lock();
        try {
            pause.run();
        } finally {
            transaction.unlock();
        }
    }

    private void serve() {
        List<Write<?>> writes = new ArrayList<>(options.batchWrites());
        while (true) {
            try {
                // Waking up now and then, the thread sees that the lane is closed.
                Write<?> first = queue.poll(closed ? 0 : 100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    writes.add(first);
                    queue.drainTo(writes, options.batchWrites() - 1);
                    commit(writes);
                } else if (closed) {
                    break;
                }
            } catch (InterruptedException stray) {
                LOG.warn("The namespace's writer was interrupted; nobody should do that", stray);
            } finally {
                writes.clear();
            }
        }
        discardSession();
    }

    private void commit(List<Write<?>> writes) {
        Throwable failure = attempt(writes);
        if (failure == null) {
            writes.forEach(Write::complete);
            committed.run();
        } else if (writes.size() == 1) {
            LOG.debug("A write of the namespace failed", failure);
            writes.getFirst().fail(failure);
        } else {
            // Nothing of the batch has happened. Each alone, those that can commit do.
            for (Write<?> write : writes) {
                commit(List.of(write));
            }
        }
    }

    /** Runs the writes in one transaction; null if it committed, else why it did not. */
    private @Nullable Throwable attempt(List<Write<?>> writes) {
        transaction.lock();
        try {
            Session open = session;
            if (open == null) {
                open = file.writer();
                session = open;
            }
            open.update(BEGIN);
            Batch batch = new Batch(open, clock.millis());
            for (Write<?> write : writes) {
                write.run(batch);
            }
            batch.flush();
            commit(open, batch);
            return null;
        } catch (SQLException | RuntimeException failed) {
            rollBack();
            return failed;
        } finally {
            transaction.unlock();
        }
    }

    private void commit(Session open, Batch batch) throws SQLException {
        if (batch.blobsMoved()) {
            recent.beforeMoves();
        }
        recent.beforeCommit(batch.replaced());
        try {
            open.update(COMMIT);
        } finally {
            recent.afterCommit(batch.replaced());
            if (batch.blobsMoved()) {
                recent.afterMoves();
            }
        }
    }

    /** After a full disk or an I/O error SQLite may have rolled back already, or the connection be of no use: both end here. */
    private void rollBack() {
        Session open = session;
        if (open == null) {
            return;
        }
        try {
            open.update(ROLLBACK);
        } catch (SQLException gone) {
            LOG.debug("The namespace's connection is opened again", gone);
            discardSession();
        }
    }

    private void discardSession() {
        Session open = session;
        session = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException failed) {
                LOG.warn("The namespace's connection did not close: {}", failed.toString());
            }
        }
    }

    /** Commits what is queued, then stops. Later writes fail. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join(options.timeout().toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        NamespaceException reason = new NamespaceException("the namespace is closed");
        for (Write<?> late = queue.poll(); late != null; late = queue.poll()) {
            late.fail(reason);
        }
    }
}
