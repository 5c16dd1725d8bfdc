package io.headgate.namespace.postgres;

import io.headgate.namespace.NamespaceException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;

/**
 * Brings the schema up to this version of Headgate. Gateways that start at once wait for each other on a lock in the database: the
 * library has one of its own, but takes it only once its table is there, and two that make the table disturb each other.
 */
final class Migrations {
    private static final String LOCATION = "classpath:io/headgate/namespace/postgres/migrations";
    private static final String TABLE = "headgate_schema_history";

    private Migrations() {}

    /** The letters HGschema. */
    private static final long LOCK = 0x4847736368656D61L;

    private static final String TRY_LOCK = "SELECT pg_try_advisory_lock(" + LOCK + ")";
    private static final String UNLOCK = "SELECT pg_advisory_unlock(" + LOCK + ")";
    private static final long PAUSE_NANOS = 100_000_000;

    /**
     * @param database gives up to three connections at once, which set no bounds on the time of a statement
     * @param timeout how long to wait for another gateway that does it
     * @throws NamespaceException if the schema is one of a newer Headgate, or cannot be brought up to date
     */
    static void apply(DataSource database, Duration timeout) {
        try {
            Flyway flyway = Flyway.configure(Migrations.class.getClassLoader())
                    .dataSource(database)
                    .locations(LOCATION)
                    .table(TABLE)
                    .baselineOnMigrate(true)
                    .baselineVersion("0")
                    .cleanDisabled(true)
                    .load();
            if (isToMigrate(flyway)) {
                migrate(flyway, database, timeout);
            }
        } catch (SQLException failed) {
            throw new NamespaceException(
                    "the namespace's schema cannot be brought up to date: " + failed.getMessage(), failed);
        } catch (FlywayException failed) {
            throw new NamespaceException(
                    "the namespace's schema cannot be brought up to date: " + reason(failed), failed);
        }
    }

    private static void migrate(Flyway flyway, DataSource database, Duration timeout) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            lock(statement, timeout);
            try {
                if (isToMigrate(flyway)) {
                    flyway.migrate();
                    isToMigrate(flyway);
                }
            } finally {
                statement.execute(UNLOCK);
            }
        }
    }

    /** Asks again and again, so that the wait has an end. */
    private static void lock(Statement statement, Duration timeout) throws SQLException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            try (ResultSet row = statement.executeQuery(TRY_LOCK)) {
                if (row.next() && row.getBoolean(1)) {
                    return;
                }
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new NamespaceException("another gateway has been changing the namespace's schema for " + timeout);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Whether migrations are missing. A schema that a newer Headgate has changed is refused: this one might damage it. */
    private static boolean isToMigrate(Flyway flyway) {
        MigrationInfo[] all = flyway.info().all();
        String known = Arrays.stream(all)
                .filter(m -> m.getState().isResolved())
                .reduce((earlier, later) -> later)
                .map(m -> String.valueOf(m.getVersion()))
                .orElse("0");
        Arrays.stream(all)
                .filter(m -> m.getState().isApplied() && !m.getState().isResolved())
                .reduce((earlier, later) -> later)
                .ifPresent(newer -> {
                    throw new NamespaceException("the namespace's schema is of version " + newer.getVersion()
                            + ", made by a newer Headgate; this one knows versions up to " + known
                            + ": upgrade this gateway");
                });
        return flyway.info().pending().length > 0;
    }

    /** The first line, as the library's messages go over many. */
    private static String reason(FlywayException failed) {
        Throwable root = failed;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage()).lines().findFirst().orElse(root.toString());
    }
}
