package io.headgate.namespace.postgres;

import io.headgate.namespace.AccountMode;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** What administrators want of the accounts. */
final class AccountModes {
    private static final String ALL =
            "SELECT account, draining, read_only, moved_blobs, moved_bytes FROM account_modes";
    private static final String SET_DRAINING = """
            INSERT INTO account_modes (account, draining, read_only, moved_blobs, moved_bytes) VALUES (?, ?, false, 0, 0)
            ON CONFLICT (account) DO UPDATE SET
              moved_blobs = CASE WHEN excluded.draining > account_modes.draining THEN 0 ELSE account_modes.moved_blobs END,
              moved_bytes = CASE WHEN excluded.draining > account_modes.draining THEN 0 ELSE account_modes.moved_bytes END,
              draining = excluded.draining""";
    private static final String SET_READ_ONLY = """
            INSERT INTO account_modes (account, draining, read_only, moved_blobs, moved_bytes) VALUES (?, false, ?, 0, 0)
            ON CONFLICT (account) DO UPDATE SET read_only = excluded.read_only""";

    private AccountModes() {}

    static Map<String, AccountMode> all(Session session) throws SQLException {
        Map<String, AccountMode> modes = new HashMap<>();
        session.pipeline()
                .query(
                        ALL,
                        row -> modes.put(
                                row.getString(1),
                                new AccountMode(row.getBoolean(2), row.getBoolean(3), row.getLong(4), row.getLong(5))))
                .run();
        return modes;
    }

    static void setDraining(Session session, String account, boolean draining) throws SQLException {
        session.update(SET_DRAINING, account, draining);
    }

    static void setReadOnly(Session session, String account, boolean readOnly) throws SQLException {
        session.update(SET_READ_ONLY, account, readOnly);
    }
}
