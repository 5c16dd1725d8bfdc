package io.headgate.namespace.postgres;

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
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of current versions. */
final class Versions {
    private static final String COLUMNS = """
            o.write_id, o.modified_at, o.size, o.etag, o.storage_class, o.blob, l.account, o.slice_offset, o.slice_length,
            o.manifest, o.manifest_parts, o.details""";
    private static final String FIND_BY_NAME = "SELECT " + COLUMNS + """

            FROM buckets b
            LEFT JOIN objects o ON o.bucket = b.id AND o.key = ?
            LEFT JOIN blobs l ON l.id = o.blob
            WHERE b.name = ?""";

    /** Whole versions of many keys, whose rows the transaction has locked. */
    static final String FIND_ALL = """
            SELECT v.*, k.bucket, k.key FROM unnest(?::bigint[], ?::bytea[]) AS k (bucket, key)
            CROSS JOIN LATERAL (
              SELECT""" + " " + COLUMNS + """

              FROM objects o LEFT JOIN blobs l ON l.id = o.blob WHERE o.bucket = k.bucket AND o.key = k.key LIMIT 1) v""";

    /**
     * What a write needs to know of the current versions of many keys, in the order in which they are given: everyone locks in one
     * order. None changes until the end of the transaction.
     */
    static final String LOCK = """
            SELECT k.name, k.key, o.* FROM unnest(?::text[], ?::bytea[]) AS k (name, key)
            CROSS JOIN LATERAL (
              SELECT write_id, modified_at, size, etag, origin, attempt_hash, attempt_number, blob, manifest
              FROM objects WHERE bucket = (SELECT id FROM buckets WHERE name = k.name) AND key = k.key
              LIMIT 1 FOR UPDATE) o""";

    private static final String VALUES = """
            unnest(?::bigint[], ?::bytea[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::int[], ?::bytea[], ?::int[],
              ?::bigint[], ?::int[], ?::bytea[], ?::bigint[], ?::bigint[], ?::bigint[], ?::int[], ?::bytea[])""";

    /** Fails if one of the keys has got a version in between. */
    private static final String INSERT = """
            WITH made AS (
              INSERT INTO objects (bucket, key, modified_at, size, etag, storage_class, checksum_kind, write_id, origin,
                attempt_hash, attempt_number, blob, slice_offset, slice_length, manifest, manifest_parts, details)
              SELECT * FROM""" + " " + VALUES + """
             ORDER BY 1, 2
              ON CONFLICT (bucket, key) DO NOTHING RETURNING 1)
            SELECT expect_rows((SELECT count(*) FROM made), ?)""";

    /** The keys have versions, so there is a conflict each time; unlike a join, it is resolved by the index whatever the planner thinks. */
    private static final String UPDATE = """
            INSERT INTO objects (bucket, key, modified_at, size, etag, storage_class, checksum_kind, write_id, origin,
              attempt_hash, attempt_number, blob, slice_offset, slice_length, manifest, manifest_parts, details)
            SELECT * FROM""" + " " + VALUES + """

            ON CONFLICT (bucket, key) DO UPDATE SET
              modified_at = excluded.modified_at, size = excluded.size, etag = excluded.etag,
              storage_class = excluded.storage_class, checksum_kind = excluded.checksum_kind,
              write_id = excluded.write_id, origin = excluded.origin, attempt_hash = excluded.attempt_hash,
              attempt_number = excluded.attempt_number, blob = excluded.blob, slice_offset = excluded.slice_offset,
              slice_length = excluded.slice_length, manifest = excluded.manifest,
              manifest_parts = excluded.manifest_parts, details = excluded.details""";

    private static final String DELETE = "DELETE FROM objects WHERE bucket = ? AND key = ANY (?::bytea[])";

    private Versions() {}

