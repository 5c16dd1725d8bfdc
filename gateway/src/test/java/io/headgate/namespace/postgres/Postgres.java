package io.headgate.namespace.postgres;

import io.headgate.namespace.NamespaceSuite;
import io.headgate.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Databases on {@link PostgresServer}, one for each test. */
public final class Postgres {
    private Postgres() {}

    /** An empty database. */
    public static PostgresOptions fresh() {
        return PostgresOptions.defaults(
                        "127.0.0.1:" + PostgresServer.port(), PostgresServer.freshDatabase(), "postgres")
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
        return PostgresServer.connect(port(options), options.database());
    }

    /** Removes all rows but those of the cache's state, so that the next test finds the namespace as if it had been made just now. */
    public static void empty(PostgresOptions options) throws SQLException {
        try (Connection connection = connect(options);
                Statement statement = connection.createStatement()) {
            List<String> tables = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery("SELECT tablename FROM pg_tables"
                    + " WHERE schemaname = 'public' AND tablename NOT LIKE 'cache%'"
                    + " AND tablename NOT IN ('headgate_schema_history', 'settings', 'rebalance')")) {
                while (rows.next()) {
                    tables.add(rows.getString(1));
                }
            }
            if (!tables.isEmpty()) {
                statement.execute("UPDATE rebalance SET running = false, moved_blobs = 0, moved_bytes = 0");
                statement.execute("DELETE FROM settings WHERE name = 'corrections'");
                statement.execute("TRUNCATE " + String.join(", ", tables) + " RESTART IDENTITY");
            }
        }
    }
}
