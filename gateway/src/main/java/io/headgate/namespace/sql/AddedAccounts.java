package io.headgate.namespace.sql;

import io.headgate.namespace.AccountRemoval;
import io.headgate.namespace.AddedAccount;
import io.headgate.namespace.codec.Codec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Accounts that were added at run time. */
final class AddedAccounts {
    private static final String ALL =
            "SELECT name, definition, added_at, removing_since FROM added_accounts ORDER BY name";
    private static final String ONE =
            "SELECT name, definition, added_at, removing_since FROM added_accounts WHERE name = ?";
    private static final String ADD = """
            INSERT INTO added_accounts (name, definition, added_at)
            SELECT ?, ?, ? WHERE (SELECT COUNT(*) FROM added_accounts) < ?
            ON CONFLICT (name) DO NOTHING""";
    private static final String IS_DRAINING = "SELECT 1 FROM account_modes WHERE account = ? AND draining";
    private static final String HELD =
            "SELECT COALESCE(SUM(blobs), 0), COALESCE(SUM(garbage_blobs), 0) FROM account_usage WHERE account = ?";
    private static final String SET_REMOVING = "UPDATE added_accounts SET removing_since = ? WHERE name = ?";
    private static final String INTENT_OPENED_UNTIL = "SELECT 1 FROM intents WHERE opened_at <= ? LIMIT 1";
    private static final String REMOVE = "DELETE FROM added_accounts WHERE name = ?";
    private static final String FORGET_MODE = "DELETE FROM account_modes WHERE account = ?";

    private AddedAccounts() {}

    static List<AddedAccount> all(Session session) throws SQLException {
        return session.all(ALL, AddedAccounts::read);
    }

    private static AddedAccount read(ResultSet row) throws SQLException {
        long removingSince = row.getLong(4);
        Optional<Instant> removing = row.wasNull() ? Optional.empty() : Optional.of(Codec.millis(removingSince));
        return new AddedAccount(row.getString(1), row.getString(2), Codec.millis(row.getLong(3)), removing);
    }

    static boolean add(Session session, String name, String definition, Instant now) throws SQLException {
        session.update(ADD, name, definition, now.toEpochMilli(), AddedAccount.MAX);
        AddedAccount there = session.first(ONE, AddedAccounts::read, name);
        return there != null && there.definition().equals(definition);
    }

    static AccountRemoval remove(Session session, String name, Instant now) throws SQLException {
        AddedAccount account = session.first(ONE, AddedAccounts::read, name);
        if (account == null) {
            return AccountRemoval.UNKNOWN;
        }
        if (session.first(IS_DRAINING, row -> true, name) == null) {
            return AccountRemoval.NOT_DRAINING;
        }
        // Writes first: one that ends between the two looks shows in the second.
        boolean mayBeWritten = account.removingSince().isEmpty()
                || mayBeWritten(session, account.removingSince().get(), now);
        if (!Boolean.TRUE.equals(session.first(HELD, row -> row.getLong(1) == 0 && row.getLong(2) == 0, name))) {
            return AccountRemoval.NOT_EMPTY;
        }
        if (account.removingSince().isEmpty()) {
            session.update(SET_REMOVING, now.toEpochMilli(), name);
            return AccountRemoval.PENDING;
        }
        if (mayBeWritten) {
            return AccountRemoval.PENDING;
        }
        session.update(REMOVE, name);
        session.update(FORGET_MODE, name);
        return AccountRemoval.REMOVED;
    }

    /** Whether a write may be under way that chose the account before every gateway knew that it drains. */
    private static boolean mayBeWritten(Session session, Instant removingSince, Instant now) throws SQLException {
        Instant settled = removingSince.plus(AccountRemoval.SETTLE);
        return now.isBefore(settled) || session.first(INTENT_OPENED_UNTIL, row -> true, settled.toEpochMilli()) != null;
    }
}
