package io.headgate.namespace.postgres;

import io.headgate.namespace.NamespaceSuite;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One server for all tests of the JVM, stopped with it, that flushes nothing; each test has a database of its own on it. */
public final class Postgres {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private static @Nullable EmbeddedPostgres server;

    private Postgres() {}

    private static synchronized EmbeddedPostgres server() {
        if (server == null) {
            System.setProperty("org.slf4j.simpleLogger.log.io.zonky", "warn");
            try {
                server = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .setServerConfig("synchronous_commit", "on")
                        .setServerConfig("full_page_writes", "off")
                        .setServerConfig("max_connections", "300")
                        .setServerConfig("shared_buffers", "256MB")
                        .start();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        return server;
    }

    /** An empty database. */
    public static PostgresOptions fresh() {
        String name = "test" + DATABASES.incrementAndGet();
        int port = server().getPort();
        try (Connection connection = connect(port, "postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
        return PostgresOptions.defaults("127.0.0.1:" + port, name, "postgres")
                .withConnections(8)
                .withMinPartBytes(NamespaceSuite.MIN_PART_BYTES);
    }

    /** The same database, reached through another port. */
    public static PostgresOptions through(PostgresOptions options, int port) {
        return PostgresOptions.defaults("127.0.0.1:" + port, options.database(), options.user())
                .withConnections(options.connections())
                .withMinPartBytes(options.minPartBytes());
    }

    public static int port(PostgresOptions options) {
        return Integer.parseInt(options.hosts().substring(options.hosts().lastIndexOf(':') + 1));
    }

    /** A connection to a database, past the engine. */
    public static Connection connect(PostgresOptions options) throws SQLException {
        return connect(port(options), options.database());
    }

    private static Connection connect(int port, String database) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/" + database, "postgres", "");
    }

    /** Removes all rows but those of the cache's state, so that the next test finds the namespace as if it had been made just now. */
    public static void empty(PostgresOptions options) throws SQLException {
        try (Connection connection = connect(options);
                Statement statement = connection.createStatement()) {
            List<String> tables = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(
                    "SELECT tablename FROM pg_tables"
                            + " WHERE schemaname = 'public' AND tablename NOT IN ('headgate_schema_history', 'settings') AND tablename NOT LIKE 'cache%'")) {
                while (rows.next()) {
                    tables.add(rows.getString(1));
                }
            }
            if (!tables.isEmpty()) {
                statement.execute("TRUNCATE " + String.join(", ", tables) + " RESTART IDENTITY");
            }
        }
    }
}
