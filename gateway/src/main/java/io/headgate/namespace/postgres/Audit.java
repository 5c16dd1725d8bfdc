package io.headgate.namespace.postgres;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.codec.Codec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Compares the tables with each other, and sets right what can be. */
final class Audit {
    private static final String NUMBER = "SELECT value FROM settings WHERE name = 'corrections'";
    private static final String ADD_NUMBER = """
            INSERT INTO settings (name, value) VALUES ('corrections', '0') ON CONFLICT (name) DO NOTHING""";
    private static final String LOCK_NUMBER = NUMBER + " FOR UPDATE";
    private static final String COUNT_CORRECTION = "UPDATE settings SET value = ? WHERE name = 'corrections'";

    private static final String BUCKETS = """
            SELECT b.name, coalesce(u.objects, 0), coalesce(u.bytes, 0), coalesce(o.objects, 0), coalesce(o.bytes, 0)
            FROM buckets b LEFT JOIN
              (SELECT bucket, sum(objects) AS objects, sum(bytes) AS bytes FROM bucket_usage GROUP BY bucket) u
              ON u.bucket = b.id LEFT JOIN
              (SELECT bucket, count(*) AS objects, sum(size) AS bytes FROM objects GROUP BY bucket) o ON o.bucket = b.id
            WHERE coalesce(u.objects, 0) <> coalesce(o.objects, 0) OR coalesce(u.bytes, 0) <> coalesce(o.bytes, 0)""";
    private static final String ACCOUNTS = """
            SELECT coalesce(u.account, b.account),
              coalesce(u.blobs, 0), coalesce(u.live, 0), coalesce(u.garbage, 0), coalesce(u.dead, 0),
              coalesce(b.blobs, 0), coalesce(b.live, 0), coalesce(b.garbage, 0), coalesce(b.dead, 0)
            FROM
              (SELECT account, sum(blobs) AS blobs, sum(live_bytes) AS live, sum(garbage_blobs) AS garbage,
                      sum(garbage_bytes) AS dead
               FROM account_usage GROUP BY account) u
            FULL JOIN
              (SELECT account, count(*) FILTER (WHERE alive) AS blobs, sum(size) FILTER (WHERE alive) AS live,
                      count(*) FILTER (WHERE NOT alive) AS garbage, sum(size) FILTER (WHERE NOT alive) AS dead
               FROM (SELECT account, size, refs > 0 AS alive FROM blobs UNION ALL
                     SELECT account, size, false FROM copies WHERE gone_at IS NULL) every
               GROUP BY account) b ON b.account = u.account
            WHERE coalesce(u.blobs, 0) <> coalesce(b.blobs, 0) OR coalesce(u.live, 0) <> coalesce(b.live, 0)
              OR coalesce(u.garbage, 0) <> coalesce(b.garbage, 0) OR coalesce(u.dead, 0) <> coalesce(b.dead, 0)""";
    private static final String SLICES = """
            (SELECT blob, slice_offset + slice_length AS slice_end FROM objects WHERE blob IS NOT NULL UNION ALL
             SELECT blob, slice_offset + slice_length FROM manifest_slices UNION ALL
             SELECT blob, slice_offset + slice_length FROM part_slices)""";
    private static final String BLOBS =
            "SELECT b.id, b.account, b.size, b.refs, coalesce(s.refs, 0), coalesce(s.last, 0)"
                    + " FROM blobs b LEFT JOIN (SELECT blob, count(*) AS refs, max(slice_end) AS last FROM " + SLICES
                    + """
             every GROUP BY blob) s ON s.blob = b.id
            WHERE b.refs <> coalesce(s.refs, 0) OR coalesce(s.last, 0) > b.size""";
    private static final String UNKNOWN_BLOBS = "SELECT DISTINCT s.blob FROM " + SLICES + """
             s WHERE NOT EXISTS (SELECT 1 FROM blobs b WHERE b.id = s.blob)""";
    private static final String MANIFESTS = """
            SELECT m.id, m.refs, coalesce(o.refs, 0) FROM manifests m LEFT JOIN
              (SELECT manifest, count(*) AS refs FROM objects WHERE manifest IS NOT NULL GROUP BY manifest) o
              ON o.manifest = m.id
            WHERE m.refs <> coalesce(o.refs, 0)""";
    private static final String FORGOTTEN_MANIFESTS = """
            SELECT m.id FROM manifests m
            WHERE m.refs = 0 AND NOT EXISTS (SELECT 1 FROM orphans o WHERE o.kind = 0 AND o.id = m.id)""";
    private static final String FORGOTTEN_PARTS = """
            SELECT p.upload FROM (SELECT upload FROM parts UNION SELECT upload FROM part_slices) p
            WHERE NOT EXISTS (SELECT 1 FROM uploads u WHERE u.seq = p.upload)
              AND NOT EXISTS (SELECT 1 FROM orphans o WHERE o.kind = 1 AND o.id = p.upload)""";
    private static final String SIZES = """
            SELECT b.name, o.key, o.size, coalesce(o.slice_length, m.bytes, 0)
            FROM objects o JOIN buckets b ON b.id = o.bucket LEFT JOIN
              (SELECT manifest, sum(slice_length) AS bytes FROM manifest_slices GROUP BY manifest) m
              ON m.manifest = o.manifest
            WHERE o.size <> coalesce(o.slice_length, m.bytes, 0)""";

