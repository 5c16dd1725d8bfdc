package io.headgate.namespace.sql;

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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of multipart uploads: in progress, with their parts, and completed. */
final class Uploads {
    private static final String INSERT = """
            INSERT INTO uploads (id, bucket, key, started_at, owner, storage_class, checksum_kind, details)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING""";
    private static final String FIND = """
            SELECT seq, id, started_at, owner, storage_class, checksum_kind, details FROM uploads
            WHERE id = ? AND bucket = ? AND key = ?""";
    private static final String DELETE = "DELETE FROM uploads WHERE seq = ?";
    private static final String ORPHAN_ALL =
            "INSERT INTO orphans (orphaned_at, kind, id) SELECT ?, ?, seq FROM uploads WHERE bucket = ?";
    private static final String DELETE_ALL = "DELETE FROM uploads WHERE bucket = ?";
    private static final String UPSERT_PART = """
            INSERT INTO parts (upload, number, size, etag, checksum, modified_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (upload, number) DO UPDATE SET
              size = excluded.size, etag = excluded.etag, checksum = excluded.checksum,
              modified_at = excluded.modified_at""";
    private static final String PARTS = """
            SELECT number, size, etag, checksum, modified_at FROM parts
            WHERE upload = ? AND number > ? ORDER BY number LIMIT ?""";
    private static final String DELETE_PART = "DELETE FROM parts WHERE upload = ? AND number = ?";
    private static final String DELETE_PARTS = "DELETE FROM parts WHERE upload = ?";
    private static final String INSERT_SLICE = """
            INSERT INTO part_slices (upload, number, part_offset, blob, slice_offset, slice_length)
            VALUES (?, ?, ?, ?, ?, ?)""";
    private static final String SLICES_OF_PART = "SELECT blob FROM part_slices WHERE upload = ? AND number = ?";
    private static final String COUNT_SLICES = "SELECT COUNT(*) FROM part_slices WHERE upload = ?";
    private static final String DELETE_SLICES_OF_PART = "DELETE FROM part_slices WHERE upload = ? AND number = ?";
    private static final String DELETE_SLICES = "DELETE FROM part_slices WHERE upload = ?";
    private static final String INSERT_COMPLETED =
            "INSERT INTO completed_uploads (id, bucket, key, completed_at, version) VALUES (?, ?, ?, ?, ?)";
    private static final String COMPLETED =
            "SELECT version FROM completed_uploads WHERE id = ? AND bucket = ? AND key = ?";
    private static final String FORGET_COMPLETED = """
            DELETE FROM completed_uploads WHERE id IN
              (SELECT id FROM completed_uploads WHERE completed_at < ? ORDER BY completed_at LIMIT ?)""";

    private Uploads() {}

    /** An upload in progress and its number, by which its parts refer to it. */
    record Row(long seq, Upload upload) {}

    static Outcome<Upload> create(Batch batch, Upload upload) throws SQLException {
        Long bucket = batch.bucketId(upload.bucket());
        if (bucket == null) {
            return Buckets.noSuchBucket(upload.bucket());
        }
        batch.session()
                .update(
                        INSERT,
                        upload.id(),
                        bucket,
                        upload.key().bytes(),
                        upload.startedAt().toEpochMilli(),
                        upload.owner(),
                        Codec.storageClass(upload.attributes().storageClass()),
                        Codec.checksumKind(upload.checksum()),
                        Codec.details(upload.attributes(), List.of()));
        return find(batch.session(), upload.bucket(), bucket, upload.key(), upload.id());
    }

    static Outcome<Upload> find(Session session, BucketName name, @Nullable Long bucket, ObjectKey key, String id)
            throws SQLException {
        if (bucket == null) {
            return Buckets.noSuchBucket(name);
        }
        Row row = row(session, name, bucket, key, id);
        return row == null ? noSuchUpload(id) : new Outcome.Done<>(row.upload);
    }

    static <T> Outcome<T> noSuchUpload(String id) {
        return new Outcome.Refused<>(Refusal.NO_SUCH_UPLOAD, id);
    }

    static @Nullable Row row(Session session, BucketName name, long bucket, ObjectKey key, String id)
            throws SQLException {
        return session.first(FIND, row -> read(row, name, key), id, bucket, key.bytes());
    }

    /** Reads the columns of {@link #FIND}. */
    static Row read(ResultSet row, BucketName bucket, ObjectKey key) throws SQLException {
        long kind = row.getLong(6);
        Codec.Details details = Codec.details(row.getBytes(7), Codec.storageClassOf(row.getString(5)));
        Upload upload = new Upload(
                row.getString(2),
                bucket,
                key,
                details.attributes(),
                kind == 0 ? Optional.empty() : Optional.of(new UploadChecksum(Codec.algorithm(kind), Codec.type(kind))),
                row.getString(4),
                Codec.millis(row.getLong(3)));
        return new Row(row.getLong(1), upload);
    }

