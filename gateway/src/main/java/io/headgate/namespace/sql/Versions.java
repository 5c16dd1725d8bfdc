package io.headgate.namespace.sql;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Attempt;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.Origin;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of current versions, and of those that were replaced a moment ago. */
final class Versions {
    /** For how long a write that left no blob of its own behind is remembered after it was replaced: longer than any retry. */
    static final Duration REPLACED_WRITES_KEPT = Duration.ofMinutes(15);

    private static final String COLUMNS = """
            o.write_id, o.modified_at, o.size, o.etag, o.storage_class, o.blob, l.account, o.slice_offset, o.slice_length,
            o.manifest, o.manifest_parts, o.details""";
    private static final String FIND_BY_NAME = "SELECT " + COLUMNS + """
             FROM buckets b
            LEFT JOIN objects o ON o.bucket = b.id AND o.key = ?
            LEFT JOIN blobs l ON l.id = o.blob
            WHERE b.name = ?""";
    private static final String FIND = "SELECT " + COLUMNS + """
             FROM objects o LEFT JOIN blobs l ON l.id = o.blob
            WHERE o.bucket = ? AND o.key = ?""";
    private static final String HEAD = """
            SELECT write_id, modified_at, size, etag, origin, attempt_hash, attempt_number, blob, manifest
            FROM objects WHERE bucket = ? AND key = ?""";
    private static final String UPSERT = """
            INSERT INTO objects (bucket, key, modified_at, size, etag, storage_class, checksum_kind, write_id, origin,
              attempt_hash, attempt_number, blob, slice_offset, slice_length, manifest, manifest_parts, details)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (bucket, key) DO UPDATE SET
              modified_at = excluded.modified_at, size = excluded.size, etag = excluded.etag,
              storage_class = excluded.storage_class, checksum_kind = excluded.checksum_kind,
              write_id = excluded.write_id, origin = excluded.origin, attempt_hash = excluded.attempt_hash,
              attempt_number = excluded.attempt_number, blob = excluded.blob, slice_offset = excluded.slice_offset,
              slice_length = excluded.slice_length, manifest = excluded.manifest,
              manifest_parts = excluded.manifest_parts, details = excluded.details""";
    private static final String DELETE = "DELETE FROM objects WHERE bucket = ? AND key = ?";
    private static final String REMEMBER = """
            INSERT INTO replaced_writes (write_id, replaced_at, version) VALUES (?, ?, ?)
            ON CONFLICT (write_id) DO NOTHING""";
    private static final String REMEMBERED = "SELECT version FROM replaced_writes WHERE write_id = ?";
    private static final String FORGET = """
            DELETE FROM replaced_writes WHERE write_id IN
              (SELECT write_id FROM replaced_writes WHERE replaced_at < ? ORDER BY replaced_at LIMIT 2)""";

    private Versions() {}

    /** What a write needs to know of the current version. */
    @SuppressWarnings("ArrayRecordComponent")
    record Head(
            byte[] writeId,
            long modifiedAt,
            long sizeBytes,
            ETag etag,
            Origin origin,
            long attemptHash,
            int attemptNumber,
            byte @Nullable [] blob,
            long manifest) {
        boolean isBy(byte[] write) {
            return Arrays.equals(writeId, write);
        }

        /** Whether a later try of the same call made it. */
        boolean supersedes(Attempt attempt) {
            return attemptNumber > attempt.number() && attemptHash == Codec.hash(attempt);
        }
    }

    static @Nullable Head head(Session session, long bucket, byte[] key) throws SQLException {
        return session.first(HEAD, Versions::readHead, bucket, key);
    }

    private static Head readHead(ResultSet row) throws SQLException {
        return new Head(
                row.getBytes(1),
                row.getLong(2),
                row.getLong(3),
                new ETag(row.getString(4)),
                Origin.of(row.getInt(5)),
                row.getLong(6),
                row.getInt(7),
                row.getBytes(8),
                row.getLong(9));
    }

    static Outcome<ObjectVersion> current(Session session, BucketName bucket, ObjectKey key) throws SQLException {
        try (ResultSet rows = session.open(FIND_BY_NAME, key.bytes(), bucket.value())) {
            if (!rows.next()) {
                return Buckets.noSuchBucket(bucket);
            }
            byte[] writeId = rows.getBytes(1);
            return writeId == null ? noSuchKey(key) : new Outcome.Done<>(read(rows, key));
        }
    }

    static <T> Outcome<T> noSuchKey(ObjectKey key) {
        return new Outcome.Refused<>(Refusal.NO_SUCH_KEY, key.value());
    }

    static @Nullable ObjectVersion find(Session session, long bucket, ObjectKey key) throws SQLException {
        return session.first(FIND, row -> read(row, key), bucket, key.bytes());
    }