    private static final String COUNT_BLOB = """
            UPDATE blobs SET refs = refs + ?::bigint,
              refusal = CASE WHEN refs + ?::bigint > 0 THEN NULL ELSE refusal END,
              released_at = CASE WHEN refs + ?::bigint = 0 THEN greatest(released_at, ?::bigint) ELSE released_at END
            WHERE id = ? AND refs + ?::bigint >= 0 RETURNING refs, account, size""";
    private static final String COUNT_MANIFEST = """
            UPDATE manifests SET refs = refs + ?::bigint WHERE id = ? AND refs + ?::bigint >= 0 RETURNING refs""";
    private static final String ORPHAN = """
            INSERT INTO orphans (orphaned_at, kind, id) SELECT ?::bigint, ?::int, ?::bigint
            WHERE NOT EXISTS (SELECT 1 FROM orphans WHERE kind = ? AND id = ?)""";
    private static final String KEEP = "DELETE FROM orphans WHERE kind = ? AND id = ?";

    private Audit() {}

    /** To be called in a transaction that sees one instant: it reads everything. */
    static long run(Session session, Consumer<Discrepancy> found) throws SQLException {
        session.each(
                BUCKETS,
                row -> found.accept(new Discrepancy.BucketCounter(
                        new BucketName(row.getString(1)),
                        new BucketUsage(row.getLong(2), row.getLong(3)),
                        new BucketUsage(row.getLong(4), row.getLong(5)))));
        session.each(
                ACCOUNTS,
                row -> found.accept(new Discrepancy.AccountCounter(
                        row.getString(1),
                        new AccountUsage(row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)),
                        new AccountUsage(row.getLong(6), row.getLong(7), row.getLong(8), row.getLong(9)))));
        session.each(BLOBS, row -> blob(row, found));
        session.each(UNKNOWN_BLOBS, row -> found.accept(new Discrepancy.UnknownBlob(Codec.blobId(row.getBytes(1)))));
        session.each(
                MANIFESTS,
                row -> found.accept(
                        new Discrepancy.ManifestReferences(row.getString(1), row.getLong(2), row.getLong(3))));
        session.each(FORGOTTEN_MANIFESTS, row -> found.accept(new Discrepancy.ForgottenManifest(row.getString(1))));
        session.each(FORGOTTEN_PARTS, row -> found.accept(new Discrepancy.ForgottenParts(row.getString(1))));
        session.each(
                SIZES,
                row -> found.accept(new Discrepancy.WrongSize(
                        new BucketName(row.getString(1)),
                        ObjectKey.of(row.getBytes(2)),
                        row.getLong(3),
                        row.getLong(4))));
        return Optional.ofNullable(session.first(NUMBER, row -> row.getString(1)))
                .map(Long::parseLong)
                .orElse(0L);
    }

    private static void blob(ResultSet row, Consumer<Discrepancy> found) throws SQLException {
        BlobId id = Codec.blobId(row.getBytes(1));
        String account = row.getString(2);
        if (row.getLong(4) != row.getLong(5)) {
            found.accept(new Discrepancy.BlobReferences(id, account, row.getLong(4), row.getLong(5)));
        }
        if (row.getLong(6) > row.getLong(3)) {
            found.accept(new Discrepancy.SliceTooLong(id, account, row.getLong(3), row.getLong(6)));
        }
    }

    static boolean correct(Tx tx, long audit, List<Discrepancy.Correctable> wrong, Instant now) throws SQLException {
        tx.session().update(ADD_NUMBER);
        String number = tx.session().first(LOCK_NUMBER, row -> row.getString(1));
        if (!Long.toString(audit).equals(number)) {
            return false;
        }
        tx.session().update(COUNT_CORRECTION, Long.toString(audit + 1));
        long nowMillis = tx.releaseTime(now.toEpochMilli());
        List<Discrepancy.BlobReferences> blobs = new ArrayList<>();
        for (Discrepancy.Correctable one : wrong) {
            if (one instanceof Discrepancy.BlobReferences references) {
                blobs.add(references);
            } else {
                correct(tx, one, nowMillis);
            }
        }
        // In the order in which everybody locks them.
        blobs.sort(Comparator.comparing(references -> Codec.blobId(references.blob()), Arrays::compareUnsigned));
        for (Discrepancy.BlobReferences references : blobs) {
            correct(tx, references, nowMillis);
        }
        return true;
    }

    private static void correct(Tx tx, Discrepancy.Correctable wrong, long nowMillis) throws SQLException {
        switch (wrong) {
            case Discrepancy.BucketCounter(BucketName bucket, BucketUsage recorded, BucketUsage counted) -> {
                Long id = Buckets.id(tx.session(), bucket);
                if (id != null) {
                    tx.counters()
                            .addToBucket(
                                    id, counted.objects() - recorded.objects(), counted.bytes() - recorded.bytes());
                }
            }
            case Discrepancy.AccountCounter(String account, AccountUsage recorded, AccountUsage counted) -> {
                tx.counters()
                        .addLive(
                                account,
                                counted.blobs() - recorded.blobs(),
                                counted.liveBytes() - recorded.liveBytes());
                tx.counters()
                        .addGarbage(
                                account,
                                counted.garbageBlobs() - recorded.garbageBlobs(),
                                counted.garbageBytes() - recorded.garbageBytes());
            }
            case Discrepancy.BlobReferences references -> correct(tx, references, nowMillis);
            case Discrepancy.ManifestReferences(String manifest, long recorded, long counted) -> {
                long id = Long.parseLong(manifest);
                long missing = counted - recorded;
                Long refs = tx.session().first(COUNT_MANIFEST, row -> row.getLong(1), missing, id, missing);
                if (refs != null && refs == 0) {
                    orphan(tx, Manifests.KIND_MANIFEST, id, nowMillis);
                } else if (refs != null) {
                    tx.session().update(KEEP, Manifests.KIND_MANIFEST, id);
                }
            }
            case Discrepancy.ForgottenManifest(String manifest) ->
                orphan(tx, Manifests.KIND_MANIFEST, Long.parseLong(manifest), nowMillis);
            case Discrepancy.ForgottenParts(String upload) ->
                orphan(tx, Manifests.KIND_UPLOAD, Long.parseLong(upload), nowMillis);
        }
    }

    private record Counted(long refs, String account, long size) {}

    private static void correct(Tx tx, Discrepancy.BlobReferences wrong, long nowMillis) throws SQLException {
        long missing = wrong.counted() - wrong.recorded();
        Counted counted = tx.session()
                .first(
                        COUNT_BLOB,
                        row -> new Counted(row.getLong(1), row.getString(2), row.getLong(3)),
                        missing,
                        missing,
                        missing,
                        nowMillis,
                        Codec.blobId(wrong.blob()),
                        missing);
        if (counted == null) {
            return;
        }
        int alive = (counted.refs > 0 ? 1 : 0) - (counted.refs - missing > 0 ? 1 : 0);
        tx.counters().addLive(counted.account, alive, alive * counted.size);
        tx.counters().addGarbage(counted.account, -alive, -alive * counted.size);
    }

    private static void orphan(Tx tx, int kind, long id, long nowMillis) throws SQLException {
        tx.session().update(ORPHAN, nowMillis, kind, id, kind, id);
    }
}
