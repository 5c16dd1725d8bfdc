package io.headgate.namespace.postgres;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PartsPage;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.Upload;
import io.headgate.namespace.Upload.UploadChecksum;
import io.headgate.namespace.codec.Codec;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of multipart uploads: in progress, with their parts, and completed. Whoever changes an upload holds its row. */
final class Uploads {
    private static final String INSERT = """
            INSERT INTO uploads (id, bucket, key, started_at, owner, storage_class, checksum_kind, details)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING""";
    private static final String COLUMNS =
            "u.seq, u.id, u.started_at, u.owner, u.storage_class, u.checksum_kind, u.details";
    private static final String FIND = "SELECT " + COLUMNS + """

            FROM buckets b LEFT JOIN uploads u ON u.id = ? AND u.bucket = b.id AND u.key = ? WHERE b.name = ?""";
    private static final String LOCK = "SELECT " + COLUMNS + """

            FROM uploads u WHERE u.id = ? AND u.key = ? AND u.bucket = (SELECT id FROM buckets WHERE name = ?)
            FOR UPDATE""";
    private static final String PAGE = "SELECT " + COLUMNS + """
            , p.number, p.size, p.etag, p.checksum, p.modified_at
            FROM buckets b LEFT JOIN uploads u ON u.id = ? AND u.bucket = b.id AND u.key = ?
            LEFT JOIN LATERAL (
              SELECT * FROM parts p WHERE p.upload = u.seq AND p.number > ? ORDER BY p.number LIMIT ?) p ON true
            WHERE b.name = ? ORDER BY p.number""";
    private static final String DELETE = "DELETE FROM uploads WHERE seq = ?";
    private static final String ORPHAN_ALL = """
            WITH gone AS (DELETE FROM uploads WHERE bucket = ? RETURNING seq)
            INSERT INTO orphans (orphaned_at, kind, id) SELECT ?, ?, seq FROM gone""";
    private static final String UPSERT_PART = """
            INSERT INTO parts (upload, number, size, etag, checksum, modified_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (upload, number) DO UPDATE SET
              size = excluded.size, etag = excluded.etag, checksum = excluded.checksum,
              modified_at = excluded.modified_at""";
    private static final String PARTS = """
            SELECT p.number, p.size, p.etag, p.checksum, p.modified_at
            FROM parts p WHERE p.upload = (SELECT seq FROM uploads WHERE id = ?)""";
    private static final String DELETE_PART = "DELETE FROM parts WHERE upload = ? AND number = ANY (?::int[])";
    private static final String DELETE_PARTS = "DELETE FROM parts WHERE upload = ?";
    private static final String INSERT_SLICES = """
            INSERT INTO part_slices (upload, number, part_offset, blob, slice_offset, slice_length)
            SELECT ?, ?, * FROM unnest(?::bigint[], ?::bytea[], ?::bigint[], ?::bigint[])""";
    private static final String BLOBS_OF_PART = """
            SELECT blob FROM part_slices
            WHERE upload = (SELECT seq FROM uploads WHERE id = ?) AND number = ANY (?::int[])""";
    private static final String COUNT_SLICES = "SELECT count(*) FROM part_slices WHERE upload = ?";
    private static final String DELETE_SLICES_OF_PART =
            "DELETE FROM part_slices WHERE upload = ? AND number = ANY (?::int[])";
    private static final String DELETE_SLICES = "DELETE FROM part_slices WHERE upload = ?";
    private static final String INSERT_COMPLETED =
            "INSERT INTO completed_uploads (id, bucket, key, completed_at, version) VALUES (?, ?, ?, ?, ?)";
    private static final String COMPLETED =
            "SELECT version FROM completed_uploads WHERE id = ? AND bucket = ? AND key = ?";
    private static final String FORGET_COMPLETED = """
            DELETE FROM completed_uploads WHERE id IN (
              SELECT id FROM completed_uploads WHERE completed_at < ? ORDER BY completed_at LIMIT ?
              FOR UPDATE SKIP LOCKED)""";

    private Uploads() {}

    /** An upload in progress and its number, by which its parts refer to it. */
    record Row(long seq, Upload upload) {}

    static byte[] id(String id) {
        return id.getBytes(StandardCharsets.UTF_8);
    }

