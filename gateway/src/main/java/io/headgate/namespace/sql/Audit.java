package io.headgate.namespace.sql;

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
import java.util.List;
import java.util.function.Consumer;

/** Compares the tables with each other, and sets right what can be. */
final class Audit {
    private static final String NUMBER = "SELECT value FROM settings WHERE name = 'corrections'";
    private static final String COUNT_CORRECTION = """
            INSERT INTO settings (name, value) VALUES ('corrections', ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value""";

    private static final String BUCKETS = """
            SELECT b.name, COALESCE(u.objects, 0), COALESCE(u.bytes, 0), COALESCE(o.objects, 0), COALESCE(o.bytes, 0)
            FROM buckets b LEFT JOIN bucket_usage u ON u.bucket = b.id LEFT JOIN
              (SELECT bucket, COUNT(*) AS objects, SUM(size) AS bytes FROM objects GROUP BY bucket) o ON o.bucket = b.id
            WHERE COALESCE(u.objects, 0) <> COALESCE(o.objects, 0) OR COALESCE(u.bytes, 0) <> COALESCE(o.bytes, 0)""";
    private static final String ACCOUNTS = """
            SELECT COALESCE(u.account, b.account),
              COALESCE(u.blobs, 0), COALESCE(u.live_bytes, 0), COALESCE(u.garbage_blobs, 0), COALESCE(u.garbage_bytes, 0),
              COALESCE(b.blobs, 0), COALESCE(b.live, 0), COALESCE(b.garbage, 0), COALESCE(b.dead, 0)
            FROM account_usage u FULL JOIN
              (SELECT account, SUM(alive) AS blobs, SUM(alive * size) AS live, SUM(1 - alive) AS garbage,
                      SUM((1 - alive) * size) AS dead
               FROM (SELECT account, size, refs > 0 AS alive FROM blobs UNION ALL
                     SELECT account, size, 0 FROM copies WHERE gone_at IS NULL)
               GROUP BY account) b ON b.account = u.account
            WHERE COALESCE(u.blobs, 0) <> COALESCE(b.blobs, 0) OR COALESCE(u.live_bytes, 0) <> COALESCE(b.live, 0)
              OR COALESCE(u.garbage_blobs, 0) <> COALESCE(b.garbage, 0)
              OR COALESCE(u.garbage_bytes, 0) <> COALESCE(b.dead, 0)""";
    private static final String SLICES = """
            (SELECT blob, slice_offset + slice_length AS slice_end FROM objects WHERE blob IS NOT NULL UNION ALL
             SELECT blob, slice_offset + slice_length FROM manifest_slices UNION ALL
             SELECT blob, slice_offset + slice_length FROM part_slices)""";
    private static final String BLOBS =
            "SELECT b.id, b.account, b.size, b.refs, COALESCE(s.refs, 0), COALESCE(s.last, 0)"
                    + " FROM blobs b LEFT JOIN (SELECT blob, COUNT(*) AS refs, MAX(slice_end) AS last FROM " + SLICES
                    + """
             GROUP BY blob) s ON s.blob = b.id
            WHERE b.refs <> COALESCE(s.refs, 0) OR COALESCE(s.last, 0) > b.size""";
    private static final String UNKNOWN_BLOBS = "SELECT DISTINCT s.blob FROM " + SLICES + """
             s WHERE NOT EXISTS (SELECT 1 FROM blobs b WHERE b.id = s.blob)""";
    private static final String MANIFESTS = """
            SELECT m.id, m.refs, COALESCE(o.refs, 0) FROM manifests m LEFT JOIN
              (SELECT manifest, COUNT(*) AS refs FROM objects WHERE manifest IS NOT NULL GROUP BY manifest) o
              ON o.manifest = m.id
            WHERE m.refs <> COALESCE(o.refs, 0)""";
    private static final String FORGOTTEN_MANIFESTS = """
            SELECT m.id FROM manifests m
            WHERE m.refs = 0 AND NOT EXISTS (SELECT 1 FROM orphans o WHERE o.kind = 0 AND o.id = m.id)""";
    private static final String FORGOTTEN_PARTS = """
            SELECT p.upload FROM (SELECT upload FROM parts UNION SELECT upload FROM part_slices) p
            WHERE NOT EXISTS (SELECT 1 FROM uploads u WHERE u.seq = p.upload)
              AND NOT EXISTS (SELECT 1 FROM orphans o WHERE o.kind = 1 AND o.id = p.upload)""";
    private static final String SIZES = """
            SELECT b.name, o.key, o.size, COALESCE(o.slice_length, m.bytes, 0)
            FROM objects o JOIN buckets b ON b.id = o.bucket LEFT JOIN
              (SELECT manifest, SUM(slice_length) AS bytes FROM manifest_slices GROUP BY manifest) m
              ON m.manifest = o.manifest
            WHERE o.size <> COALESCE(o.slice_length, m.bytes, 0)""";

    private static final String COUNT_BLOB = """
            UPDATE blobs SET refs = refs + ?1, refusal = CASE WHEN refs + ?1 > 0 THEN NULL ELSE refusal END,
              released_at = CASE WHEN refs + ?1 = 0 THEN MAX(COALESCE(released_at, 0), ?2) ELSE released_at END
            WHERE id = ?3 AND refs + ?1 >= 0 RETURNING refs, account, size""";
    private static final String COUNT_MANIFEST =
            "UPDATE manifests SET refs = refs + ?1 WHERE id = ?2 AND refs + ?1 >= 0 RETURNING refs";
    private static final String ORPHANED = "SELECT 1 FROM orphans WHERE kind = ? AND id = ?";
    private static final String ORPHAN = "INSERT INTO orphans (orphaned_at, kind, id) VALUES (?, ?, ?)";
    private static final String KEEP = "DELETE FROM orphans WHERE kind = ? AND id = ?";

