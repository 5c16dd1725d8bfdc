package io.headgate.namespace.sql;

import io.headgate.domain.BlobId;
import io.headgate.domain.Slice;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.ManifestSlice;
import io.headgate.namespace.codec.Codec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Stored manifests, shared and counted; and the orphans among them, which are broken up step by step. */
final class Manifests {
    private static final String INSERT = "INSERT INTO manifests (refs) VALUES (1) RETURNING id";
    private static final String INSERT_PARTS = """
            INSERT INTO manifest_parts (manifest, number, object_offset, size, checksum)
            SELECT ?, number, SUM(size) OVER (ORDER BY number ROWS UNBOUNDED PRECEDING) - size, size, checksum
            FROM parts WHERE upload = ?""";
    private static final String INSERT_SLICES = """
            INSERT INTO manifest_slices (manifest, object_offset, blob, slice_offset, slice_length)
            SELECT p.manifest, p.object_offset + s.part_offset, s.blob, s.slice_offset, s.slice_length
            FROM manifest_parts p JOIN part_slices s ON s.upload = ? AND s.number = p.number
            WHERE p.manifest = ?""";
    private static final String RETAIN = "UPDATE manifests SET refs = refs + 1 WHERE id = ?";
    private static final String RELEASE = "UPDATE manifests SET refs = refs - 1 WHERE id = ? RETURNING refs";
    private static final String HOLDER =
            "SELECT MAX(object_offset) FROM manifest_slices WHERE manifest = ? AND object_offset <= ?";
    private static final String SLICES = """
            SELECT s.object_offset, s.blob, b.account, s.slice_offset, s.slice_length
            FROM manifest_slices s JOIN blobs b ON b.id = s.blob
            WHERE s.manifest = ? AND s.object_offset >= ? ORDER BY s.object_offset LIMIT ?""";
    private static final String PARTS = """
            SELECT number, object_offset, size, checksum FROM manifest_parts
            WHERE manifest = ? AND number > ? ORDER BY number LIMIT ?""";
    private static final String DUE_ORPHAN =
            "SELECT kind, id, orphaned_at FROM orphans WHERE orphaned_at < ? ORDER BY orphaned_at, kind, id LIMIT 1";
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

    static final int KIND_MANIFEST = 0;
    static final int KIND_UPLOAD = 1;

    private Manifests() {}

    /** Makes a manifest with one reference of all parts that the upload has; their references to blobs are taken over. */
    static long ofUpload(Session session, long upload) throws SQLException {
        long manifest = Objects.requireNonNull(session.first(INSERT, row -> row.getLong(1)));
        session.update(INSERT_PARTS, manifest, upload);
        session.update(INSERT_SLICES, upload, manifest);
        Uploads.deleteParts(session, upload);
        return manifest;
    }

    static void retain(Session session, long manifest) throws SQLException {
        session.update(RETAIN, manifest);
    }

    /** Removes a reference. What was the last makes the manifest an orphan, which can be read for a while. */
    static void release(Session session, long manifest, long nowMillis) throws SQLException {
        Long refs = session.first(RELEASE, row -> row.getLong(1), manifest);
        if (refs != null && refs == 0) {
            session.update(INSERT_ORPHAN, nowMillis, KIND_MANIFEST, manifest);
        }
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
        Long holder = session.first(
                HOLDER, row -> row.getObject(1) == null ? null : row.getLong(1), manifest, Math.max(0, fromOffset));
        if (holder == null) {
            return List.of();
        }
        List<ManifestSlice> slices = session.all(SLICES, Manifests::readSlice, manifest, holder, limit);
        boolean past = !slices.isEmpty() && holder + slices.getFirst().slice().lengthBytes() <= fromOffset;
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
        return session.first(DUE_ORPHAN, row -> true, beforeMillis) != null;
    }

    private record Orphan(int kind, long id, long orphanedAt) {}

    private record Referred(long position, BlobId blob, long subposition) {}

    /** Releases up to {@code limit} slices of the oldest orphan of before; false if there is none. */
    static boolean breakUpOne(Batch batch, long beforeMillis, int limit) throws SQLException {
        Session session = batch.session();
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
        for (Referred slice : slices) {
            Blobs.release(batch, Codec.blobId(slice.blob), orphan.orphanedAt);
        }
        if (!slices.isEmpty()) {
            Referred last = slices.getLast();
            if (upload) {
                session.update(DELETE_UPLOAD_SLICES, orphan.id, last.position, last.subposition);
            } else {
                session.update(DELETE_MANIFEST_SLICES, orphan.id, last.position);
            }
        }
        if (slices.size() < limit) {
            forget(session, orphan);
        }
        return true;
    }

    private static void forget(Session session, Orphan orphan) throws SQLException {
        if (orphan.kind == KIND_UPLOAD) {
            Uploads.deleteParts(session, orphan.id);
        } else {
            session.update("DELETE FROM manifest_parts WHERE manifest = ?", orphan.id);
            session.update("DELETE FROM manifests WHERE id = ?", orphan.id);
        }
        session.update(DELETE_ORPHAN, orphan.orphanedAt, orphan.kind, orphan.id);
    }

    static void orphanUpload(Session session, long upload, long nowMillis) throws SQLException {
        session.update(INSERT_ORPHAN, nowMillis, KIND_UPLOAD, upload);
    }

    /** All slices of a manifest that lie in the range, cut to it. */
    static List<Slice> cut(Session session, long manifest, long offset, long length) throws SQLException {
        List<Slice> cut = new ArrayList<>();
        long position = offset;
        long end = offset + length;
        while (position < end) {
            List<ManifestSlice> page = slices(session, manifest, position, 1_000);
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