    static Outcome<Upload> create(Tx tx, Upload upload) throws SQLException {
        Session session = tx.session();
        Long bucket = Buckets.hold(session, upload.bucket());
        if (bucket == null) {
            return Buckets.noSuchBucket(upload.bucket());
        }
        session.update(
                INSERT,
                id(upload.id()),
                bucket,
                upload.key().bytes(),
                upload.startedAt().toEpochMilli(),
                upload.owner(),
                Codec.storageClass(upload.attributes().storageClass()),
                Codec.checksumKind(upload.checksum()),
                Codec.details(upload.attributes(), List.of()));
        return find(session, upload.bucket(), upload.key(), upload.id());
    }

    static Outcome<Upload> find(Session session, BucketName bucket, ObjectKey key, String id) throws SQLException {
        Outcome<Upload> found = session.first(
                FIND,
                row -> row.getObject(1) == null ? noSuchUpload(id) : new Outcome.Done<>(read(row, bucket, key).upload),
                id(id),
                key.bytes(),
                bucket.value());
        return found == null ? Buckets.noSuchBucket(bucket) : found;
    }

    static <T> Outcome<T> noSuchUpload(String id) {
        return new Outcome.Refused<>(Refusal.NO_SUCH_UPLOAD, id);
    }

    /** The upload, which nobody else changes until the end of the transaction; what follows in the pipeline sees it so. */
    static void lock(Pipeline pipeline, BucketName bucket, ObjectKey key, String id, List<Row> found) {
        pipeline.query(LOCK, row -> found.add(read(row, bucket, key)), id(id), key.bytes(), bucket.value());
    }

    /** The upload, which nobody else changes until the end of the transaction, or why there is none. */
    static Outcome<Row> lock(Session session, BucketName bucket, ObjectKey key, String id) throws SQLException {
        List<Row> found = new ArrayList<>();
        Pipeline pipeline = session.pipeline();
        lock(pipeline, bucket, key, id, found);
        pipeline.run();
        return found.isEmpty() ? missing(session, bucket, id) : new Outcome.Done<>(found.getFirst());
    }

    static <T> Outcome<T> missing(Session session, BucketName bucket, String id) throws SQLException {
        return Buckets.id(session, bucket) == null ? Buckets.noSuchBucket(bucket) : noSuchUpload(id);
    }

    /** Reads {@link #COLUMNS}. */
    static Row read(ResultSet row, BucketName bucket, ObjectKey key) throws SQLException {
        long kind = row.getLong(6);
        Codec.Details details = Codec.details(row.getBytes(7), Codec.storageClassOf(row.getString(5)));
        Upload upload = new Upload(
                new String(row.getBytes(2), StandardCharsets.UTF_8),
                bucket,
                key,
                details.attributes(),
                kind == 0 ? Optional.empty() : Optional.of(new UploadChecksum(Codec.algorithm(kind), Codec.type(kind))),
                row.getString(4),
                Codec.millis(row.getLong(3)));
        return new Row(row.getLong(1), upload);
    }

    /** Takes the upload out of sight; its parts wait to be broken up. */
    static void abort(Tx tx, long seq, long nowMillis) throws SQLException {
        Pipeline pipeline = tx.session().pipeline().update(DELETE, seq);
        Manifests.orphanUpload(pipeline, seq, tx.releaseTime(nowMillis));
        pipeline.run();
    }

    /** Aborts all uploads of a bucket. */
    static void orphanAll(Tx tx, long bucket, long nowMillis) throws SQLException {
        tx.session().update(ORPHAN_ALL, bucket, tx.releaseTime(nowMillis), Manifests.KIND_UPLOAD);
    }

    /** Removes an upload with its parts; what they refer to is counted elsewhere. */
    static void delete(Pipeline pipeline, long seq) {
        deleteParts(pipeline, seq);
        pipeline.update(DELETE, seq);
    }

    static void deleteParts(Pipeline pipeline, long seq) {
        pipeline.update(DELETE_PARTS, seq).update(DELETE_SLICES, seq);
    }

