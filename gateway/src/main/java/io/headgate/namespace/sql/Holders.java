package io.headgate.namespace.sql;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Holder;
import io.headgate.namespace.codec.Codec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Finds, by reading everything, who needs the bytes of blobs. */
final class Holders {
    private static final String WANTED = "IN (SELECT unhex(value) FROM json_each(?))";
    private static final String OBJECTS = """
            SELECT n.name, o.key, o.write_id, 0, o.blob, b.account, o.slice_offset, o.slice_length
            FROM objects o JOIN buckets n ON n.id = o.bucket LEFT JOIN blobs b ON b.id = o.blob
            WHERE o.blob\s""" + WANTED;
    private static final String MANIFESTS = """
            WITH s AS MATERIALIZED (SELECT * FROM manifest_slices WHERE blob\s""" + WANTED + """
            ) SELECT n.name, o.key, o.write_id, s.object_offset, s.blob, b.account, s.slice_offset, s.slice_length
            FROM objects o JOIN s ON s.manifest = o.manifest JOIN buckets n ON n.id = o.bucket
              LEFT JOIN blobs b ON b.id = s.blob""";
    private static final String PARTS = """
            SELECT n.name, u.key, u.id, s.number, s.blob, b.account, s.slice_offset, s.slice_length
            FROM part_slices s JOIN uploads u ON u.seq = s.upload JOIN buckets n ON n.id = u.bucket
              LEFT JOIN blobs b ON b.id = s.blob
            WHERE s.blob\s""" + WANTED;

    private Holders() {}

    /** To be called with a session of its own, in a transaction. */
    static void find(Session session, Collection<BlobId> blobs, Consumer<Holder> found) throws SQLException {
        String wanted = blobs.stream()
                .map(blob -> '"' + HexFormat.of().formatHex(Codec.blobId(blob)) + '"')
                .collect(Collectors.joining(",", "[", "]"));
        for (String sql : new String[] {OBJECTS, MANIFESTS}) {
            try (ResultSet rows = session.open(sql, wanted)) {
                while (rows.next()) {
                    found.accept(new Holder.OfVersion(
                            new BucketName(rows.getString(1)),
                            ObjectKey.of(rows.getBytes(2)),
                            Codec.writeId(rows.getBytes(3)),
                            rows.getLong(4),
                            slice(rows)));
                }
            }
        }
        try (ResultSet rows = session.open(PARTS, wanted)) {
            while (rows.next()) {
                found.accept(new Holder.OfPart(
                        new BucketName(rows.getString(1)),
                        ObjectKey.of(rows.getBytes(2)),
                        rows.getString(3),
                        rows.getInt(4),
                        slice(rows)));
            }
        }
    }

    private static Slice slice(ResultSet row) throws SQLException {
        String account = row.getString(6);
        return new Slice(Codec.blobId(row.getBytes(5)), account == null ? "" : account, row.getLong(7), row.getLong(8));
    }
}
