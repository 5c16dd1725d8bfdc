package io.headgate.namespace.sql;

import io.headgate.domain.BlobId;
import io.headgate.namespace.BlobMove;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.codec.Codec;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Copies of blobs in accounts where the blobs do not live. A copy is being made by a move, or is garbage, or is gone and remembered for
 * a while so that its name is not used again too soon.
 */
final class Copies {
    private static final String BEGIN = """
            INSERT INTO copies (id, account, size, source)
            SELECT id, ?, size, account FROM blobs WHERE id = ? AND account = ? AND refs > 0
            ON CONFLICT (id, account) DO UPDATE SET
              size = excluded.size, source = excluded.source, released_at = NULL, gone_at = NULL
              WHERE copies.gone_at < ?
            RETURNING size""";
    private static final String BEGUN = """
            SELECT c.size FROM copies c JOIN blobs b ON b.id = c.id AND b.account = c.source AND b.refs > 0
            WHERE c.id = ? AND c.account = ? AND c.source = ? AND c.released_at IS NULL""";
    private static final String MOVING = "SELECT size FROM copies WHERE id = ? AND account = ? AND released_at IS NULL";
    private static final String TAKE_OVER = "UPDATE blobs SET account = ? WHERE id = ? AND account = ? AND refs > 0";
    private static final String LIVES = "SELECT 1 FROM blobs WHERE id = ? AND account = ? AND refs > 0";
    private static final String DELETE = "DELETE FROM copies WHERE id = ? AND account = ?";
    private static final String RELEASE =
            "UPDATE copies SET released_at = ? WHERE id = ? AND account = ? AND released_at IS NULL";
    private static final String LEAVE_BEHIND = """
            INSERT INTO copies (id, account, size, released_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (id, account) DO UPDATE SET
              size = excluded.size, source = NULL, released_at = excluded.released_at, gone_at = NULL""";
    private static final String UNDER_WAY =
            "SELECT id, source, account, size FROM copies WHERE released_at IS NULL ORDER BY id LIMIT ?";
    private static final String GONE_AT = "SELECT gone_at FROM copies WHERE id = ? AND account = ?";
    private static final String FORGET = """
            UPDATE copies SET gone_at = ?
            WHERE id = ? AND account = ? AND released_at IS NOT NULL AND gone_at IS NULL RETURNING size""";
    private static final String PURGE = """
            DELETE FROM copies WHERE (id, account) IN
              (SELECT id, account FROM copies WHERE gone_at < ? ORDER BY gone_at LIMIT ?)""";
    private static final String ADD_TO_MOVED = """
            UPDATE account_modes SET moved_blobs = moved_blobs + 1, moved_bytes = moved_bytes + ?
            WHERE account = ?""";

    private Copies() {}

    private record Moved(long blobs, long bytes) {
        Moved plus(Moved other) {
            return new Moved(blobs + other.blobs, bytes + other.bytes);
        }
    }

    /** What is known of a copy. */
    enum Known {
        NO,
        /** Being made, or garbage. */
        YES,
        GONE
    }

    static Known known(Session session, BlobId blob, String account) throws SQLException {
        Known known = session.first(
                GONE_AT, row -> row.getObject(1) == null ? Known.YES : Known.GONE, Codec.blobId(blob), account);
        return known == null ? Known.NO : known;
    }

    static List<BlobMove> begin(Batch batch, List<BlobMove> moves, Instant now) throws SQLException {
        long goneBefore = batch.releaseTime(now.toEpochMilli()) - Namespace.MOVE_BACK_AFTER.toMillis();
        List<BlobMove> recorded = new ArrayList<>(moves.size());
        for (BlobMove move : moves) {
            byte[] id = Codec.blobId(move.blob());
            Long size = batch.session().first(BEGIN, row -> row.getLong(1), move.to(), id, move.from(), goneBefore);
            if (size != null) {
                batch.addGarbage(move.to(), 1, size);
            } else {
                size = batch.session().first(BEGUN, row -> row.getLong(1), id, move.to(), move.from());
            }
            if (size != null) {
                recorded.add(new BlobMove(move.blob(), move.from(), move.to(), size));
            }
        }
        return recorded;
    }

    static List<BlobMove> finish(Batch batch, List<BlobMove> moves, Instant now) throws SQLException {
        long releasedAt = batch.releaseTime(now.toEpochMilli());
        List<BlobMove> finished = new ArrayList<>(moves.size());
        Map<String, Moved> moved = new TreeMap<>();
        for (BlobMove move : moves) {
            byte[] id = Codec.blobId(move.blob());
            Long size = batch.session().first(MOVING, row -> row.getLong(1), id, move.to());
            if (size == null) {
                if (batch.session().first(LIVES, row -> true, id, move.to()) != null) {
                    finished.add(move); // when it was sent before
                }
            } else if (batch.session().update(TAKE_OVER, move.to(), id, move.from()) == 1) {
                takenOver(batch, move, size, releasedAt);
                moved.merge(move.from(), new Moved(1, size), Moved::plus);
                finished.add(move);
            } else {
                release(batch, move, releasedAt);
            }
        }
        for (Map.Entry<String, Moved> one : moved.entrySet()) {
            AccountModes.addToRebalanced(
                    batch.session(),
                    one.getKey(),
                    one.getValue().blobs(),
                    one.getValue().bytes());
        }
        return finished;
    }

    private static void takenOver(Batch batch, BlobMove move, long size, long releasedAt) throws SQLException {
        byte[] id = Codec.blobId(move.blob());
        batch.session().update(DELETE, id, move.to());
        batch.addGarbage(move.to(), -1, -size);
        batch.addLive(move.to(), 1, size);
        batch.addLive(move.from(), -1, -size);
        leaveBehind(batch, move.blob(), move.from(), size, releasedAt);
        batch.session().update(ADD_TO_MOVED, size, move.from());
        batch.movesBlobs();
    }

    static void abandon(Batch batch, List<BlobMove> moves, Instant now) throws SQLException {
        for (BlobMove move : moves) {
            release(batch, move, batch.releaseTime(now.toEpochMilli()));
        }
    }

    /** The copy, if it is being made, becomes garbage; it is counted as such already. */
    private static void release(Batch batch, BlobMove move, long releasedAt) throws SQLException {
        batch.session().update(RELEASE, releasedAt, Codec.blobId(move.blob()), move.to());
    }

    /** Queues a copy as garbage that is not known, or known to be gone. */
    static void leaveBehind(Batch batch, BlobId blob, String account, long size, long releasedAt) throws SQLException {
        batch.session().update(LEAVE_BEHIND, Codec.blobId(blob), account, size, releasedAt);
        batch.addGarbage(account, 1, size);
    }

    static List<BlobMove> underWay(Session session, int limit) throws SQLException {
        return session.all(
                UNDER_WAY,
                row -> new BlobMove(Codec.blobId(row.getBytes(1)), row.getString(2), row.getString(3), row.getLong(4)),
                limit);
    }

    /** Notes that a copy's bytes are gone, and its size; {@code null} if it is no garbage. */
    static @Nullable Long forget(Batch batch, BlobId blob, String account) throws SQLException {
        return batch.session()
                .first(FORGET, row -> row.getLong(1), batch.startedAtMillis(), Codec.blobId(blob), account);
    }

    /** Drops some of what was remembered for long enough. */
    static void purge(Batch batch, int limit) throws SQLException {
        batch.session().update(PURGE, batch.startedAtMillis() - Namespace.MOVE_BACK_AFTER.toMillis(), limit);
    }
}