    /** Sets a part in place of an earlier one. What either refers to is counted elsewhere. */
    static void putPart(Pipeline pipeline, long seq, Part part, List<Slice> slices) {
        Column offsets = Column.bigint();
        Column blobs = Column.bytes();
        Column sliceOffsets = Column.bigint();
        Column lengths = Column.bigint();
        long offset = 0;
        for (Slice slice : slices) {
            offsets.add(offset);
            blobs.add(Codec.blobId(slice.blob()));
            sliceOffsets.add(slice.offsetBytes());
            lengths.add(slice.lengthBytes());
            offset += slice.lengthBytes();
        }
        pipeline.update(DELETE_SLICES_OF_PART, seq, Column.integer().add(part.number()));
        pipeline.update(
                UPSERT_PART,
                seq,
                part.number(),
                part.sizeBytes(),
                part.etag().value(),
                Codec.checksum(part.checksum()),
                part.lastModified().toEpochMilli());
        if (!slices.isEmpty()) {
            pipeline.update(INSERT_SLICES, seq, part.number(), offsets, blobs, sliceOffsets, lengths);
        }
    }

    /** Removes parts. What they refer to is counted elsewhere. */
    static void deleteParts(Pipeline pipeline, long seq, Column numbers) {
        pipeline.update(DELETE_SLICES_OF_PART, seq, numbers).update(DELETE_PART, seq, numbers);
    }

    /** Reads what parts refer to, a blob as often as they do. */
    static void blobs(Pipeline pipeline, String id, Column numbers, List<BlobId> blobs) {
        pipeline.query(BLOBS_OF_PART, row -> blobs.add(Codec.blobId(row.getBytes(1))), id(id), numbers);
    }

    /** Reads all parts of an upload. */
    static void parts(Pipeline pipeline, String id, List<Part> parts) {
        pipeline.query(PARTS, row -> parts.add(readPart(row, 1)), id(id));
    }

    private static Part readPart(ResultSet row, int first) throws SQLException {
        return new Part(
                row.getInt(first),
                row.getLong(first + 1),
                new ETag(row.getString(first + 2)),
                Codec.checksum(row.getBytes(first + 3)),
                Codec.millis(row.getLong(first + 4)));
    }

    static Outcome<PartsPage> page(
            Session session, BucketName bucket, ObjectKey key, String id, int afterNumber, int limit)
            throws SQLException {
        List<@Nullable Upload> uploads = new ArrayList<>();
        List<Part> parts = new ArrayList<>();
        session.pipeline()
                .query(
                        PAGE,
                        row -> {
                            if (uploads.isEmpty()) {
                                uploads.add(row.getObject(1) == null ? null : read(row, bucket, key).upload);
                            }
                            if (row.getObject(8) != null) {
                                parts.add(readPart(row, 8));
                            }
                        },
                        id(id),
                        key.bytes(),
                        afterNumber,
                        limit + 1,
                        bucket.value())
                .run();
        if (uploads.isEmpty()) {
            return Buckets.noSuchBucket(bucket);
        }
        Upload upload = uploads.getFirst();
        if (upload == null) {
            return noSuchUpload(id);
        }
        boolean truncated = parts.size() > limit;
        if (truncated) {
            parts.removeLast();
        }
        return new Outcome.Done<>(new PartsPage(upload, parts, truncated && limit > 0));
    }

    static long slices(Session session, long seq) throws SQLException {
        Long count = session.first(COUNT_SLICES, row -> row.getLong(1), seq);
        return count == null ? 0 : count;
    }

    static void rememberCompleted(Pipeline pipeline, Upload upload, ObjectVersion version) {
        pipeline.update(
                INSERT_COMPLETED,
                id(upload.id()),
                upload.bucket().value(),
                upload.key().bytes(),
                version.lastModified().toEpochMilli(),
                Codec.snapshot(version));
    }

    /** Reads what the upload was completed to, if it was and that is remembered. */
    static void completed(
            Pipeline pipeline, BucketName bucket, ObjectKey key, String id, List<ObjectVersion> completed) {
        pipeline.query(
                COMPLETED,
                row -> completed.add(Codec.snapshot(row.getBytes(1), key)),
                id(id),
                bucket.value(),
                key.bytes());
    }

    static int forgetCompleted(Session session, Instant before, int limit) throws SQLException {
        return session.update(FORGET_COMPLETED, before.toEpochMilli(), limit);
    }
}
