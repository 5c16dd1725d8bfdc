package io.headgate.namespace.postgres;

import io.headgate.namespace.NamespaceException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/** What a failure of the database means for whoever asked. */
enum Failure {
    /** There is no connection to be had: the database is down, or does not take more. */
    UNREACHABLE,
    /** The connection broke, or leads to a server that takes no writes any more. What it was doing may or may not have happened. */
    CONNECTION_LOST,
    /** Another transaction came first. Nothing has happened, and the same again can succeed. */
    CONFLICT,
    /** A limit of time was reached. Nothing has happened. */
    TOO_SLOW,
    /** Anything else. Nothing has happened, and the same again would fail too. */
    OTHER;

    /** By the classes of PostgreSQL's error codes. */
    static Failure of(SQLException failed) {
        if (failed instanceof SQLTransientConnectionException) {
            return UNREACHABLE;
        }
        String state = failed.getSQLState();
        if (state == null) {
            return OTHER;
        }
        return switch (state) {
            // too many connections; starting up; not accepting connections
            case "53300", "57P03", "08001", "08004" -> UNREACHABLE;
            // administrator's command; crash of another backend; idle in transaction too long; a standby takes no
            // writes
            case "57P01", "57P02", "25P03", "25006" -> CONNECTION_LOST;
            case "40001", "40P01" -> CONFLICT;
            case "57014", "55P03" -> TOO_SLOW;
            default -> state.startsWith("08") ? CONNECTION_LOST : OTHER;
        };
    }

    /** Whether an operation failed because the database cannot be reached, or could not be to the end: others will fail too. */
    static boolean isOutage(RuntimeException failed) {
        if (!(failed instanceof NamespaceException)) {
            return false;
        }
        if (failed.getCause() instanceof SQLException cause) {
            return switch (of(cause)) {
                case UNREACHABLE, CONNECTION_LOST -> true;
                case CONFLICT, TOO_SLOW, OTHER -> false;
            };
        }
        return true;
    }
}