    /** Takes the upload out of sight; its parts wait to be broken up. */
    static void abort(Batch batch, long seq, long nowMillis) throws SQLException {
        batch.session().update(DELETE, seq);
        Manifests.orphanUpload(batch.session(), seq, batch.releaseTime(nowMillis));
    }

    /** Aborts all uploads of a bucket. */
    static void orphanAll(Batch batch, long bucket, long nowMillis) throws SQLException {
        Session session = batch.session();
        session.update(ORPHAN_ALL, batch.releaseTime(nowMillis), Manifests.KIND_UPLOAD, bucket);
        session.update(DELETE_ALL, bucket);
    }

    static void delete(Session session, long seq) throws SQLException {
        session.update(DELETE, seq);
    }

    static void deleteParts(Session session, long seq) throws SQLException {
        session.update(DELETE_PARTS, seq);
        session.update(DELETE_SLICES, seq);
    }

    /** Sets a part in place of an earlier one, which gives up its slices. The new ones are counted already. */
    static void putPart(Batch batch, long seq, Part part, List<Slice> slices) throws SQLException {
        Session session = batch.session();
        releaseSlices(batch, seq, part.number(), part.lastModified().toEpochMilli());
        session.update(
                UPSERT_PART,
                seq,
                part.number(),
                part.sizeBytes(),
                part.etag().value(),
                Codec.checksum(part.checksum()),
                part.lastModified().toEpochMilli());
        long offset = 0;
        for (Slice slice : slices) {
            session.update(
                    INSERT_SLICE,
                    seq,
                    part.number(),
                    offset,
                    Codec.blobId(slice.blob()),
                    slice.offsetBytes(),
                    slice.lengthBytes());
            offset += slice.lengthBytes();
        }
    }

    static void deletePart(Batch batch, long seq, int number, long nowMillis) throws SQLException {
        releaseSlices(batch, seq, number, nowMillis);
        batch.session().update(DELETE_PART, seq, number);
    }

    private static void releaseSlices(Batch batch, long seq, int number, long nowMillis) throws SQLException {
        List<byte[]> blobs = batch.session().all(SLICES_OF_PART, row -> row.getBytes(1), seq, number);
        for (byte[] blob : blobs) {
            Blobs.release(batch, blob, batch.releaseTime(nowMillis));
        }
        if (!blobs.isEmpty()) {
            batch.session().update(DELETE_SLICES_OF_PART, seq, number);
        }
    }

    static List<Part> parts(Session session, long seq, int afterNumber, int limit) throws SQLException {
        return session.all(PARTS, Uploads::readPart, seq, afterNumber, limit);
    }

    private static Part readPart(ResultSet row) throws SQLException {
        return new Part(
                row.getInt(1),
                row.getLong(2),
                new ETag(row.getString(3)),
                Codec.checksum(row.getBytes(4)),
                Codec.millis(row.getLong(5)));
    }

    static Outcome<PartsPage> page(
            Session session, BucketName name, ObjectKey key, String id, int afterNumber, int limit)
            throws SQLException {
        Optional<Long> bucket = Buckets.id(session, name);
        if (bucket.isEmpty()) {
            return Buckets.noSuchBucket(name);
        }
        Row row = row(session, name, bucket.get(), key, id);
        if (row == null) {
            return noSuchUpload(id);
        }
        List<Part> parts = new ArrayList<>(parts(session, row.seq, afterNumber, limit + 1));
        boolean truncated = parts.size() > limit;
        if (truncated) {
            parts.removeLast();
        }
        return new Outcome.Done<>(new PartsPage(row.upload, parts, truncated && limit > 0));
    }

    static long slices(Session session, long seq) throws SQLException {
        Long count = session.first(COUNT_SLICES, row -> row.getLong(1), seq);
        return count == null ? 0 : count;
    }

    static void rememberCompleted(Session session, Upload upload, ObjectVersion version) throws SQLException {
        session.update(
                INSERT_COMPLETED,
                upload.id(),
                upload.bucket().value(),
                upload.key().bytes(),
                version.lastModified().toEpochMilli(),
                Codec.snapshot(version));
    }

    /** What the upload was completed to, if it was and that is remembered. */
    static @Nullable ObjectVersion completed(Session session, BucketName bucket, ObjectKey key, String id)
            throws SQLException {
        return session.first(COMPLETED, row -> Codec.snapshot(row.getBytes(1), key), id, bucket.value(), key.bytes());
    }

    static int forgetCompleted(Session session, Instant before, int limit) throws SQLException {
        return session.update(FORGET_COMPLETED, before.toEpochMilli(), limit);
    }
}
