package io.headgate.namespace.sql;

import io.headgate.namespace.AccountMode;
import io.headgate.namespace.Rebalance;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** What administrators want of the accounts. */
final class AccountModes {
    private static final String ALL =
            "SELECT account, draining, read_only, moved_blobs, moved_bytes FROM account_modes";
    private static final String SET_DRAINING = """
            INSERT INTO account_modes (account, draining, read_only, moved_blobs, moved_bytes) VALUES (?, ?, 0, 0, 0)
            ON CONFLICT (account) DO UPDATE SET
              moved_blobs = CASE WHEN excluded.draining > account_modes.draining THEN 0 ELSE account_modes.moved_blobs END,
              moved_bytes = CASE WHEN excluded.draining > account_modes.draining THEN 0 ELSE account_modes.moved_bytes END,
              draining = excluded.draining""";
    private static final String SET_READ_ONLY = """
            INSERT INTO account_modes (account, draining, read_only, moved_blobs, moved_bytes) VALUES (?, 0, ?, 0, 0)
            ON CONFLICT (account) DO UPDATE SET read_only = excluded.read_only""";
    private static final String KEEP = """
            UPDATE added_accounts SET removing_since = NULL, forget_garbage = 0
            WHERE name = ? AND removing_since IS NOT NULL""";
    private static final String REBALANCE = "SELECT running, moved_blobs, moved_bytes FROM rebalance";
    private static final String SET_REBALANCING = """
            UPDATE rebalance SET
              moved_blobs = CASE WHEN running THEN moved_blobs ELSE 0 END,
              moved_bytes = CASE WHEN running THEN moved_bytes ELSE 0 END,
              running = 1""";
    private static final String END_REBALANCING = "UPDATE rebalance SET running = 0";
    private static final String ADD_TO_REBALANCED = """
            UPDATE rebalance SET moved_blobs = moved_blobs + ?, moved_bytes = moved_bytes + ?
            WHERE running AND NOT EXISTS (SELECT 1 FROM account_modes WHERE account = ? AND draining)""";

    private AccountModes() {}

    static Map<String, AccountMode> all(Session session) throws SQLException {
        Map<String, AccountMode> modes = new HashMap<>();
        try (ResultSet rows = session.open(ALL)) {
            while (rows.next()) {
                modes.put(
                        rows.getString(1),
                        new AccountMode(rows.getInt(2) != 0, rows.getInt(3) != 0, rows.getLong(4), rows.getLong(5)));
            }
        }
        return modes;
    }

    static void setDraining(Session session, String account, boolean draining) throws SQLException {
        session.update(SET_DRAINING, account, draining ? 1 : 0);
        if (!draining) {
            session.update(KEEP, account);
        }
    }

    static void setReadOnly(Session session, String account, boolean readOnly) throws SQLException {
        session.update(SET_READ_ONLY, account, readOnly ? 1 : 0);
    }

    static Rebalance rebalance(Session session) throws SQLException {
        return Objects.requireNonNull(
                session.first(REBALANCE, row -> new Rebalance(row.getInt(1) != 0, row.getLong(2), row.getLong(3))));
    }

    static void setRebalancing(Session session, boolean running) throws SQLException {
        session.update(running ? SET_REBALANCING : END_REBALANCING);
    }

    /** Counts blobs that have moved away from an account for balance, and not because it is draining. */
    static void addToRebalanced(Session session, String from, long blobs, long bytes) throws SQLException {
        session.update(ADD_TO_REBALANCED, blobs, bytes, from);
    }
}
