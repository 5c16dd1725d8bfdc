package io.headgate.namespace.sql;

import io.headgate.domain.BlobId;
import io.headgate.domain.Slice;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.codec.Codec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Blobs, counted by the versions, parts and manifests that refer to them; those without a reference are the garbage queue. */
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
            SELECT id, size, released_at FROM blobs
            WHERE account = ? AND refs = 0 AND released_at < ? ORDER BY released_at, id LIMIT ?""";
    private static final String FORGET = "DELETE FROM blobs WHERE id = ? AND refs = 0 RETURNING account, size";
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

    static List<BlobId> unknown(Session session, List<BlobId> blobs) throws SQLException {
        List<BlobId> unknown = new ArrayList<>();
        for (BlobId blob : blobs) {
            if (session.first(FIND, row -> true, (Object) Codec.blobId(blob)) == null) {
                unknown.add(blob);
            }
        }
        return unknown;
    }

    static void discard(Batch batch, List<Garbage> blobs) throws SQLException {
        int reason = Codec.refusalCode(Refusal.INTENT_EXPIRED);
        for (Garbage blob : blobs) {
            int inserted = batch.session()
                    .update(
                            INSERT,
                            Codec.blobId(blob.blob()),
                            blob.account(),
                            blob.sizeBytes(),
                            0,
                            blob.queuedAt().toEpochMilli(),
                            reason);
            if (inserted == 1) {
                batch.addGarbage(blob.account(), 1, blob.sizeBytes());
            }
        }
    }

    static List<Garbage> due(Session session, String account, long beforeMillis, int limit) throws SQLException {
        return session.all(
                DUE,
                row -> new Garbage(
                        Codec.blobId(row.getBytes(1)), account, row.getLong(2), Codec.millis(row.getLong(3))),
                account,
                beforeMillis,
                limit);
    }

    static void forget(Batch batch, List<BlobId> blobs) throws SQLException {
        for (BlobId blob : blobs) {
            Released gone = batch.session()
                    .first(FORGET, row -> new Released(0, row.getString(1), row.getLong(2)), (Object)
                            Codec.blobId(blob));
            if (gone != null) {
                batch.addGarbage(gone.account, -1, -gone.size);
            }
        }
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
