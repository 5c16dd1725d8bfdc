package io.headgate.region.sql;

import io.headgate.domain.OwnerOnly;
import io.headgate.region.RegistryException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry in an SQLite file that several processes of one machine may have open. This process has two connections, for reads and for
 * writes, each for one caller at a time. One that failed is opened anew at its next use.
 */
final class SqliteFile implements Database {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteFile.class);

    /** Marks the file as a registry, in SQLite's own header: the letters HGrg. */
    private static final int APPLICATION_ID = 0x48477267;

    /** SQLite's code of a database that another one is writing. */
    private static final int BUSY = 5;

    private static final long PAUSE_NANOS = 20_000_000;
    private static final long WAL_LIMIT_BYTES = 4 << 20;

    private final Path path;
    private final Duration timeout;
    private final Lane reads = new Lane(false);
    private final Lane writes = new Lane(true);
    private volatile boolean closed;

    private SqliteFile(Path path, Duration timeout) {
        this.path = path;
        this.timeout = timeout;
    }

    static SqliteFile open(Path path, Duration timeout) {
        SqliteFile file = new SqliteFile(path.toAbsolutePath(), timeout);
        try {
            file.create();
            file.prepare();
            return file;
        } catch (SQLException | IOException failed) {
            throw new RegistryException("cannot open the registry " + file.path + ": " + failed.getMessage(), failed);
        }
    }

    private void create() throws IOException {
        try {
            // What SQLite puts beside it has the same permissions.
            Files.createFile(path, OwnerOnly.FILE);
            try (FileChannel directory = FileChannel.open(path.getParent(), StandardOpenOption.READ)) {
                directory.force(true);
            }
        } catch (FileAlreadyExistsException there) {
            LOG.debug("The registry {} is there", path);
        }
    }

    /** Asks again while others open the file too: for the change to a write-ahead log SQLite does not wait by itself. */
    private void prepare() throws SQLException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                prepare(statement);
                return;
            } catch (SQLException failed) {
                if (failed.getErrorCode() != BUSY || System.nanoTime() - deadline >= 0) {
                    throw failed;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void prepare(Statement statement) throws SQLException {
        statement.execute("BEGIN IMMEDIATE");
        try {
            int application = Tables.number(statement, "PRAGMA application_id");
            boolean fresh = application == 0 && Tables.number(statement, "SELECT COUNT(*) FROM sqlite_schema") == 0;
            if (fresh) {
                statement.execute("PRAGMA application_id = " + APPLICATION_ID);
            } else if (application != APPLICATION_ID) {
                throw new RegistryException(path + " is an SQLite database, but not a registry of Headgate");
            }
            Tables.make(statement, Tables.Dialect.SQLITE);
            statement.execute("COMMIT");
        } catch (SQLException | RuntimeException failed) {
            statement.execute("ROLLBACK");
            throw failed;
        }
    }

    /** A connection that leaves transactions to whoever says BEGIN and COMMIT. */
    private Connection connect() throws SQLException {
        Properties driver = new Properties();
        driver.setProperty("jdbc.get_generated_keys", "false");
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + path, driver);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = " + timeout.toMillis());
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = FULL");
            statement.execute("PRAGMA journal_size_limit = " + WAL_LIMIT_BYTES);
            // The driver has begun a transaction, which is ended here, and never begins another by itself.
            connection.setAutoCommit(false);
            statement.execute("COMMIT");
            return connection;
        } catch (SQLException failed) {
            connection.close();
            throw failed;
        }
    }

    @Override
    public <T> T read(Work<T> work) {
        return reads.run(work);
    }

    @Override
    public <T> T write(Work<T> work) {
        return writes.run(work);
    }

    /** One connection. */
    private final class Lane {
        private final boolean writing;
        private final ReentrantLock lock = new ReentrantLock(true);
        /** Guarded by the lock. */
        private @Nullable Connection connection;

        Lane(boolean writing) {
            this.writing = writing;
        }

        <T> T run(Work<T> work) {
            enter();
            try {
                Connection open = connection;
                if (open == null) {
                    open = connect();
                    connection = open;
                }
                try (Statement statement = open.createStatement()) {
                    // A writer that begins as a reader could find that it has read what is old by now.
                    statement.execute(writing ? "BEGIN IMMEDIATE" : "BEGIN");
                    T value = work.run(open);
                    statement.execute("COMMIT");
                    return value;
                }
            } catch (SQLException failed) {
                leave();
                throw new RegistryException("the registry " + path + " failed: " + failed.getMessage(), failed);
            } catch (RuntimeException failed) {
                leave();
                throw failed;
            } finally {
                lock.unlock();
            }
        }

        private void enter() {
            try {
                if (!lock.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                    throw new RegistryException("the registry " + path + " is too slow: no turn came in " + timeout);
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new RegistryException("interrupted while waiting for the registry", interrupted);
            }
            if (closed) {
                lock.unlock();
                throw new RegistryException("the registry is closed");
            }
        }

        /** With the connection, its transaction ends. */
        private void leave() {
            Connection open = connection;
            connection = null;
            try {
                if (open != null) {
                    open.close();
                }
            } catch (SQLException failed) {
                LOG.warn("A connection to the registry {} did not close: {}", path, failed.toString());
            }
        }

        void close() {
            lock.lock();
            try {
                leave();
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        reads.close();
        writes.close();
    }
}