    private static ObjectVersion read(ResultSet row, ObjectKey key) throws SQLException {
        Codec.Details details = Codec.details(row.getBytes(12), Codec.storageClassOf(row.getString(5)));
        return new ObjectVersion(
                key,
                Codec.writeId(row.getBytes(1)),
                Codec.millis(row.getLong(2)),
                row.getLong(3),
                new ETag(row.getString(4)),
                details.attributes(),
                details.checksums(),
                manifest(row));
    }

    private static Manifest manifest(ResultSet row) throws SQLException {
        byte[] blob = row.getBytes(6);
        if (blob != null) {
            return Manifest.of(new Slice(Codec.blobId(blob), row.getString(7), row.getLong(8), row.getLong(9)));
        }
        long manifest = row.getLong(10);
        return manifest == 0 ? Manifest.EMPTY : new Manifest.Stored(Long.toString(manifest), row.getInt(11));
    }

    /**
     * Makes {@code version} the current one in place of {@code replaced}, whose bytes lose a reference. Those of the new one have
     * theirs already.
     */
    static void replace(
            Batch batch,
            long bucket,
            @Nullable Head replaced,
            ObjectVersion version,
            Origin origin,
            Optional<Attempt> attempt)
            throws SQLException {
        long releasedAt = batch.releaseTime(version.lastModified().toEpochMilli());
        batch.replaces(bucket, version.key());
        remember(batch.session(), bucket, version.key(), replaced, releasedAt);
        Slice slice = null;
        Manifest.Stored stored = null;
        switch (version.manifest()) {
            case Manifest.Inline(Optional<Slice> inline) -> slice = inline.orElse(null);
            case Manifest.Stored many -> stored = many;
        }
        batch.session()
                .update(
                        UPSERT,
                        bucket,
                        version.key().bytes(),
                        version.lastModified().toEpochMilli(),
                        version.sizeBytes(),
                        version.etag().value(),
                        Codec.storageClass(version.attributes().storageClass()),
                        Codec.checksumKind(version.checksums()),
                        Codec.writeId(version.writeId()),
                        origin.code(),
                        attempt.map(Codec::hash).orElse(null),
                        attempt.map(Attempt::number).orElse(null),
                        slice == null ? null : Codec.blobId(slice.blob()),
                        slice == null ? null : slice.offsetBytes(),
                        slice == null ? null : slice.lengthBytes(),
                        stored == null ? null : Manifests.number(stored),
                        stored == null ? null : stored.parts(),
                        Codec.details(version.attributes(), version.checksums()));
        if (replaced == null) {
            batch.addToBucket(bucket, 1, version.sizeBytes());
        } else {
            batch.addToBucket(bucket, 0, version.sizeBytes() - replaced.sizeBytes);
            release(batch, replaced, releasedAt);
        }
    }

    static void delete(Batch batch, long bucket, ObjectKey key, Head deleted, long nowMillis) throws SQLException {
        long releasedAt = batch.releaseTime(nowMillis);
        batch.replaces(bucket, key);
        remember(batch.session(), bucket, key, deleted, releasedAt);
        batch.session().update(DELETE, bucket, key.bytes());
        batch.addToBucket(bucket, -1, -deleted.sizeBytes);
        release(batch, deleted, releasedAt);
    }

    private static void release(Batch batch, Head gone, long nowMillis) throws SQLException {
        if (gone.blob != null) {
            Blobs.release(batch, gone.blob, nowMillis);
        } else if (gone.manifest != 0) {
            Manifests.release(batch.session(), gone.manifest, nowMillis);
        }
    }

    private static void remember(Session session, long bucket, ObjectKey key, @Nullable Head gone, long nowMillis)
            throws SQLException {
        long keptFrom = nowMillis - REPLACED_WRITES_KEPT.toMillis();
        if (gone == null || !gone.origin.isRememberedWhenReplaced() || gone.modifiedAt < keptFrom) {
            return;
        }
        ObjectVersion version = Objects.requireNonNull(find(session, bucket, key));
        session.update(REMEMBER, gone.writeId, nowMillis, Codec.snapshot(version));
        session.update(FORGET, keptFrom);
    }

    /** The version that a write of before made, if it has been replaced since. */
    static @Nullable ObjectVersion remembered(Session session, byte[] writeId, ObjectKey key) throws SQLException {
        return session.first(REMEMBERED, row -> Codec.snapshot(row.getBytes(1), key), (Object) writeId);
    }

    static void retain(Batch batch, Manifest manifest) throws SQLException {
        switch (manifest) {
            case Manifest.Inline(Optional<Slice> slice) -> {
                if (slice.isPresent()) {
                    BlobId blob = slice.get().blob();
                    Blobs.retain(batch, blob);
                }
            }
            case Manifest.Stored stored -> Manifests.retain(batch.session(), Manifests.number(stored));
        }
    }
}