    /**
     * The current version as a write sees it.
     *
     * @param blob of an inline version with bytes
     * @param manifest of a stored one, else 0
     * @param whole if this transaction has made it
     */
    record Head(
            String writeId,
            long modifiedAt,
            long sizeBytes,
            ETag etag,
            Origin origin,
            long attemptHash,
            int attemptNumber,
            @Nullable BlobId blob,
            long manifest,
            @Nullable ObjectVersion whole) {

        static Head of(ObjectVersion version, Origin origin, Optional<Attempt> attempt) {
            BlobId blob = null;
            long manifest = 0;
            switch (version.manifest()) {
                case Manifest.Inline(Optional<Slice> slice) ->
                    blob = slice.map(Slice::blob).orElse(null);
                case Manifest.Stored stored -> manifest = Manifests.number(stored);
            }
            return new Head(
                    version.writeId(),
                    version.lastModified().toEpochMilli(),
                    version.sizeBytes(),
                    version.etag(),
                    origin,
                    attempt.map(Codec::hash).orElse(0L),
                    attempt.map(Attempt::number).orElse(0),
                    blob,
                    manifest,
                    version);
        }

        /** Whether a later try of the same call made it. */
        boolean supersedes(Attempt attempt) {
            return attemptNumber > attempt.number() && attemptHash == Codec.hash(attempt);
        }
    }

    /** Reads the columns of {@link #LOCK}. */
    static Head readHead(ResultSet row) throws SQLException {
        byte[] blob = row.getBytes(10);
        return new Head(
                Codec.writeId(row.getBytes(3)),
                row.getLong(4),
                row.getLong(5),
                new ETag(row.getString(6)),
                Origin.of(row.getInt(7)),
                row.getLong(8),
                row.getInt(9),
                blob == null ? null : Codec.blobId(blob),
                row.getLong(11),
                null);
    }

    static Outcome<ObjectVersion> current(Session session, BucketName bucket, ObjectKey key) throws SQLException {
        Outcome<ObjectVersion> found = session.first(
                FIND_BY_NAME,
                row -> row.getBytes(1) == null ? noSuchKey(key) : new Outcome.Done<>(read(row, key)),
                key.bytes(),
                bucket.value());
        return found == null ? Buckets.noSuchBucket(bucket) : found;
    }

    static <T> Outcome<T> noSuchKey(ObjectKey key) {
        return new Outcome.Refused<>(Refusal.NO_SUCH_KEY, key.value());
    }

    /** Reads {@link #COLUMNS}. */
    static ObjectVersion read(ResultSet row, ObjectKey key) throws SQLException {
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

    static void delete(Pipeline pipeline, long bucket, Column keys) {
        pipeline.update(DELETE, bucket, keys);
    }

    /** Versions to be written, as columns. */
    static final class Rows {
        private final Column[] columns = {
            Column.bigint(), Column.bytes(), Column.bigint(), Column.bigint(), Column.text(), Column.text(),
            Column.integer(), Column.bytes(), Column.integer(), Column.bigint(), Column.integer(), Column.bytes(),
            Column.bigint(), Column.bigint(), Column.bigint(), Column.integer(), Column.bytes()
        };

        void add(long bucket, Head head, ObjectVersion version) {
            Slice slice =
                    version.manifest() instanceof Manifest.Inline(Optional<Slice> inline) ? inline.orElse(null) : null;
            Manifest.Stored stored = version.manifest() instanceof Manifest.Stored many ? many : null;
            Object[] row = {
                bucket,
                version.key().bytes(),
                version.lastModified().toEpochMilli(),
                version.sizeBytes(),
                version.etag().value(),
                Codec.storageClass(version.attributes().storageClass()),
                Codec.checksumKind(version.checksums()),
                Codec.writeId(version.writeId()),
                head.origin().code(),
                head.attemptNumber() == 0 ? null : head.attemptHash(),
                head.attemptNumber() == 0 ? null : head.attemptNumber(),
                slice == null ? null : Codec.blobId(slice.blob()),
                slice == null ? null : slice.offsetBytes(),
                slice == null ? null : slice.lengthBytes(),
                stored == null ? null : Manifests.number(stored),
                stored == null ? null : stored.parts(),
                Codec.details(version.attributes(), version.checksums())
            };
            for (int i = 0; i < columns.length; i++) {
                columns[i].add(row[i]);
            }
        }

        void insert(Pipeline pipeline) {
            if (!columns[0].isEmpty()) {
                Object[] bound = new Object[columns.length + 1];
                System.arraycopy(columns, 0, bound, 0, columns.length);
                bound[columns.length] = (long) columns[0].size();
                pipeline.query(INSERT, row -> {}, bound);
            }
        }

        void update(Pipeline pipeline) {
            if (!columns[0].isEmpty()) {
                pipeline.update(UPDATE, (Object[]) columns);
            }
        }
    }
}
