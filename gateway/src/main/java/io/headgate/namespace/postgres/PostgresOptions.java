package io.headgate.namespace.postgres;

import io.headgate.namespace.MultipartRules;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the database is, and the engine's bounds. {@code toString} shows no password.
 *
 * @param hosts one or more {@code host:port}, with commas between them; the primary among them is used
 * @param parameters of the driver, such as {@code sslmode}
 * @param connections how many are held open at most, at least 2; one of them is the put lane's
 * @param queuedWrites how many puts may wait for the lane; further callers wait for a place
 * @param batchWrites how many puts share a transaction at most
 * @param timeout how long an operation may take in all
 * @param connectTimeout how long to wait for a connection before the database counts as down
 * @param statementTimeout how long the database works on a statement before it gives up
 * @param lockTimeout how long a statement waits for a lock
 * @param minPartBytes the least size of a part other than the last
 */
public record PostgresOptions(
        String hosts,
        String database,
        String user,
        @Nullable String password,
        Map<String, String> parameters,
        int connections,
        int queuedWrites,
        int batchWrites,
        Duration timeout,
        Duration connectTimeout,
        Duration statementTimeout,
        Duration lockTimeout,
        long minPartBytes) {
    public PostgresOptions {
        parameters = Map.copyOf(parameters);
        if (connections < 2 || queuedWrites < 1 || batchWrites < 1) {
            throw new IllegalArgumentException("options out of range");
        }
    }

    /** For serving, without a password. */
    public static PostgresOptions defaults(String hosts, String database, String user) {
        return new PostgresOptions(
                hosts,
                database,
                user,
                null,
                Map.of(),
                16,
                4_096,
                128,
                Duration.ofSeconds(30),
                Duration.ofSeconds(2),
                Duration.ofSeconds(15),
                Duration.ofSeconds(10),
                MultipartRules.MIN_PART_BYTES);
    }

    public PostgresOptions withPassword(String secret) {
        return new PostgresOptions(
                hosts,
                database,
                user,
                secret,
                parameters,
                connections,
                queuedWrites,
                batchWrites,
                timeout,
                connectTimeout,
                statementTimeout,
                lockTimeout,
                minPartBytes);
    }

    public PostgresOptions withParameters(Map<String, String> more) {
        return new PostgresOptions(
                hosts,
                database,
                user,
                password,
                more,
                connections,
                queuedWrites,
                batchWrites,
                timeout,
                connectTimeout,
                statementTimeout,
                lockTimeout,
                minPartBytes);
    }

    public PostgresOptions withConnections(int most) {
        return new PostgresOptions(
                hosts,
                database,
                user,
                password,
                parameters,
                most,
                queuedWrites,
                batchWrites,
                timeout,
                connectTimeout,
                statementTimeout,
                lockTimeout,
                minPartBytes);
    }

    public PostgresOptions withBatchWrites(int most) {
        return new PostgresOptions(
                hosts,
                database,
                user,
                password,
                parameters,
                connections,
                queuedWrites,
                most,
                timeout,
                connectTimeout,
                statementTimeout,
                lockTimeout,
                minPartBytes);
    }

    public PostgresOptions withTimeouts(Duration whole, Duration connect, Duration statement, Duration lock) {
        return new PostgresOptions(
                hosts,
                database,
                user,
                password,
                parameters,
                connections,
                queuedWrites,
                batchWrites,
                whole,
                connect,
                statement,
                lock,
                minPartBytes);
    }

    public PostgresOptions withMinPartBytes(long bytes) {
        return new PostgresOptions(
                hosts,
                database,
                user,
                password,
                parameters,
                connections,
                queuedWrites,
                batchWrites,
                timeout,
                connectTimeout,
                statementTimeout,
                lockTimeout,
                bytes);
    }

    @Override
    public String toString() {
        return "postgresql://" + hosts + "/" + database + " as " + user;
    }
}
