package io.headgate.servers;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * PostgreSQL, one server for all tests of this JVM, started at its first use and stopped with the JVM. It flushes nothing, so that a
 * crash of the machine would lose what tests wrote; commits are as visible as ever.
 */
public final class PostgresServer {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private PostgresServer() {}

    private static final class Running {
        static final EmbeddedPostgres SERVER = start();
    }

    private static EmbeddedPostgres start() {
        System.setProperty("org.slf4j.simpleLogger.log.io.zonky", "warn");
        try {
            return EmbeddedPostgres.builder()
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

    /** On 127.0.0.1. */
    public static int port() {
        return Running.SERVER.getPort();
    }

    /** The name of an empty database that nobody else uses. */
    public static String freshDatabase() {
        String name = "test" + DATABASES.incrementAndGet();
        try (Connection connection = connect(port(), "postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
        return name;
    }

    /** A connection as the superuser to a database behind that port. */
    public static Connection connect(int port, String database) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/" + database, "postgres", "");
    }
}
