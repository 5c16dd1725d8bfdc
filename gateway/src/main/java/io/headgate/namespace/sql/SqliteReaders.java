package io.headgate.namespace.sql;

import io.headgate.namespace.NamespaceException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that read, a bounded number of them, handed out in the order of asking. A read runs on its caller's own thread: it takes
 * microseconds, less than handing it to another. Thread-safe.
 */
final class SqliteReaders implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteReaders.class);
    private static final String BEGIN = "BEGIN";
    private static final String COMMIT = "COMMIT";

    private final SqliteFile file;
    private final SqliteOptions options;
    private final Semaphore permits;
    private final ReentrantLock lock = new ReentrantLock();

    /** Those not in use; the last used first, because its cache is warm. Guarded by {@link #lock}. */
    private final Deque<Session> idle = new ArrayDeque<>();

    private volatile boolean closed;

    interface Work<T> {
        T run(Session session) throws SQLException;
    }

    SqliteReaders(SqliteFile file, SqliteOptions options) {
        this.file = file;
        this.options = options;
        this.permits = new Semaphore(options.readers(), true);
    }

    /** Runs a read of a single statement. */
    <T> T read(Work<T> work) {
        acquire();
        Session session = null;
        boolean sound = false;
        try {
            session = take();
            T value = work.run(session);
            sound = true;
            return value;
        } catch (SQLException failed) {
            throw new NamespaceException("the namespace could not read: " + failed.getMessage(), failed);
        } finally {
            release(session, sound);
        }
    }

    /** Runs a read of many statements that all see the same state. */
    <T> T readConsistently(Work<T> work) {
        return read(session -> {
            session.update(BEGIN);
            T value = work.run(session);
            session.update(COMMIT);
            return value;
        });
    }

    private void acquire() {
        try {
            if (!permits.tryAcquire(options.timeout().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new NamespaceException("the namespace is too slow: no read could begin in " + options.timeout());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new NamespaceException("interrupted while waiting for the namespace", interrupted);
        }
    }

    private Session take() throws SQLException {
        if (closed) {
            throw new NamespaceException("the namespace is closed");
        }
        Session session;
        lock.lock();
        try {
            session = idle.pollFirst();
        } finally {
            lock.unlock();
        }
        return session == null ? file.reader() : session;
    }

    /** A session that failed is closed: another is opened in its place when it is needed. */
    private void release(@Nullable Session session, boolean sound) {
        try {
            if (session == null) {
                return;
            }
            if (!sound || closed) {
                close(session);
                return;
            }
            lock.lock();
            try {
                idle.addFirst(session);
            } finally {
                lock.unlock();
            }
        } finally {
            permits.release();
        }
    }

    private static void close(Session session) {
        try {
            session.close();
        } catch (SQLException failed) {
            LOG.warn("A connection that read the namespace did not close: {}", failed.toString());
        }
    }

    /** Waits for the reads under way, then closes the connections. Later reads fail. */
    @Override
    public void close() {
        closed = true;
        boolean all = false;
        try {
            all = permits.tryAcquire(options.readers(), options.timeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        lock.lock();
        try {
            idle.forEach(SqliteReaders::close);
            idle.clear();
        } finally {
            lock.unlock();
        }
        if (all) {
            permits.release(options.readers());
        }
    }
}
