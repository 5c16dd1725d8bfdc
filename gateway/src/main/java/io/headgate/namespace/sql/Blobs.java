package io.headgate.namespace.sql;

import io.headgate.domain.BlobId;
import io.headgate.domain.Slice;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.LiveBlobs;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.codec.Codec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Blobs, counted by the versions, parts and manifests that refer to them; those without a reference are garbage, as are copies that moves
 * have left behind.
 */
final class Blobs {
    private static final String INSERT = """
            INSERT INTO blobs (id, account, size, refs, released_at, refusal) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING""";
    private static final String FIND = "SELECT refusal FROM blobs WHERE id = ?";
    private static final String RETAIN = "UPDATE blobs SET refs = refs + 1 WHERE id = ?";
    private static final String RELEASE = """
            UPDATE blobs SET refs = refs - 1, released_at = CASE WHEN released_at > ? THEN released_at ELSE ? END
            WHERE id = ? RETURNING refs, account, size""";
    private static final String REFUSE = "UPDATE blobs SET refs = 0, released_at = ?, refusal = ? WHERE id = ?";
    private static final String DUE = """
            SELECT id, size, released_at FROM (
              SELECT * FROM (
                SELECT id, size, released_at FROM blobs
                WHERE account = ? AND refs = 0 AND released_at < ? ORDER BY released_at, id LIMIT ?)
              UNION ALL
              SELECT * FROM (
                SELECT id, size, released_at FROM copies
                WHERE account = ? AND released_at IS NOT NULL AND gone_at IS NULL AND released_at < ?
                ORDER BY released_at, id LIMIT ?))
            ORDER BY released_at, id LIMIT ?""";
    private static final String GARBAGE = """
            SELECT id, size, released_at FROM (
              SELECT * FROM (
                SELECT id, size, released_at FROM blobs
                WHERE account = ?1 AND refs = 0 AND (released_at, id) > (?2, ?3) ORDER BY released_at, id LIMIT ?4)
              UNION ALL
              SELECT * FROM (
                SELECT id, size, released_at FROM copies
                WHERE account = ?1 AND released_at IS NOT NULL AND gone_at IS NULL AND (released_at, id) > (?2, ?3)
                ORDER BY released_at, id LIMIT ?4))
            ORDER BY released_at, id LIMIT ?4""";
    private static final String FORGET = "DELETE FROM blobs WHERE id = ? AND account = ? AND refs = 0 RETURNING size";
    private static final String ACCOUNT = "SELECT account FROM blobs WHERE id = ?";
    private static final String PAGE = "SELECT id, account, size, refs FROM blobs WHERE id > ? ORDER BY id LIMIT ?";
    /** Comes before every id. */
    private static final byte[] BEFORE_ALL = {};

    private static final String USAGE =
            "SELECT account, blobs, live_bytes, garbage_blobs, garbage_bytes FROM account_usage";

    private Blobs() {}

    /** What is known of a blob that a write names. */
    sealed interface Known {
        /** Nothing was. Now it has one reference. */
        record Fresh() implements Known {}

        /** Its write has taken effect before. */
        record Committed() implements Known {}

        /** Its write was refused before, or it was discarded. */
        record Refused(Refusal reason) implements Known {}
    }

    private static final Known FRESH = new Known.Fresh();
    private static final Known COMMITTED = new Known.Committed();

    /** Makes the first reference to a blob, unless the blob is known already. */
    static Known commit(Batch batch, Slice whole) throws SQLException {
        byte[] id = Codec.blobId(whole.blob());
        long size = sizeOf(whole);
        if (batch.session().update(INSERT, id, whole.account(), size, 1, null, null) == 1) {
            batch.addLive(whole.account(), 1, size);
            return FRESH;
        }
        Integer refusal = batch.session().first(FIND, row -> row.getObject(1) == null ? -1 : row.getInt(1), id);
        return refusal == null || refusal < 0 ? COMMITTED : new Known.Refused(Codec.refusal(refusal));
    }

    /** Turns a blob that was committed in this step into garbage, because its write is refused after all. */
    static void refuse(Batch batch, Slice whole, Refusal reason, long nowMillis) throws SQLException {
        batch.session()
                .update(REFUSE, batch.releaseTime(nowMillis), Codec.refusalCode(reason), Codec.blobId(whole.blob()));
        batch.addLive(whole.account(), -1, -sizeOf(whole));
        batch.addGarbage(whole.account(), 1, sizeOf(whole));
    }

    static void retain(Batch batch, BlobId blob) throws SQLException {
        batch.session().update(RETAIN, (Object) Codec.blobId(blob));
    }

    /** Removes a reference. What was the last turns the blob into garbage. */
    static void release(Batch batch, byte[] id, long nowMillis) throws SQLException {
        Released released = batch.session()
                .first(
                        RELEASE,
                        row -> new Released(row.getLong(1), row.getString(2), row.getLong(3)),
                        nowMillis,
                        nowMillis,
                        id);
        if (released != null && released.refs == 0) {
            batch.addLive(released.account, -1, -released.size);
            batch.addGarbage(released.account, 1, released.size);
        }
    }

