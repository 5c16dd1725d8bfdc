package io.headgate.namespace.postgres;

import io.headgate.domain.BlobId;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.codec.Codec;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Blobs, counted by the versions, parts and manifests that refer to them; those without a reference are the garbage queue. */
final class Blobs {
    /** Fails if one of them has been made in between, by another try of the same write. */
    private static final String INSERT = """
            WITH made AS (
              INSERT INTO blobs (id, account, size, refs, released_at, refusal)
              SELECT * FROM unnest(?::bytea[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::int[]) ORDER BY 1
              ON CONFLICT (id) DO NOTHING RETURNING 1)
            SELECT expect_rows((SELECT count(*) FROM made), ?)""";

    private static final String DISCARD = """
            WITH changed AS (
              INSERT INTO blobs (id, account, size, refs, released_at, refusal)
              SELECT id, account, size, 0, released_at, ?
              FROM unnest(?::bytea[], ?::text[], ?::bigint[], ?::bigint[]) AS d (id, account, size, released_at) ORDER BY 1
              ON CONFLICT (id) DO NOTHING
              RETURNING account, 0::bigint AS blobs, 0::bigint AS live, 1::bigint AS garbage, size AS dead)
            """;
    private static final String COUNT = """
            WITH locked AS (
              SELECT b.id, d.refs, d.released_at
              FROM unnest(?::bytea[], ?::bigint[], ?::bigint[]) AS d (id, refs, released_at) JOIN blobs b ON b.id = d.id
              ORDER BY b.id FOR UPDATE OF b),
            counted AS (
              UPDATE blobs b SET refs = b.refs + l.refs, released_at = GREATEST(b.released_at, l.released_at)
              FROM locked l WHERE b.id = l.id
              RETURNING b.account, b.size, b.refs = 0 AND l.refs < 0 AS dead),
            changed AS (
              SELECT account, -1::bigint AS blobs, -size AS live, 1::bigint AS garbage, size AS dead
              FROM counted WHERE dead)
            """;
    private static final String KNOWN = "SELECT id FROM blobs WHERE id = ANY (?::bytea[])";
    static final String FIND = "SELECT id, refusal FROM blobs WHERE id = ANY (?::bytea[])";
    private static final String DUE = """
            SELECT id, size, released_at FROM blobs
            WHERE account = ? AND refs = 0 AND released_at < ? ORDER BY released_at, id LIMIT ?""";
    private static final String FORGET = """
            WITH locked AS (
              SELECT id FROM blobs WHERE id = ANY (?::bytea[]) AND refs = 0 ORDER BY id FOR UPDATE),
            changed AS (
              DELETE FROM blobs b USING locked l WHERE b.id = l.id AND b.refs = 0
              RETURNING b.account, 0::bigint AS blobs, 0::bigint AS live, -1::bigint AS garbage, -b.size AS dead)
            """;
    private static final String USAGE = """
            SELECT account, sum(blobs), sum(live_bytes), sum(garbage_blobs), sum(garbage_bytes)
            FROM account_usage GROUP BY account""";

    private Blobs() {}

    /** Blobs that a transaction makes: without references if their write is refused. */
    static final class Fresh {
        final String account;
        final long sizeBytes;
        long refs;
        long releasedAt;
        int refusal;

        Fresh(String account, long sizeBytes) {
            this.account = account;
            this.sizeBytes = sizeBytes;
            this.refs = 1;
            this.refusal = -1;
        }
    }

    /** What a transaction changes in the count of a blob that was there before. */
    static final class Change {
        long refs;
        long releasedAt = Long.MIN_VALUE;
    }

    static void insert(Pipeline pipeline, Map<BlobId, Fresh> blobs) {
        Column ids = Column.bytes();
        Column accounts = Column.text();
        Column sizes = Column.bigint();
        Column refs = Column.bigint();
        Column released = Column.bigint();
        Column refusals = Column.integer();
        blobs.forEach((id, blob) -> {
            ids.add(Codec.blobId(id));
            accounts.add(blob.account);
            sizes.add(blob.sizeBytes);
            refs.add(blob.refs);
            released.add(blob.refs == 0 ? blob.releasedAt : null);
            refusals.add(blob.refusal < 0 ? null : blob.refusal);
        });
        pipeline.query(INSERT, row -> {}, ids, accounts, sizes, refs, released, refusals, (long) blobs.size());
    }

    /** Changes the counts, and writes the accounts' sums with what becomes garbage by it. */
    static void count(Pipeline pipeline, Counters counters, Map<BlobId, Change> changes) {
        Column ids = Column.bytes();
        Column refs = Column.bigint();
        Column released = Column.bigint();
        changes.forEach((id, change) -> {
            ids.add(Codec.blobId(id));
            refs.add(change.refs);
            released.add(change.releasedAt == Long.MIN_VALUE ? null : change.releasedAt);
        });
        counters.addAccountsTo(pipeline, COUNT, ids, refs, released);
    }

    static Column ids(List<BlobId> blobs) {
        Column ids = Column.bytes();
        blobs.forEach(blob -> ids.add(Codec.blobId(blob)));
        return ids;
    }

    static List<BlobId> unknown(Session session, List<BlobId> blobs) throws SQLException {
        Set<BlobId> known = new HashSet<>(session.all(KNOWN, row -> Codec.blobId(row.getBytes(1)), ids(blobs)));
        List<BlobId> unknown = new ArrayList<>(blobs);
        unknown.removeIf(known::contains);
        return unknown;
    }

    static void discard(Tx tx, List<Garbage> blobs) throws SQLException {
        Map<BlobId, Garbage> distinct = new HashMap<>();
        blobs.forEach(blob -> distinct.putIfAbsent(blob.blob(), blob));
        Column ids = Column.bytes();
        Column accounts = Column.text();
        Column sizes = Column.bigint();
        Column queued = Column.bigint();
        distinct.forEach((id, blob) -> {
            ids.add(Codec.blobId(id));
            accounts.add(blob.account());
            sizes.add(blob.sizeBytes());
            queued.add(blob.queuedAt().toEpochMilli());
        });
        Pipeline pipeline = tx.session().pipeline();
        int reason = Codec.refusalCode(Refusal.INTENT_EXPIRED);
        tx.counters().addAccountsTo(pipeline, DISCARD, reason, ids, accounts, sizes, queued);
        pipeline.run();
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

    static void forget(Tx tx, List<BlobId> blobs) throws SQLException {
        Pipeline pipeline = tx.session().pipeline();
        tx.counters().addAccountsTo(pipeline, FORGET, ids(blobs));
        pipeline.run();
    }

    static Map<String, AccountUsage> usage(Session session) throws SQLException {
        Map<String, AccountUsage> usage = new HashMap<>();
        session.pipeline()
                .query(
                        USAGE,
                        row -> usage.put(
                                row.getString(1),
                                new AccountUsage(row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5))))
                .run();
        return usage;
    }
}
