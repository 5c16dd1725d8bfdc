package io.headgate.namespace.sql;

import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folds the write-ahead log into the database beside the writer, which then never waits for it and uses the log's file again from its
 * beginning. When the writer is so fast that the log grows beyond its bound, it is held up for the last bit.
 */
final class SqliteCheckpointer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteCheckpointer.class);
    private static final String PASSIVE = "PRAGMA wal_checkpoint(PASSIVE)";
    private static final String RESTART = "PRAGMA wal_checkpoint(RESTART)";
    private static final long PAUSE_MILLIS = 200;
    private static final long PAGE_BYTES = 4_096;

    private final SqliteFile file;
    private final SqliteOptions options;
    private final Thread thread;
    private final Semaphore stop = new Semaphore(0);
    private volatile boolean commits;
    private @Nullable Session session;
    private @Nullable SqliteLane lane;

    private record Log(boolean busy, long pages, long foldedPages) {}

    SqliteCheckpointer(SqliteFile file, SqliteOptions options) {
        this.file = file;
        this.options = options;
        this.thread = Thread.ofPlatform().name("namespace-checkpoints").daemon().unstarted(this::serve);
    }

    void start(SqliteLane writer) {
        lane = writer;
        thread.start();
    }

    /** To be told of each commit. Cheap. */
    void committed() {
        commits = true;
    }

    private void serve() {
        boolean stopped = false;
        while (!stopped) {
            try {
                stopped = stop.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                if (commits) {
                    commits = false;
                    checkpoint();
                }
            } catch (SQLException failed) {
                // What was not folded is tried again; until then the log grows, and no write is lost.
                commits = true;
                LOG.warn("The namespace's log could not be folded into the database: {}", failed.toString());
                discardSession();
            } catch (InterruptedException stray) {
                LOG.warn("The namespace's checkpointer was interrupted; nobody should do that", stray);
            }
        }
        discardSession();
    }

    private void checkpoint() throws SQLException {
        Log log = run(PASSIVE);
        if (log.pages * PAGE_BYTES <= options.walLimitBytes() || lane == null) {
            return;
        }
        SQLException[] failure = new SQLException[1];
        lane.whilePaused(() -> {
            try {
                Log forced = run(RESTART);
                if (forced.busy) {
                    commits = true;
                }
            } catch (SQLException failed) {
                failure[0] = failed;
            }
        });
        if (failure[0] != null) {
            throw failure[0];
        }
    }

    private Log run(String mode) throws SQLException {
        Session open = session;
        if (open == null) {
            open = file.writer();
            session = open;
        }
        Log log = open.first(mode, row -> new Log(row.getInt(1) != 0, row.getLong(2), row.getLong(3)));
        return log == null ? new Log(true, 0, 0) : log;
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
        stop.release();
        try {
            thread.join(options.timeout().toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