    private record Released(long refs, String account, long size) {}

    /** Those that neither live nor are garbage in the account, nor have a copy there. */
    static List<BlobId> unknown(Session session, String account, List<BlobId> blobs) throws SQLException {
        List<BlobId> unknown = new ArrayList<>();
        for (BlobId blob : blobs) {
            String livesIn = session.first(ACCOUNT, row -> row.getString(1), (Object) Codec.blobId(blob));
            if (!account.equals(livesIn) && Copies.known(session, blob, account) != Copies.Known.YES) {
                unknown.add(blob);
            }
        }
        return unknown;
    }

    static void discard(Batch batch, List<Garbage> blobs) throws SQLException {
        for (Garbage blob : blobs) {
            switch (Copies.known(batch.session(), blob.blob(), blob.account())) {
                case YES -> {}
                case GONE -> leaveBehind(batch, blob);
                case NO -> discard(batch, blob);
            }
        }
    }

    private static void discard(Batch batch, Garbage blob) throws SQLException {
        byte[] id = Codec.blobId(blob.blob());
        int inserted = batch.session()
                .update(
                        INSERT,
                        id,
                        blob.account(),
                        blob.sizeBytes(),
                        0,
                        blob.queuedAt().toEpochMilli(),
                        Codec.refusalCode(Refusal.INTENT_EXPIRED));
        if (inserted == 1) {
            batch.addGarbage(blob.account(), 1, blob.sizeBytes());
        } else if (!blob.account().equals(batch.session().first(ACCOUNT, row -> row.getString(1), (Object) id))) {
            leaveBehind(batch, blob);
        }
    }

    private static void leaveBehind(Batch batch, Garbage blob) throws SQLException {
        Copies.leaveBehind(
                batch,
                blob.blob(),
                blob.account(),
                blob.sizeBytes(),
                blob.queuedAt().toEpochMilli());
    }

    static List<Garbage> due(Session session, String account, long beforeMillis, int limit) throws SQLException {
        return session.all(
                DUE,
                row -> new Garbage(
                        Codec.blobId(row.getBytes(1)), account, row.getLong(2), Codec.millis(row.getLong(3))),
                account,
                beforeMillis,
                limit,
                account,
                beforeMillis,
                limit,
                limit);
    }

    static List<Garbage> garbage(Session session, String account, @Nullable Garbage after, int limit)
            throws SQLException {
        return session.all(
                GARBAGE,
                row -> new Garbage(
                        Codec.blobId(row.getBytes(1)), account, row.getLong(2), Codec.millis(row.getLong(3))),
                account,
                after == null ? Long.MIN_VALUE : after.queuedAt().toEpochMilli(),
                after == null ? BEFORE_ALL : Codec.blobId(after.blob()),
                limit);
    }

    static void forget(Batch batch, String account, List<BlobId> blobs) throws SQLException {
        int copies = 0;
        for (BlobId blob : blobs) {
            Long size = batch.session().first(FORGET, row -> row.getLong(1), Codec.blobId(blob), account);
            if (size == null) {
                size = Copies.forget(batch, blob, account);
                copies += size == null ? 0 : 1;
            }
            if (size != null) {
                batch.addGarbage(account, -1, -size);
            }
        }
        if (copies > 0) {
            Copies.purge(batch, 2 * copies);
        }
    }

    /** Looks at the next {@code limit} blobs of any account, in the order of the primary key, which is nearly that of their making. */
    static LiveBlobs live(Session session, String account, @Nullable BlobId after, int limit) throws SQLException {
        List<LiveBlobs.LiveBlob> live = new ArrayList<>();
        int looked = 0;
        byte[] last = after == null ? BEFORE_ALL : Codec.blobId(after);
        try (ResultSet rows = session.open(PAGE, last, limit)) {
            while (rows.next()) {
                looked++;
                last = rows.getBytes(1);
                if (rows.getLong(4) > 0 && rows.getString(2).equals(account)) {
                    live.add(new LiveBlobs.LiveBlob(Codec.blobId(last), rows.getLong(3)));
                }
            }
        }
        return new LiveBlobs(live, looked < limit ? Optional.empty() : Optional.of(Codec.blobId(last)));
    }

    static Map<String, AccountUsage> usage(Session session) throws SQLException {
        Map<String, AccountUsage> usage = new HashMap<>();
        try (ResultSet rows = session.open(USAGE)) {
            while (rows.next()) {
                usage.put(
                        rows.getString(1),
                        new AccountUsage(rows.getLong(2), rows.getLong(3), rows.getLong(4), rows.getLong(5)));
            }
        }
        return usage;
    }

    private static long sizeOf(Slice whole) {
        return whole.offsetBytes() + whole.lengthBytes();
    }
}