    private Audit() {}

    /** To be called with a session of its own, in a transaction: it reads everything. */
    static long run(Session session, Consumer<Discrepancy> found) throws SQLException {
        each(
                session,
                BUCKETS,
                found,
                row -> new Discrepancy.BucketCounter(
                        new BucketName(row.getString(1)),
                        new BucketUsage(row.getLong(2), row.getLong(3)),
                        new BucketUsage(row.getLong(4), row.getLong(5))));
        each(
                session,
                ACCOUNTS,
                found,
                row -> new Discrepancy.AccountCounter(
                        row.getString(1),
                        new AccountUsage(row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)),
                        new AccountUsage(row.getLong(6), row.getLong(7), row.getLong(8), row.getLong(9))));
        try (ResultSet rows = session.open(BLOBS)) {
            while (rows.next()) {
                blob(rows, found);
            }
        }
        each(session, UNKNOWN_BLOBS, found, row -> new Discrepancy.UnknownBlob(Codec.blobId(row.getBytes(1))));
        each(
                session,
                MANIFESTS,
                found,
                row -> new Discrepancy.ManifestReferences(row.getString(1), row.getLong(2), row.getLong(3)));
        each(session, FORGOTTEN_MANIFESTS, found, row -> new Discrepancy.ForgottenManifest(row.getString(1)));
        each(session, FORGOTTEN_PARTS, found, row -> new Discrepancy.ForgottenParts(row.getString(1)));
        each(
                session,
                SIZES,
                found,
                row -> new Discrepancy.WrongSize(
                        new BucketName(row.getString(1)),
                        ObjectKey.of(row.getBytes(2)),
                        row.getLong(3),
                        row.getLong(4)));
        return number(session);
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

    private static void each(
            Session session, String sql, Consumer<Discrepancy> found, Session.Row<Discrepancy> discrepancy)
            throws SQLException {
        try (ResultSet rows = session.open(sql)) {
            while (rows.next()) {
                found.accept(discrepancy.read(rows));
            }
        }
    }

    /** How often something was corrected. */
    private static long number(Session session) throws SQLException {
        String value = session.first(NUMBER, row -> row.getString(1));
        return value == null ? 0 : Long.parseLong(value);
    }

    static boolean correct(Batch batch, long audit, List<Discrepancy.Correctable> wrong, Instant now)
            throws SQLException {
        if (number(batch.session()) != audit) {
            return false;
        }
        batch.session().update(COUNT_CORRECTION, Long.toString(audit + 1));
        for (Discrepancy.Correctable one : wrong) {
            correct(batch, one, batch.releaseTime(now.toEpochMilli()));
        }
        return true;
    }

    private static void correct(Batch batch, Discrepancy.Correctable wrong, long nowMillis) throws SQLException {
        Session session = batch.session();
        switch (wrong) {
            case Discrepancy.BucketCounter(BucketName bucket, BucketUsage recorded, BucketUsage counted) -> {
                Long id = batch.bucketId(bucket);
                if (id != null) {
                    batch.addToBucket(id, counted.objects() - recorded.objects(), counted.bytes() - recorded.bytes());
                }
            }
            case Discrepancy.AccountCounter(String account, AccountUsage recorded, AccountUsage counted) -> {
                batch.addLive(account, counted.blobs() - recorded.blobs(), counted.liveBytes() - recorded.liveBytes());
                batch.addGarbage(
                        account,
                        counted.garbageBlobs() - recorded.garbageBlobs(),
                        counted.garbageBytes() - recorded.garbageBytes());
            }
            case Discrepancy.BlobReferences references -> correct(batch, references, nowMillis);
            case Discrepancy.ManifestReferences(String manifest, long recorded, long counted) -> {
                long id = Long.parseLong(manifest);
                Long refs = session.first(COUNT_MANIFEST, row -> row.getLong(1), counted - recorded, id);
                if (refs != null && refs == 0) {
                    orphan(session, Manifests.KIND_MANIFEST, id, nowMillis);
                } else if (refs != null) {
                    session.update(KEEP, Manifests.KIND_MANIFEST, id);
                }
            }
            case Discrepancy.ForgottenManifest(String manifest) ->
                orphan(session, Manifests.KIND_MANIFEST, Long.parseLong(manifest), nowMillis);
            case Discrepancy.ForgottenParts(String upload) ->
                orphan(session, Manifests.KIND_UPLOAD, Long.parseLong(upload), nowMillis);
        }
    }

    private record Counted(long refs, String account, long size) {}

    private static void correct(Batch batch, Discrepancy.BlobReferences wrong, long nowMillis) throws SQLException {
        long missing = wrong.counted() - wrong.recorded();
        Counted counted = batch.session()
                .first(
                        COUNT_BLOB,
                        row -> new Counted(row.getLong(1), row.getString(2), row.getLong(3)),
                        missing,
                        nowMillis,
                        Codec.blobId(wrong.blob()));
        if (counted == null) {
            return;
        }
        int alive = (counted.refs > 0 ? 1 : 0) - (counted.refs - missing > 0 ? 1 : 0);
        batch.addLive(counted.account, alive, alive * counted.size);
        batch.addGarbage(counted.account, -alive, -alive * counted.size);
    }

    private static void orphan(Session session, int kind, long id, long nowMillis) throws SQLException {
        if (session.first(ORPHANED, row -> true, kind, id) == null) {
            session.update(ORPHAN, nowMillis, kind, id);
        }
    }
}
