package io.headgate.namespace.postgres;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Holder;
import io.headgate.namespace.codec.Codec;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.function.Consumer;

/** Finds, by reading everything, who needs the bytes of blobs. */
final class Holders {
    private static final String OBJECTS = """
            SELECT n.name, o.key, o.write_id, 0::bigint, o.blob, b.account, o.slice_offset, o.slice_length
            FROM objects o JOIN buckets n ON n.id = o.bucket LEFT JOIN blobs b ON b.id = o.blob
            WHERE o.blob = ANY (?::bytea[])""";
    private static final String MANIFESTS = """
            WITH s AS MATERIALIZED (SELECT * FROM manifest_slices WHERE blob = ANY (?::bytea[]))
            SELECT n.name, o.key, o.write_id, s.object_offset, s.blob, b.account, s.slice_offset, s.slice_length
            FROM objects o JOIN s ON s.manifest = o.manifest JOIN buckets n ON n.id = o.bucket
              LEFT JOIN blobs b ON b.id = s.blob""";
    private static final String PARTS = """
            SELECT n.name, u.key, u.id, s.number, s.blob, b.account, s.slice_offset, s.slice_length
            FROM part_slices s JOIN uploads u ON u.seq = s.upload JOIN buckets n ON n.id = u.bucket
              LEFT JOIN blobs b ON b.id = s.blob
            WHERE s.blob = ANY (?::bytea[])""";

    private Holders() {}

    /** To be called in a transaction that sees one instant. */
    static void find(Session session, Collection<BlobId> blobs, Consumer<Holder> found) throws SQLException {
        Column wanted = Blobs.ids(blobs);
        session.each(OBJECTS, row -> found.accept(version(row)), wanted);
        session.each(MANIFESTS, row -> found.accept(version(row)), wanted);
        session.each(PARTS, row -> found.accept(part(row)), wanted);
    }

    private static Holder version(ResultSet row) throws SQLException {
        return new Holder.OfVersion(
                new BucketName(row.getString(1)),
                ObjectKey.of(row.getBytes(2)),
                Codec.writeId(row.getBytes(3)),
                row.getLong(4),
                slice(row));
    }

    private static Holder part(ResultSet row) throws SQLException {
        return new Holder.OfPart(
                new BucketName(row.getString(1)),
                ObjectKey.of(row.getBytes(2)),
                new String(row.getBytes(3), StandardCharsets.UTF_8),
                row.getInt(4),
                slice(row));
    }

    private static Slice slice(ResultSet row) throws SQLException {
        String account = row.getString(6);
        return new Slice(Codec.blobId(row.getBytes(5)), account == null ? "" : account, row.getLong(7), row.getLong(8));
    }
}
