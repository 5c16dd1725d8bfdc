package io.headgate.namespace.sql;

import io.headgate.namespace.AccountRemoval;
import io.headgate.namespace.AddedAccount;
import io.headgate.namespace.Garbage;
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
    private static final String SET_REMOVING =
            "UPDATE added_accounts SET removing_since = ?, forget_garbage = ? WHERE name = ?";
    private static final String INTENT_OPENED_UNTIL = "SELECT 1 FROM intents WHERE opened_at <= ? LIMIT 1";
    private static final String STANDING_OPENED_UNTIL =
            "SELECT 1 FROM intents WHERE opened_at <= ? AND NOT taken LIMIT 1";
    private static final String OLDEST_STANDING = "SELECT MIN(opened_at) FROM intents WHERE NOT taken";
    private static final String FORGETS_GARBAGE = "SELECT 1 FROM added_accounts WHERE name = ? AND forget_garbage";
    private static final String REMOVE = "DELETE FROM added_accounts WHERE name = ?";
    private static final String FORGET_MODE = "DELETE FROM account_modes WHERE account = ?";

    /** So much garbage is forgotten in a transaction. */
    private static final int FORGET_STEP = 1_000;

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

    static AccountRemoval remove(Batch batch, String name, boolean forgetGarbage, Instant now) throws SQLException {
        Session session = batch.session();
        AddedAccount account = session.first(ONE, AddedAccounts::read, name);
        if (account == null) {
            return forgetGarbage ? forgetOfUnknown(batch, name) : AccountRemoval.UNKNOWN;
        }
        if (session.first(IS_DRAINING, row -> true, name) == null) {
            return AccountRemoval.NOT_DRAINING;
        }
        boolean forgets = forgetGarbage || session.first(FORGETS_GARBAGE, row -> true, name) != null;
        // Writes first: one that ends between the two looks shows in the second.
        boolean mayBeWritten = account.removingSince().isEmpty()
                || mayBeWritten(session, account.removingSince().get(), forgets, now);
        Held held = held(session, name);
        if (held.blobs > 0 || (held.garbage > 0 && !forgets)) {
            return AccountRemoval.NOT_EMPTY;
        }
        long removingSince = account.removingSince().orElse(now).toEpochMilli();
        if (account.removingSince().isEmpty() || forgetGarbage) {
            session.update(SET_REMOVING, removingSince, forgets, name);
        }
        if (mayBeWritten) {
            return AccountRemoval.PENDING;
        }
        if (held.garbage > 0) {
            // What is left when there is none is being copied by a move, which is given up sooner or later.
            return forget(batch, name, Long.MAX_VALUE) > 0 ? AccountRemoval.FORGETTING : AccountRemoval.PENDING;
        }
        session.update(REMOVE, name);
        session.update(FORGET_MODE, name);
        return AccountRemoval.REMOVED;
    }

    /**
     * Whether a write may be under way that chose the account before every gateway knew that it drains.
     *
     * @param forgets whether what such a write left there need not be found any more
     */
    private static boolean mayBeWritten(Session session, Instant removingSince, boolean forgets, Instant now)
            throws SQLException {
        long settled = removingSince.plus(AccountRemoval.SETTLE).toEpochMilli();
        String intents = forgets ? STANDING_OPENED_UNTIL : INTENT_OPENED_UNTIL;
        return now.toEpochMilli() < settled || session.first(intents, row -> true, settled) != null;
    }

    /** Younger garbage stays: a write that is sent again under its intent must find that its blob was queued. */
    private static AccountRemoval forgetOfUnknown(Batch batch, String name) throws SQLException {
        Session session = batch.session();
        Long before = session.first(OLDEST_STANDING, row -> row.getObject(1) == null ? Long.MAX_VALUE : row.getLong(1));
        Held held = held(session, name);
        if (held.blobs > 0) {
            return AccountRemoval.NOT_EMPTY;
        }
        if (held.garbage > 0) {
            return forget(batch, name, before == null ? Long.MAX_VALUE : before) > 0
                    ? AccountRemoval.FORGETTING
                    : AccountRemoval.PENDING;
        }
        return session.update(FORGET_MODE, name) > 0 ? AccountRemoval.REMOVED : AccountRemoval.UNKNOWN;
    }

    private static int forget(Batch batch, String name, long queuedBefore) throws SQLException {
        List<Garbage> garbage = Blobs.due(batch.session(), name, queuedBefore, FORGET_STEP);
        Blobs.forget(batch, name, garbage.stream().map(Garbage::blob).toList());
        return garbage.size();
    }

    private static Held held(Session session, String name) throws SQLException {
        Held held = session.first(HELD, row -> new Held(row.getLong(1), row.getLong(2)), name);
        return held == null ? new Held(0, 0) : held;
    }

    private record Held(long blobs, long garbage) {}
}
