package io.headgate.namespace.postgres;

import io.headgate.namespace.Intent;
import io.headgate.namespace.codec.Codec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Intents to write blobs. A commit holds the key of its intent's row, which lets renewals pass; taking the intent waits for the
 * commits that hold it, so that the sweep sees what they committed.
 */
final class Intents {
    private static final String INSERT = """
            INSERT INTO intents (gateway, opened_at, last_stamp_at, expires_at, taken) VALUES (?, ?, ?, ?, false)
            RETURNING id""";
    static final String HOLD =
            "SELECT id, expires_at, taken FROM intents WHERE id = ANY (?::bigint[]) ORDER BY id FOR KEY SHARE";
    private static final String RENEW = """
            WITH locked AS (
              SELECT id FROM intents WHERE id = ANY (?::bigint[]) AND NOT taken ORDER BY id FOR NO KEY UPDATE)
            UPDATE intents i SET expires_at = ? FROM locked l WHERE i.id = l.id AND NOT i.taken RETURNING i.id""";
    private static final String CLOSE = """
            WITH locked AS (SELECT id FROM intents WHERE id = ANY (?::bigint[]) ORDER BY id FOR UPDATE)
            DELETE FROM intents i USING locked l WHERE i.id = l.id""";
    private static final String TAKE = """
            WITH locked AS (
              SELECT id FROM intents WHERE taken OR expires_at < ? ORDER BY id LIMIT ? FOR UPDATE)
            UPDATE intents i SET taken = true FROM locked l WHERE i.id = l.id
            RETURNING i.id, gateway, opened_at, last_stamp_at, expires_at""";
    private static final String STANDING = """
            SELECT id, gateway, opened_at, last_stamp_at, expires_at FROM intents WHERE NOT taken ORDER BY id""";

    private Intents() {}

    /** What decides whether a write may commit. */
    record State(long expiresAtMillis, boolean taken) {
        boolean isStanding(long nowMillis) {
            return !taken && nowMillis < expiresAtMillis;
        }
    }

    static Intent open(Tx tx, String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt)
            throws SQLException {
        Long id = tx.session()
                .first(
                        INSERT,
                        row -> row.getLong(1),
                        gateway,
                        openedAt.toEpochMilli(),
                        lastStampAt.toEpochMilli(),
                        expiresAt.toEpochMilli());
        return new Intent(
                Objects.requireNonNull(id), gateway, millis(openedAt), millis(lastStampAt), millis(expiresAt));
    }

    /** What is known of an intent, which is not taken until the end of the transaction. */
    static @Nullable State hold(Session session, long id) throws SQLException {
        return session.first(HOLD, Intents::readState, Column.bigint().add(id));
    }

    static State readState(ResultSet row) throws SQLException {
        return new State(row.getLong(2), row.getBoolean(3));
    }

    static List<Long> renew(Tx tx, Collection<Long> ids, Instant expiresAt) throws SQLException {
        Set<Long> standing =
                new HashSet<>(tx.session().all(RENEW, row -> row.getLong(1), column(ids), expiresAt.toEpochMilli()));
        return ids.stream().filter(standing::contains).toList();
    }

    static void close(Tx tx, Collection<Long> ids) throws SQLException {
        tx.session().update(CLOSE, column(ids));
    }

    static List<Intent> takeExpired(Tx tx, Instant now, int limit) throws SQLException {
        List<Intent> taken = tx.session().all(TAKE, Intents::read, now.toEpochMilli(), limit);
        taken.sort((a, b) -> Long.compare(a.id(), b.id()));
        return taken;
    }

    static List<Intent> standing(Session session) throws SQLException {
        return session.all(STANDING, Intents::read);
    }

    private static Column column(Collection<Long> ids) {
        Column column = Column.bigint();
        ids.forEach(column::add);
        return column;
    }

    private static Intent read(ResultSet row) throws SQLException {
        return new Intent(
                row.getLong(1),
                row.getString(2),
                Codec.millis(row.getLong(3)),
                Codec.millis(row.getLong(4)),
                Codec.millis(row.getLong(5)));
    }

    private static Instant millis(Instant instant) {
        return Codec.millis(instant.toEpochMilli());
    }
}
