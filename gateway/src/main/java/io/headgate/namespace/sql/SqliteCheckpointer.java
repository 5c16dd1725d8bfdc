package io.headgate.namespace.sql;

import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folds the write-ahead log into the database beside the writer, which then never waits for it and uses the log's file again from its
 * beginning. Above the log's bound the writer is held up for the last bit; above twice the bound it waits until all is folded.
 */
final class SqliteCheckpointer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteCheckpointer.class);
    private static final String PASSIVE = "PRAGMA wal_checkpoint(PASSIVE)";
    private static final String RESTART = "PRAGMA wal_checkpoint(RESTART)";
    private static final long PAUSE_MILLIS = 200;

    private final SqliteFile file;
    private final SqliteOptions options;
    private final Thread thread;
    private final Semaphore wakeUp = new Semaphore(0);
    private final ReentrantLock running = new ReentrantLock();
    private final AtomicInteger longReads = new AtomicInteger();
    private volatile boolean commits;
    private volatile boolean closed;

    /** Set before the thread starts. */
    private @Nullable SqliteLane lane;

    /** Guarded by {@link #running}. */
    private @Nullable Session session;

    SqliteCheckpointer(SqliteFile file, SqliteOptions options) {
        this.file = file;
        this.options = options;
        this.thread = Thread.ofPlatform().name("namespace-checkpoints").daemon().unstarted(this::serve);
    }

    void start(SqliteLane writer) {
        lane = writer;
        thread.start();
    }

    /**
     * Begins a read of everything. Until it ends, the log cannot be begun again, only grow: nobody waits for what would fail after a long
     * time-out.
     */
    void beginLongRead() {
        longReads.incrementAndGet();
    }

    void endLongRead() {
        longReads.decrementAndGet();
    }

    /** Whether the log is longer than that many times its bound, and can be begun again. */
    private boolean isTooLong(int times) {
        return longReads.get() == 0 && file.walBytes() > times * options.walLimitBytes();
    }

    /** To be called by the writer after each commit; waits only if the log has outgrown twice its bound. */
    void committed() {
        commits = true;
        if (isTooLong(2)) {
            running.lock();
            try {
                if (isTooLong(2)) {
                    fold(RESTART);
                }
            } finally {
                running.unlock();
            }
        } else if (isTooLong(1) && wakeUp.availablePermits() == 0) {
            wakeUp.release();
        }
    }

    private void serve() {
        while (!closed) {
            try {
                wakeUp.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException stray) {
                LOG.warn("The namespace's checkpointer was interrupted; nobody should do that", stray);
            }
            if (commits) {
                commits = false;
                checkpoint();
            }
        }
        running.lock();
        try {
            discardSession();
        } finally {
            running.unlock();
        }
    }

    private void checkpoint() {
        running.lock();
        try {
            fold(PASSIVE);
            if (isTooLong(1) && lane != null) {
                lane.whilePaused(() -> fold(RESTART));
            }
        } finally {
            running.unlock();
        }
    }

    /** If it fails, it is tried again after the next commit; until then the log grows, and no write is lost. */
    private void fold(String how) {
        try {
            Session open = session;
            if (open == null) {
                open = file.writer();
                session = open;
            }
            open.first(how, row -> row.getInt(1));
        } catch (SQLException failed) {
            LOG.warn("The namespace's log could not be folded into the database: {}", failed.toString());
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
                LOG.warn("The checkpointer's connection did not close: {}", failed.toString());
            }
        }
    }

    /** Stops; to be called when the writer has stopped. SQLite folds the rest when the last connection closes. */
    @Override
    public void close() {
        closed = true;
        wakeUp.release();
        try {
            thread.join(options.timeout().toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
