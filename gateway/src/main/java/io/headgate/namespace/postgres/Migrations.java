package io.headgate.namespace.postgres;

import io.headgate.namespace.NamespaceException;
import java.util.Arrays;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;

/** Brings the schema up to this version of Headgate. Gateways that start at once wait for each other on a lock in the database. */
final class Migrations {
    private static final String LOCATION = "classpath:io/headgate/namespace/postgres/migrations";
    private static final String TABLE = "headgate_schema_history";

    private Migrations() {}

    /** @throws NamespaceException if the schema is one of a newer Headgate, or cannot be brought up to date */
    static void apply(DataSource database) {
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
                flyway.migrate();
                isToMigrate(flyway);
            }
        } catch (FlywayException failed) {
            throw new NamespaceException(
                    "the namespace's schema cannot be brought up to date: " + reason(failed), failed);
        }
    }

    /** Whether migrations are missing. A schema that a newer Headgate has changed is refused: this one might damage it. */
    private static boolean isToMigrate(Flyway flyway) {
        MigrationInfo[] all = flyway.info().all();
        long known = Arrays.stream(all).filter(m -> m.getState().isResolved()).count();
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
