package io.headgate.namespace.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.headgate.namespace.NamespaceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Connections, a bounded number of them, handed out in the order of asking. After one could not be had, further asking is refused at
 * once for a moment, so that nobody waits in line for a database that is down. Thread-safe.
 */
final class Pool implements AutoCloseable {
    private static final Duration RETRY_AFTER_OUTAGE = Duration.ofSeconds(1);
    private static final Duration NETWORK_MARGIN = Duration.ofSeconds(5);
    private static final int CACHED_STATEMENTS = 512;
    /** One for our lock, two for the library. */
    private static final int MIGRATION_CONNECTIONS = 3;

    private final PostgresOptions options;
    private final HikariDataSource connections;

    /** Fair, as the pool itself starves those who wait longest. One connection is left to the lane, which asks for no permit. */
    private final Semaphore permits;

    private volatile long refusedUntilNanos;
    private volatile boolean refusing;

    Pool(PostgresOptions options) {
        this.options = options;
        HikariConfig config = config(options);
        config.setMaximumPoolSize(options.connections());
        config.setConnectionInitSql(settings(options));
        this.connections = new HikariDataSource(config);
        this.permits = new Semaphore(options.connections() - 1, true);
    }

    private static HikariConfig config(PostgresOptions options) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("namespace");
        config.setJdbcUrl("jdbc:postgresql://" + options.hosts() + "/" + options.database());
        config.setUsername(options.user());
        if (options.password() != null) {
            config.setPassword(options.password());
        }
        config.setConnectionTimeout(options.connectTimeout().toMillis());
        config.setValidationTimeout(Math.max(250, options.connectTimeout().toMillis() / 2));
        config.setInitializationFailTimeout(-1);
        driver(options).forEach(config::addDataSourceProperty);
        return config;
    }

    private static Map<String, String> driver(PostgresOptions options) {
        Map<String, String> driver = new HashMap<>(Map.of(
                "ApplicationName",
                "headgate",
                "targetServerType",
                "primary",
                "connectTimeout",
                seconds(options.connectTimeout()),
                "loginTimeout",
                seconds(options.connectTimeout()),
                "socketTimeout",
                seconds(options.statementTimeout().plus(NETWORK_MARGIN)),
                "tcpKeepAlive",
                "true",
                "prepareThreshold",
                "1",
                "preparedStatementCacheQueries",
                Integer.toString(CACHED_STATEMENTS)));
        driver.putAll(options.parameters());
        return driver;
    }

    private static String seconds(Duration duration) {
        return Long.toString(Math.max(1, duration.toSeconds()));
    }

    /**
     * Every statement seeks a few rows, so there is one good plan for it, by index, whatever the tables hold; the planner must not be
     * tempted by a table that was small when it last looked, and counts rows more than pages. A gateway that stands still in a transaction loses its locks
     * before those who wait for them give up.
     */
    static String settings(PostgresOptions options) {
        return """
                SET statement_timeout = %d; SET lock_timeout = %d; SET idle_in_transaction_session_timeout = %d;
                SET default_transaction_isolation = 'read committed'; SET plan_cache_mode = force_generic_plan;
                SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_bitmapscan = off;
                SET random_page_cost = 0.1; SET seq_page_cost = 0.1; SET cpu_tuple_cost = 0.1; SET jit = off; SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3""".formatted(
                        options.statementTimeout().toMillis(),
                        options.lockTimeout().toMillis(),
                        Math.max(1, options.lockTimeout().toMillis() / 2));
    }

    /**
     * Brings the schema up to date, over connections of its own: a change of the schema may take longer than the time-outs of the others
     * allow, to each statement and between two.
     */
    void migrate() {
        HikariConfig config = config(options);
        config.setMaximumPoolSize(MIGRATION_CONNECTIONS);
        config.setMinimumIdle(0);
        config.addDataSourceProperty("socketTimeout", "0");
        try (HikariDataSource unbounded = new HikariDataSource(config)) {
            Migrations.apply(unbounded, options.timeout());
        }
    }

    /** Waits for the caller's turn to take a connection; to be given back by {@link #leave}. */
    void enter() {
        refuseIfDown();
        try {
            if (!permits.tryAcquire(options.timeout().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new NamespaceException(
                        "the namespace is too slow: no connection was free in " + options.timeout());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new NamespaceException("interrupted while waiting for the namespace", interrupted);
        }
    }

    void leave() {
        permits.release();
    }

    /** A connection, to be closed. */
    Connection take() throws SQLException {
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

    /** Fails at once, and without asking, while it is sure that no connection can be had. */
    void refuseIfDown() {
        if (refusing && System.nanoTime() - refusedUntilNanos < 0) {
            throw new NamespaceException("the namespace's database cannot be reached; it is tried again every second");
        }
    }

    /** Never uses a connection again, nor those that are idle: where one broke, the others mostly have too. */
    void discard(Connection connection) {
        connections.evictConnection(connection);
        connections.getHikariPoolMXBean().softEvictConnections();
    }

    @Override
    public void close() {
        connections.close();
    }
}
