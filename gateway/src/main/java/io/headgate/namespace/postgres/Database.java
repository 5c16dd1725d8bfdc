package io.headgate.namespace.postgres;

import io.headgate.namespace.NamespaceException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs reads and transactions, again where that can help: after another transaction came first, and a few times after the connection
 * was lost. What became of a commit whose answer was lost is asked of the server, so that a transaction takes effect once. Thread-safe.
 */
final class Database implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Database.class);
    private static final String STATUS = "SELECT pg_xact_status(?::text::xid8)";

    private static final String NO_TIMEOUTS = """
            SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0""";

    /** Here the planner is to choose as it does by default, since all rows are read. */
    private static final String READ_ALL = """
            SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
            SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on;
            SET LOCAL enable_mergejoin = on; SET LOCAL enable_bitmapscan = on; SET LOCAL random_page_cost = 4;
            SET LOCAL seq_page_cost = 1; SET LOCAL cpu_tuple_cost = 0.01;
            """ + NO_TIMEOUTS;

    /** So long the server may sort before it sends the first row. */
    private static final Duration LONGEST_SILENCE = Duration.ofHours(6);

    private static final int LEAST_VERSION = 14;
    private static final int MOST_LOST = 3;
    private static final long LONGEST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final PostgresOptions options;
    private final InstantSource clock;
    private final Pool pool;
    private volatile boolean closed;

    /** Reads and changes rows; run again after a failure, so without effect but on the database. */
    interface Work<T extends @Nullable Object> {
        T run(Tx tx) throws SQLException;
    }

    /** Reads rows, all by one statement, so that they are of one instant. */
    interface Read<T extends @Nullable Object> {
        T run(Session session) throws SQLException;
    }

    Database(PostgresOptions options, InstantSource clock) {
        this.options = options;
        this.clock = clock;
        this.pool = new Pool(options);
    }

    PostgresOptions options() {
        return options;
    }

    Pool pool() {
        return pool;
    }

    /** @throws NamespaceException if the server cannot be reached, or is too old */
    void checkServer() {
        int version = read(session -> session.connection().getMetaData().getDatabaseMajorVersion());
        if (version < LEAST_VERSION) {
            throw new NamespaceException("the namespace's database is PostgreSQL " + version + "; Headgate needs "
                    + LEAST_VERSION + " or later");
        }
    }

    <T extends @Nullable Object> T read(Read<T> work) {
        pool.enter();
        try {
            return again(() -> {
                try (Connection connection = pool.take()) {
                    return guarded(connection, () -> work.run(new Session(connection, false)));
                }
            });
        } finally {
            pool.leave();
        }
    }

    /** Runs reads that take long and all see the same instant; not again after a failure, as what was read has been told. */
    <T extends @Nullable Object> T readAll(Read<T> work) {
        return allAtOnce(READ_ALL, work);
    }

    /** Runs a transaction that writes much, once. */
    <T extends @Nullable Object> T writeAll(Read<T> work) {
        return allAtOnce(NO_TIMEOUTS, work);
    }

    private <T extends @Nullable Object> T allAtOnce(String settings, Read<T> work) {
        pool.enter();
        try (Connection connection = pool.take()) {
            connection.setNetworkTimeout(Runnable::run, (int) LONGEST_SILENCE.toMillis());
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute(settings);
            }
            T value = guarded(connection, () -> work.run(new Session(connection, false)));
            connection.commit();
            return value;
        } catch (SQLException failed) {
            throw outage(Failure.of(failed), failed);
        } finally {
            pool.leave();
        }
    }

    /** Runs a transaction on the caller's thread; when this returns, what it did is durable. */
    <T extends @Nullable Object> T write(int slot, Work<T> work) {
        pool.enter();
        try {
            return writeNow(slot, work);
        } finally {
            pool.leave();
        }
    }

    /** The same without waiting for a turn. */
    <T extends @Nullable Object> T writeNow(int slot, Work<T> work) {
        return again(() -> transaction(slot, work));
    }

    private interface Attempt<T extends @Nullable Object> {
        T run() throws SQLException;
    }

    private <T extends @Nullable Object> T again(Attempt<T> attempt) {
        if (closed) {
            throw new NamespaceException("the namespace is closed");
        }
        long deadline = System.nanoTime() + options.timeout().toNanos();
        int lost = 0;
        for (int tries = 1; ; tries++) {
            try {
                return attempt.run();
            } catch (SQLException failed) {
                Failure failure = Failure.of(failed);
                boolean worthwhile = System.nanoTime() - deadline < 0
                        && (failure == Failure.CONFLICT || (failure == Failure.CONNECTION_LOST && ++lost <= MOST_LOST));
                if (!worthwhile) {
                    throw outage(failure, failed);
                }
                LOG.debug("The namespace is asked again", failed);
                if (failure == Failure.CONFLICT) {
                    backOff(tries);
                }
            }
        }
    }

    private static NamespaceException outage(Failure failure, SQLException failed) {
        String message = switch (failure) {
            case UNREACHABLE -> "the namespace's database cannot be reached: ";
            case CONNECTION_LOST -> "the connection to the namespace's database broke: ";
            case CONFLICT -> "the namespace is too busy, other writes always came first: ";
            case TOO_SLOW -> "the namespace's database is too slow: ";
            case OTHER -> "the namespace's database failed: ";
        };
        // The pool says how long it waited; its cause, why.
        Throwable reason = failure == Failure.UNREACHABLE && failed.getCause() != null ? failed.getCause() : failed;
        return new NamespaceException(message + reason.getMessage() + unknownHost(reason), failed);
    }

    /** The driver's own words do not say which. */
    private static String unknownHost(Throwable failed) {
        Throwable root = failed;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root instanceof UnknownHostException ? " (the host " + root.getMessage() + " is not known)" : "";
    }

    /** The more tries there were, the longer at most, so that those who are in each other's way part. */
    private static void backOff(int tries) {
        long bound = Math.min(LONGEST_BACKOFF_NANOS, 1_000_000L << Math.min(tries, 10));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(bound));
    }

    /** Runs what uses a connection, which is never used again if it broke. */
    private <T extends @Nullable Object> T guarded(Connection connection, Attempt<T> use) throws SQLException {
        try {
            return use.run();
        } catch (SQLException failed) {
            if (Failure.of(failed) == Failure.CONNECTION_LOST) {
                LOG.warn("A connection to the namespace's database broke: {}", failed.getMessage());
                pool.discard(connection);
            }
            throw failed;
        }
    }

    private <T extends @Nullable Object> T transaction(int slot, Work<T> work) throws SQLException {
        Session session;
        T value;
        SQLException lost;
        try (Connection connection = pool.take()) {
            connection.setAutoCommit(false);
            session = new Session(connection, true);
            Tx tx = new Tx(session, clock.millis(), slot);
            value = guarded(connection, () -> work.run(tx));
            try {
                guarded(connection, () -> {
                    tx.commit();
                    return true;
                });
                return value;
            } catch (SQLException failed) {
                if (Failure.of(failed) != Failure.CONNECTION_LOST) {
                    throw failed;
                }
                lost = failed;
            }
        }
        if (hasCommitted(session, lost)) {
            return value;
        }
        throw lost;
    }

    /** Whether a transaction took effect whose commit was sent and not answered. */
    private boolean hasCommitted(Session session, SQLException lost) throws SQLException {
        String id = session.transactionId();
        if (id == null) {
            return true; // It did nothing.
        }
        long deadline = System.nanoTime() + options.timeout().toNanos();
        for (int tries = 1; System.nanoTime() - deadline < 0; tries++) {
            String status;
            try (Connection connection = pool.take()) {
                status = new Session(connection, false).first(STATUS, row -> row.getString(1), id);
            }
            switch (status) {
                case "committed" -> {
                    return true;
                }
                case "aborted" -> {
                    return false;
                }
                case null, default -> backOff(tries);
            }
        }
        throw new SQLException("what became of a commit is not known", lost.getSQLState(), lost);
    }

    @Override
    public void close() {
        closed = true;
        pool.close();
    }
}
