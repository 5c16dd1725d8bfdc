package io.headgate.namespace.postgres;

import io.headgate.domain.BlobId;
import io.headgate.domain.Slice;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.ManifestSlice;
import io.headgate.namespace.codec.Codec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Stored manifests, shared and counted; and the orphans among them, which are broken up step by step. */
final class Manifests {
    private static final String INSERT = "INSERT INTO manifests (refs) VALUES (1) RETURNING id";
    private static final String INSERT_PARTS = """
            INSERT INTO manifest_parts (manifest, number, object_offset, size, checksum)
            SELECT ?, number, sum(size) OVER (ORDER BY number ROWS UNBOUNDED PRECEDING) - size, size, checksum
            FROM parts WHERE upload = ?""";
    private static final String INSERT_SLICES = """
            INSERT INTO manifest_slices (manifest, object_offset, blob, slice_offset, slice_length)
            SELECT p.manifest, p.object_offset + s.part_offset, s.blob, s.slice_offset, s.slice_length
            FROM manifest_parts p CROSS JOIN LATERAL (
              SELECT * FROM part_slices WHERE upload = ? AND number = p.number OFFSET 0) s
            WHERE p.manifest = ?""";
    private static final String LOCK = "SELECT id FROM manifests WHERE id = ANY (?::bigint[]) ORDER BY id FOR UPDATE";
    private static final String COUNT = """
            WITH counted AS (UPDATE manifests SET refs = refs + ? WHERE id = ANY (?::bigint[]) RETURNING id, refs)
            INSERT INTO orphans (orphaned_at, kind, id) SELECT ?, 0, id FROM counted WHERE refs = 0""";
    private static final String SLICES = """
            SELECT s.object_offset, s.blob, b.account, s.slice_offset, s.slice_length
            FROM manifest_slices s LEFT JOIN blobs b ON b.id = s.blob
            WHERE s.manifest = ? AND s.object_offset >=
              (SELECT max(object_offset) FROM manifest_slices WHERE manifest = ? AND object_offset <= ?)
            ORDER BY s.object_offset LIMIT ?""";
    private static final String PARTS = """
            SELECT number, object_offset, size, checksum FROM manifest_parts
            WHERE manifest = ? AND number > ? ORDER BY number LIMIT ?""";
    private static final String ORPHAN_DUE = "SELECT 1 FROM orphans WHERE orphaned_at < ? LIMIT 1";

    /** One that no other gateway is breaking up now. */
    private static final String DUE_ORPHAN = """
            SELECT kind, id, orphaned_at FROM orphans WHERE orphaned_at < ?
            ORDER BY orphaned_at, kind, id LIMIT 1 FOR UPDATE SKIP LOCKED""";

    private static final String INSERT_ORPHAN = "INSERT INTO orphans (orphaned_at, kind, id) VALUES (?, ?, ?)";
    private static final String DELETE_ORPHAN = "DELETE FROM orphans WHERE orphaned_at = ? AND kind = ? AND id = ?";
    private static final String MANIFEST_BLOBS = """
            SELECT object_offset, blob, 0 FROM manifest_slices
            WHERE manifest = ? ORDER BY object_offset LIMIT ?""";
    private static final String UPLOAD_BLOBS = """
            SELECT number, blob, part_offset FROM part_slices
            WHERE upload = ? ORDER BY number, part_offset LIMIT ?""";
    private static final String DELETE_MANIFEST_SLICES =
            "DELETE FROM manifest_slices WHERE manifest = ? AND object_offset <= ?";
    private static final String DELETE_UPLOAD_SLICES =
            "DELETE FROM part_slices WHERE upload = ? AND (number, part_offset) <= (?, ?)";
    private static final String DELETE_MANIFEST_PARTS = "DELETE FROM manifest_parts WHERE manifest = ?";
    private static final String DELETE_MANIFEST = "DELETE FROM manifests WHERE id = ?";

    static final int KIND_MANIFEST = 0;
    static final int KIND_UPLOAD = 1;

    /** How many slices of a manifest a page has. */
    private static final int PAGE = 1_000;

    private Manifests() {}

    /** What a transaction changes in the count of a manifest. */
    static final class Change {
        long refs;
        long releasedAt = Long.MIN_VALUE;
    }

    /** Makes a manifest with one reference of all parts that the upload has; their references to blobs are taken over. */
    static long ofUpload(Session session, long upload) throws SQLException {
        long manifest = Objects.requireNonNull(session.first(INSERT, row -> row.getLong(1)));
        Pipeline pipeline =
                session.pipeline().update(INSERT_PARTS, manifest, upload).update(INSERT_SLICES, upload, manifest);
        Uploads.delete(pipeline, upload);
        pipeline.run();
        return manifest;
    }

