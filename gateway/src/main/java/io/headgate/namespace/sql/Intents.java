package io.headgate.namespace.sql;

import io.headgate.namespace.Intent;
import io.headgate.namespace.codec.Codec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Intents to write blobs. */
final class Intents {
    private static final String INSERT = """
            INSERT INTO intents (gateway, opened_at, last_stamp_at, expires_at, taken) VALUES (?, ?, ?, ?, 0)
            RETURNING id""";
    private static final String STATE = "SELECT expires_at, taken FROM intents WHERE id = ?";
    private static final String RENEW = "UPDATE intents SET expires_at = ? WHERE id = ? AND taken = 0";
    private static final String TAKE = "UPDATE intents SET taken = 1 WHERE id = ?";
    private static final String CLOSE = "DELETE FROM intents WHERE id = ?";
    private static final String EXPIRED = """
            SELECT id, gateway, opened_at, last_stamp_at, expires_at FROM intents
            WHERE taken = 1 OR expires_at < ? ORDER BY id LIMIT ?""";

    private static final String STANDING = """
            SELECT id, gateway, opened_at, last_stamp_at, expires_at FROM intents WHERE taken = 0 ORDER BY id""";

    private Intents() {}

    /** What decides whether a write may commit. */
    record State(long expiresAtMillis, boolean taken) {}

    static Intent open(Batch batch, String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt)
            throws SQLException {
        Long id = batch.session()
                .first(
                        INSERT,
                        row -> row.getLong(1),
                        gateway,
                        openedAt.toEpochMilli(),
                        lastStampAt.toEpochMilli(),
                        expiresAt.toEpochMilli());
        batch.intentsChanged();
        return new Intent(
                Objects.requireNonNull(id), gateway, millis(openedAt), millis(lastStampAt), millis(expiresAt));
    }

    static @Nullable State state(Session session, long id) throws SQLException {
        return session.first(STATE, row -> new State(row.getLong(1), row.getLong(2) != 0), id);
    }

    static List<Long> renew(Batch batch, Collection<Long> ids, Instant expiresAt) throws SQLException {
        List<Long> standing = new ArrayList<>(ids.size());
        for (Long id : ids) {
            if (batch.session().update(RENEW, expiresAt.toEpochMilli(), id) == 1) {
                standing.add(id);
            }
        }
        batch.intentsChanged();
        return standing;
    }

    static void close(Batch batch, Collection<Long> ids) throws SQLException {
        for (Long id : ids) {
            batch.session().update(CLOSE, id);
        }
        batch.intentsChanged();
    }

    static List<Intent> takeExpired(Batch batch, Instant now, int limit) throws SQLException {
        List<Intent> expired = batch.session().all(EXPIRED, Intents::read, now.toEpochMilli(), limit);
        for (Intent intent : expired) {
            batch.session().update(TAKE, intent.id());
        }
        batch.intentsChanged();
        return expired;
    }

    static List<Intent> standing(Session session) throws SQLException {
        return session.all(STANDING, Intents::read);
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
