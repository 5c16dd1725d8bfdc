package io.headgate.region.sql;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the registry's database is, and the bounds of its use. {@code toString} shows no password.
 *
 * @param hosts one or more {@code host:port}, with commas between them; the primary among them is used
 * @param parameters of the driver, such as {@code sslmode}
 * @param connections how many are held open at most
 * @param timeout how long an operation may take in all
 * @param connectTimeout how long to wait for a connection before the database counts as down
 * @param statementTimeout how long the database works on a statement before it gives up
 */
public record PostgresRegistryOptions(
        String hosts,
        String database,
        String user,
        @Nullable String password,
        Map<String, String> parameters,
        int connections,
        Duration timeout,
        Duration connectTimeout,
        Duration statementTimeout) {
    public PostgresRegistryOptions {
        parameters = Map.copyOf(parameters);
        if (connections < 1) {
            throw new IllegalArgumentException("options out of range");
        }
    }

    /** For serving, without a password. */
    public static PostgresRegistryOptions defaults(String hosts, String database, String user) {
        return new PostgresRegistryOptions(
                hosts,
                database,
                user,
                null,
                Map.of(),
                4,
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofSeconds(5));
    }

    public PostgresRegistryOptions withPassword(String secret) {
        return new PostgresRegistryOptions(
                hosts, database, user, secret, parameters, connections, timeout, connectTimeout, statementTimeout);
    }

    public PostgresRegistryOptions withParameters(Map<String, String> more) {
        return new PostgresRegistryOptions(
                hosts, database, user, password, more, connections, timeout, connectTimeout, statementTimeout);
    }

    public PostgresRegistryOptions withTimeouts(Duration whole, Duration connect, Duration statement) {
        return new PostgresRegistryOptions(
                hosts, database, user, password, parameters, connections, whole, connect, statement);
    }

    @Override
    public String toString() {
        return "postgresql://" + hosts + "/" + database + " as " + user;
    }
}