    /** Changes the counts. What loses its last reference becomes an orphan, which can be read for a while. */
    static void count(Pipeline pipeline, Map<Long, Change> changes) {
        Column ids = Column.bigint();
        Map<List<Long>, Column> groups = new LinkedHashMap<>();
        changes.forEach((id, change) -> {
            ids.add(id);
            groups.computeIfAbsent(List.of(change.refs, change.releasedAt), key -> Column.bigint())
                    .add(id);
        });
        pipeline.query(LOCK, row -> {}, ids);
        groups.forEach((change, manifests) -> pipeline.update(COUNT, change.get(0), manifests, change.get(1)));
    }

    /** The engine's number of a manifest, or -1, which none has, if the name is not one of this engine's. */
    static long number(Manifest.Stored manifest) {
        try {
            return Long.parseLong(manifest.id());
        } catch (NumberFormatException foreign) {
            return -1;
        }
    }

    static List<ManifestSlice> slices(Session session, long manifest, long fromOffset, int limit) throws SQLException {
        List<ManifestSlice> slices =
                session.all(SLICES, Manifests::readSlice, manifest, manifest, Math.max(0, fromOffset), limit);
        boolean past = !slices.isEmpty()
                && slices.getFirst().objectOffsetBytes()
                                + slices.getFirst().slice().lengthBytes()
                        <= fromOffset;
        return past ? List.of() : slices;
    }

    private static ManifestSlice readSlice(ResultSet row) throws SQLException {
        return new ManifestSlice(
                row.getLong(1),
                new Slice(Codec.blobId(row.getBytes(2)), row.getString(3), row.getLong(4), row.getLong(5)));
    }

    static List<ManifestPart> parts(Session session, long manifest, int afterNumber, int limit) throws SQLException {
        return session.all(
                PARTS,
                row -> new ManifestPart(row.getInt(1), row.getLong(2), row.getLong(3), Codec.checksum(row.getBytes(4))),
                manifest,
                afterNumber,
                limit);
    }

    static boolean orphanDue(Session session, long beforeMillis) throws SQLException {
        return session.first(ORPHAN_DUE, row -> true, beforeMillis) != null;
    }

    private record Orphan(int kind, long id, long orphanedAt) {}

    private record Referred(long position, BlobId blob, long subposition) {}

    /** Releases up to {@code limit} slices of the oldest orphan of before; false if there is none to take. */
    static boolean breakUpOne(Tx tx, long beforeMillis, int limit) throws SQLException {
        Session session = tx.session();
        Orphan orphan = session.first(
                DUE_ORPHAN, row -> new Orphan(row.getInt(1), row.getLong(2), row.getLong(3)), beforeMillis);
        if (orphan == null) {
            return false;
        }
        boolean upload = orphan.kind == KIND_UPLOAD;
        List<Referred> slices = session.all(
                upload ? UPLOAD_BLOBS : MANIFEST_BLOBS,
                row -> new Referred(row.getLong(1), Codec.blobId(row.getBytes(2)), row.getLong(3)),
                orphan.id,
                limit);
        Pipeline pipeline = session.pipeline();
        if (!slices.isEmpty()) {
            Referred last = slices.getLast();
            if (upload) {
                pipeline.update(DELETE_UPLOAD_SLICES, orphan.id, last.position, last.subposition);
            } else {
                pipeline.update(DELETE_MANIFEST_SLICES, orphan.id, last.position);
            }
            Map<BlobId, Blobs.Change> changes = new HashMap<>();
            for (Referred slice : slices) {
                Blobs.Change change = changes.computeIfAbsent(slice.blob, id -> new Blobs.Change());
                change.refs--;
                change.releasedAt = orphan.orphanedAt;
            }
            Blobs.count(pipeline, tx.counters(), changes);
        }
        if (slices.size() < limit) {
            forget(pipeline, orphan);
        }
        pipeline.run();
        return true;
    }

    private static void forget(Pipeline pipeline, Orphan orphan) {
        if (orphan.kind == KIND_UPLOAD) {
            Uploads.deleteParts(pipeline, orphan.id);
        } else {
            pipeline.update(DELETE_MANIFEST_PARTS, orphan.id).update(DELETE_MANIFEST, orphan.id);
        }
        pipeline.update(DELETE_ORPHAN, orphan.orphanedAt, orphan.kind, orphan.id);
    }

    static void orphanUpload(Pipeline pipeline, long upload, long nowMillis) {
        pipeline.update(INSERT_ORPHAN, nowMillis, KIND_UPLOAD, upload);
    }

    /** All slices of a manifest that lie in the range, cut to it. */
    static List<Slice> cut(Session session, long manifest, long offset, long length) throws SQLException {
        List<Slice> cut = new ArrayList<>();
        long position = offset;
        long end = offset + length;
        while (position < end) {
            List<ManifestSlice> page = slices(session, manifest, position, PAGE);
            for (ManifestSlice slice : page) {
                if (position >= end) {
                    break;
                }
                long skip = position - slice.objectOffsetBytes();
                long take = Math.min(end - position, slice.slice().lengthBytes() - skip);
                cut.add(slice.slice().sub(skip, take));
                position += take;
            }
            if (page.isEmpty()) {
                throw Codec.corrupt();
            }
        }
        return cut;
    }
}
