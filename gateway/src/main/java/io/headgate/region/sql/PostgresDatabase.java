package io.headgate.region.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.headgate.region.RegistryException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry in a PostgreSQL database, over a few connections. After one could not be had, asking is refused at once for a moment, so
 * that nobody waits in line for a database that is down.
 */
final class PostgresDatabase implements Database {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresDatabase.class);
    private static final Duration RETRY_AFTER_OUTAGE = Duration.ofSeconds(1);
    private static final Duration NETWORK_MARGIN = Duration.ofSeconds(2);

    /** After a connection broke there may be as many again that have broken too and have not been found out. */
    private static final int MOST_LOST = 2;

    /** The letters HGregist: who makes the tables has this lock. */
    private static final long LOCK = 0x4847726567697374L;

    private final PostgresRegistryOptions options;
    private final HikariDataSource connections;
    private final Semaphore permits;

    private volatile boolean prepared;
    private volatile long refusedUntilNanos;
    private volatile boolean refusing;
    private volatile boolean closed;

    private PostgresDatabase(PostgresRegistryOptions options) {
        this.options = options;
        this.connections = new HikariDataSource(config(options));
        this.permits = new Semaphore(options.connections(), true);
    }

    /** A database that cannot be reached is prepared at its first use: a gateway that starts meanwhile serves what is its own. */
    static PostgresDatabase open(PostgresRegistryOptions options) {
        PostgresDatabase database = new PostgresDatabase(options);
        try {
            database.write(connection -> true);
            return database;
        } catch (RuntimeException failed) {
            if (failed.getCause() instanceof SQLException outage) {
                LOG.warn("The registry cannot be used yet, and is tried again: {}", reason(outage));
                return database;
            }
            database.close();
            throw failed;
        }
    }

    private static HikariConfig config(PostgresRegistryOptions options) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("registry");
        config.setJdbcUrl("jdbc:postgresql://" + options.hosts() + "/" + options.database());
        config.setUsername(options.user());
        if (options.password() != null) {
            config.setPassword(options.password());
        }
        config.setMaximumPoolSize(options.connections());
        config.setMinimumIdle(1);
        config.setConnectionTimeout(options.connectTimeout().toMillis());
        config.setValidationTimeout(Math.max(250, options.connectTimeout().toMillis() / 2));
        config.setInitializationFailTimeout(-1);
        config.setConnectionInitSql("SET statement_timeout = %1$d; SET lock_timeout = %1$d"
                .formatted(options.statementTimeout().toMillis()));
        driver(options).forEach(config::addDataSourceProperty);
        return config;
    }

    private static Map<String, String> driver(PostgresRegistryOptions options) {
        Map<String, String> driver = new HashMap<>(Map.of(
                "ApplicationName",
                "headgate registry",
                "targetServerType",
                "primary",
                "connectTimeout",
                seconds(options.connectTimeout()),
                "loginTimeout",
                seconds(options.connectTimeout()),
                "socketTimeout",
                seconds(options.statementTimeout().plus(NETWORK_MARGIN)),
                "tcpKeepAlive",
                "true"));
        driver.putAll(options.parameters());
        return driver;
    }

    private static String seconds(Duration duration) {
        return Long.toString(Math.max(1, duration.toSeconds()));
    }

    /** Gateways that start at once wait for each other. */
    private static void prepare(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + LOCK + ")");
            Tables.make(statement, Tables.Dialect.POSTGRES);
            connection.commit();
        } catch (SQLException | RuntimeException failed) {
            connection.rollback();
            throw failed;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    @Override
    public <T> T read(Work<T> work) {
        return write(work);
    }

    @Override
    public <T> T write(Work<T> work) {
        long deadline = System.nanoTime() + options.timeout().toNanos();
        enter();
        try {
            for (int lost = 1; ; lost++) {
                try {
                    return attempt(work);
                } catch (SQLException failed) {
                    if (!isLost(failed) || lost > MOST_LOST || System.nanoTime() - deadline >= 0) {
                        throw new RegistryException("the registry's database failed: " + reason(failed), failed);
                    }
                }
            }
        } finally {
            permits.release();
        }
    }

    private void enter() {
        refuseIfDown();
        try {
            if (!permits.tryAcquire(options.timeout().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new RegistryException("the registry is too slow: no connection was free in " + options.timeout());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new RegistryException("interrupted while waiting for the registry", interrupted);
        }
    }

    private <T> T attempt(Work<T> work) throws SQLException {
        try (Connection connection = take()) {
            try {
                if (!prepared) {
                    prepare(connection);
                    prepared = true;
                }
                return work.run(connection);
            } catch (SQLException failed) {
                if (isLost(failed)) {
                    connections.evictConnection(connection);
                    connections.getHikariPoolMXBean().softEvictConnections();
                }
                throw failed;
            }
        }
    }

    private Connection take() throws SQLException {
        refuseIfDown();
        try {
            Connection connection = connections.getConnection();
            refusing = false;
            return connection;
        } catch (SQLException failed) {
            refusedUntilNanos = System.nanoTime() + RETRY_AFTER_OUTAGE.toNanos();
            refusing = true;
            throw failed;
        }
    }

    private void refuseIfDown() {
        if (closed) {
            throw new RegistryException("the registry is closed");
        }
        if (refusing && System.nanoTime() - refusedUntilNanos < 0) {
            throw new RegistryException("the registry's database cannot be reached; it is tried again every second");
        }
    }

    /** Whether the connection broke, or leads to a server that takes no writes any more: what was under way may have happened. */
    private static boolean isLost(SQLException failed) {
        String state = failed.getSQLState();
        if (state == null || failed instanceof SQLTransientConnectionException) {
            return false;
        }
        return switch (state) {
            // administrator's command; crash of another backend; a standby takes no writes
            case "57P01", "57P02", "25006" -> true;
            default -> state.startsWith("08");
        };
    }

    /** The pool says how long it waited; its cause, why. */
    private static String reason(SQLException failed) {
        Throwable reason = failed.getCause() == null ? failed : failed.getCause();
        return String.valueOf(reason.getMessage());
    }

    @Override
    public void close() {
        closed = true;
        connections.close();
    }
}
