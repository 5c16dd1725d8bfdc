package io.headgate.namespace.postgres;

import io.headgate.domain.BlobId;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.LiveBlobs;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.codec.Codec;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
    /** Takes rows in the order in which everybody does. */
    static final String LOCK = "SELECT id FROM blobs WHERE id = ANY (?::bytea[]) ORDER BY id FOR UPDATE";

    private static final String COUNT = """
            WITH counted AS (
              UPDATE blobs SET refs = refs + ?::bigint, released_at = GREATEST(released_at, ?::bigint) WHERE id = ANY (?::bytea[])
              RETURNING account, size, refs),
            changed AS (
              SELECT account, -1::bigint AS blobs, -size AS live, 1::bigint AS garbage, size AS dead
              FROM counted WHERE refs = 0 AND ?::bigint < 0)
            """;
    private static final String LIVES_IN = "SELECT id, account FROM blobs WHERE id = ANY (?::bytea[])";
    private static final String KNOWN = """
            SELECT id FROM blobs WHERE id = ANY (?::bytea[]) AND account = ?
            UNION SELECT id FROM copies WHERE id = ANY (?::bytea[]) AND account = ? AND gone_at IS NULL""";
    static final String FIND = "SELECT id, refusal FROM blobs WHERE id = ANY (?::bytea[])";
    private static final String DUE = """
            (SELECT id, size, released_at FROM blobs
             WHERE account = ? AND refs = 0 AND released_at < ? ORDER BY released_at, id LIMIT ?)
            UNION ALL
            (SELECT id, size, released_at FROM copies
             WHERE account = ? AND released_at IS NOT NULL AND gone_at IS NULL AND released_at < ?
             ORDER BY released_at, id LIMIT ?)
            ORDER BY released_at, id LIMIT ?""";
    private static final String GARBAGE = """
            (SELECT id, size, released_at FROM blobs
             WHERE account = ? AND refs = 0 AND (released_at, id) > (?, ?) ORDER BY released_at, id LIMIT ?)
            UNION ALL
            (SELECT id, size, released_at FROM copies
             WHERE account = ? AND released_at IS NOT NULL AND gone_at IS NULL AND (released_at, id) > (?, ?)
             ORDER BY released_at, id LIMIT ?)
            ORDER BY released_at, id LIMIT ?""";
    private static final String PAGE = "SELECT id, account, size, refs FROM blobs WHERE id > ? ORDER BY id LIMIT ?";
    /** Comes before every id. */
    private static final byte[] BEFORE_ALL = {};

    /** Written so that the index of garbage, which may be long, is not taken for the index of ids. */
    private static final String FORGET = """
            WITH changed AS (
              DELETE FROM blobs WHERE id = ANY (?::bytea[]) AND account = ? AND refs < 1
              RETURNING account, 0::bigint AS blobs, 0::bigint AS live, -1::bigint AS garbage, -size AS dead)
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
        // Mostly all lose one reference at one time, which is one statement.
        Map<List<Long>, List<BlobId>> groups = new LinkedHashMap<>();
        changes.forEach((id, change) -> groups.computeIfAbsent(
                        List.of(change.refs, change.releasedAt), key -> new ArrayList<>())
                .add(id));
        pipeline.query(LOCK, row -> {}, ids(changes.keySet()));
        groups.forEach((change, blobs) -> {
            long refs = change.get(0);
            Long releasedAt = change.get(1) == Long.MIN_VALUE ? null : change.get(1);
            counters.addAccountsTo(pipeline, COUNT, refs, releasedAt, ids(blobs), refs);
        });
    }

    static Column ids(Collection<BlobId> blobs) {
        Column ids = Column.bytes();
        blobs.forEach(blob -> ids.add(Codec.blobId(blob)));
        return ids;
    }

    /** Those that neither live nor are garbage in the account, nor have a copy there. */
    static List<BlobId> unknown(Session session, String account, List<BlobId> blobs) throws SQLException {
        Set<BlobId> known = new HashSet<>(
                session.all(KNOWN, row -> Codec.blobId(row.getBytes(1)), ids(blobs), account, ids(blobs), account));
        List<BlobId> unknown = new ArrayList<>(blobs);
        unknown.removeIf(known::contains);
        return unknown;
    }

    static void discard(Tx tx, List<Garbage> blobs) throws SQLException {
        Map<String, Map<BlobId, Garbage>> byAccount = new TreeMap<>();
        for (Garbage blob : blobs) {
            byAccount
                    .computeIfAbsent(blob.account(), account -> new LinkedHashMap<>())
                    .putIfAbsent(blob.blob(), blob);
        }
        for (Map.Entry<String, Map<BlobId, Garbage>> of : byAccount.entrySet()) {
            discard(tx, of.getKey(), of.getValue());
        }
    }

    /** What the account has a copy of, or lives elsewhere, is a left-over of a move; the rest was never known. */
    private static void discard(Tx tx, String account, Map<BlobId, Garbage> blobs) throws SQLException {
        Column all = ids(blobs.keySet());
        Map<BlobId, String> livesIn = new HashMap<>();
        tx.session()
                .pipeline()
                .query(LOCK, row -> {}, all)
                .query(LIVES_IN, row -> livesIn.put(Codec.blobId(row.getBytes(1)), row.getString(2)), all)
                .run();
        Column ids = Column.bytes();
        Column accounts = Column.text();
        Column sizes = Column.bigint();
        Column queued = Column.bigint();
        for (Garbage blob : blobs.values()) {
            Copies.Known copy = Copies.known(tx.session(), blob.blob(), account);
            boolean elsewhere = !account.equals(livesIn.getOrDefault(blob.blob(), account));
            if (copy == Copies.Known.GONE || (copy == Copies.Known.NO && elsewhere)) {
                Copies.leaveBehind(
                        tx,
                        blob.blob(),
                        account,
                        blob.sizeBytes(),
                        blob.queuedAt().toEpochMilli());
            } else if (copy == Copies.Known.NO) {
                ids.add(Codec.blobId(blob.blob()));
                accounts.add(account);
                sizes.add(blob.sizeBytes());
                queued.add(blob.queuedAt().toEpochMilli());
            }
        }
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
                limit,
                account,
                beforeMillis,
                limit,
                limit);
    }

    static List<Garbage> garbage(Session session, String account, @Nullable Garbage after, int limit)
            throws SQLException {
        long queuedAt = after == null ? Long.MIN_VALUE : after.queuedAt().toEpochMilli();
        byte[] id = after == null ? BEFORE_ALL : Codec.blobId(after.blob());
        return session.all(
                GARBAGE,
                row -> new Garbage(
                        Codec.blobId(row.getBytes(1)), account, row.getLong(2), Codec.millis(row.getLong(3))),
                account,
                queuedAt,
                id,
                limit,
                account,
                queuedAt,
                id,
                limit,
                limit);
    }

    static void forget(Tx tx, String account, List<BlobId> blobs) throws SQLException {
        tx.session().all(LOCK, row -> row.getBytes(1), ids(blobs));
        int copies = 0;
        for (BlobId blob : blobs) {
            Long size = Copies.forget(tx, blob, account);
            if (size != null) {
                tx.counters().addGarbage(account, -1, -size);
                copies++;
            }
        }
        if (copies > 0) {
            Copies.purge(tx, 2 * copies);
        }
        Pipeline pipeline = tx.session().pipeline();
        tx.counters().addAccountsTo(pipeline, FORGET, ids(blobs), account);
        pipeline.run();
    }

    /** Looks at the next {@code limit} blobs of any account, in the order of the primary key, which is nearly that of their making. */
    static LiveBlobs live(Session session, String account, @Nullable BlobId after, int limit) throws SQLException {
        List<LiveBlobs.LiveBlob> live = new ArrayList<>();
        byte[] from = after == null ? BEFORE_ALL : Codec.blobId(after);
        List<BlobId> looked = session.all(
                PAGE,
                row -> {
                    BlobId blob = Codec.blobId(row.getBytes(1));
                    if (row.getLong(4) > 0 && row.getString(2).equals(account)) {
                        live.add(new LiveBlobs.LiveBlob(blob, row.getLong(3)));
                    }
                    return blob;
                },
                from,
                limit);
        return new LiveBlobs(live, looked.size() < limit ? Optional.empty() : Optional.of(looked.getLast()));
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
