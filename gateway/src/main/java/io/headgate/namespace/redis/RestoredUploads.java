package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Part;
import io.headgate.namespace.Upload;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.Origin;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The uploads of a backup, whose rows come in any order: held in memory until all have come. Of one backup, for one thread. */
final class RestoredUploads {
    private static final byte OPEN = 'o';
    private static final byte ABORTED = 'x';
    private static final byte COMPLETED = 'd';

    private final Cluster cluster;
    private final Buckets buckets;
    private final SlotsInUse slots;
    private final RandomGenerator random;
    /** By the numbers that uploads have in the backup. */
    private final Map<Long, Restored> all = new HashMap<>();

    RestoredUploads(Cluster cluster, Buckets buckets, SlotsInUse slots, RandomGenerator random) {
        this.cluster = cluster;
        this.buckets = buckets;
        this.slots = slots;
        this.random = random;
    }

    private static final class Restored {
        private @Nullable Upload upload;
        private @Nullable Instant abortedAt;
        private final Map<Integer, Part> parts = new TreeMap<>();
        /** Of each part, by where they begin in it. */
        private final Map<Integer, TreeMap<Long, HeldSlice>> slices = new HashMap<>();
    }

    private Restored of(long number) {
        return all.computeIfAbsent(number, _ -> new Restored());
    }

    void part(BackupRow row) {
        int number = (int) row.number("number");
        of(row.number("upload"))
                .parts
                .put(
                        number,
                        new Part(
                                number,
                                row.number("size"),
                                new ETag(row.text("etag")),
                                Codec.checksum(row.bytesOrNull("checksum")),
                                Instant.ofEpochMilli(row.number("modified_at"))));
    }

    void slice(BackupRow row, HeldSlice slice) {
        of(row.number("upload"))
                .slices
                .computeIfAbsent((int) row.number("number"), _ -> new TreeMap<>())
                .put(row.number("part_offset"), slice);
    }

    void upload(BackupRow row, BucketName bucket) {
        long kind = row.number("checksum_kind", 0);
        Codec.Details details =
                Codec.details(row.bytes("details"), Codec.storageClassOf(row.textOrNull("storage_class")));
        of(row.number("seq")).upload = new Upload(
                row.text("id"),
                bucket,
                ObjectKey.of(row.bytes("key")),
                details.attributes(),
                kind == 0
                        ? Optional.empty()
                        : Optional.of(new Upload.UploadChecksum(Codec.algorithm(kind), Codec.type(kind))),
                row.text("owner"),
                Instant.ofEpochMilli(row.number("started_at")));
    }

    void aborted(BackupRow row) {
        of(row.number("id")).abortedAt = Instant.ofEpochMilli(row.number("orphaned_at"));
    }

    void completed(String id, BucketName bucket, ObjectVersion version) {
        Upload upload = new Upload(
                id, bucket, version.key(), version.attributes(), Optional.empty(), "", version.lastModified());
        Ending ending = new Ending(
                StoredVersion.write(version, Origin.COMPLETE, AccountNumbers.NONE, Optional.empty()),
                Blobs.NOTHING,
                version.writeId(),
                version.lastModified(),
                List.of());
        write(upload, COMPLETED, 0, ending);
        byte[] member = dated(version.lastModified(), id);
        cluster.command(redis -> redis.zadd(Completions.completed(StoredUpload.slot(id)), 0, member));
    }

    private static byte[] dated(Instant time, String id) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(StoredVersion.time(time));
        out.writeBytes(id.getBytes(UTF_8));
        return out.toByteArray();
    }

    /** Makes what has come, when nothing more does. */
    void end() {
        all.values().forEach(this::make);
    }

    private void make(Restored one) {
        Upload upload = one.upload;
        Instant abortedAt = one.abortedAt;
        if (upload != null) {
            parts(upload.id(), one);
            write(upload, OPEN, one.parts.size(), null);
            list(upload);
        } else if (abortedAt != null) {
            String id = new UUID(random.nextLong(), random.nextLong()).toString();
            int slot = StoredUpload.slot(id);
            parts(id, one);
            write(nobodys(id, abortedAt), ABORTED, one.parts.size(), null);
            byte[] member = Orphans.upload(StoredVersion.time(abortedAt), id);
            cluster.command(redis -> redis.zadd(Orphans.key(slot), 0, member));
        } else {
            throw Codec.corrupt();
        }
    }

    /** Of an upload that was aborted nothing is kept but its parts. */
    private static Upload nobodys(String id, Instant time) {
        return new Upload(
                id,
                new BucketName("aborted"),
                new ObjectKey("aborted"),
                new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD),
                Optional.empty(),
                "",
                time);
    }

    private void parts(String id, Restored one) {
        slots.use(StoredUpload.slot(id));
        one.parts.forEach((number, part) -> {
            TreeMap<Long, HeldSlice> slices = one.slices.getOrDefault(number, new TreeMap<>());
            byte[] stored = new StoredPart(part, new ArrayList<>(slices.values())).write();
            cluster.command(redis -> redis.zadd(StoredUpload.partsKey(id), number, stored));
        });
    }

    private void write(Upload upload, byte state, int changes, @Nullable Ending ending) {
        slots.use(StoredUpload.slot(upload.id()));
        IdentityHashMap<byte[], byte[]> fields = new IdentityHashMap<>();
        fields.put(new byte[] {'s'}, new byte[] {state});
        fields.put(new byte[] {'v'}, Script.number(changes));
        fields.put(new byte[] {'h'}, StoredUpload.write(upload));
        if (ending != null) {
            fields.put(new byte[] {'c'}, ending.write());
        }
        cluster.command(redis -> redis.hset(StoredUpload.key(upload.id()), fields));
    }

    private void list(Upload upload) {
        byte[] member = StoredUpload.member(upload.key(), upload.startedAt(), upload.id());
        Boolean listed =
                buckets.inRange(upload.bucket(), KeyCodec.encode(upload.key().bytes()), range -> {
                    byte[] answer = cluster.one(
                            Script.UPLOAD_INDEX,
                            new byte[][] {range.root(), range.uploads(), range.changes()},
                            range.epochBytes(),
                            member,
                            new byte[] {'1'});
                    return Buckets.isMoved(answer) ? null : true;
                });
        if (listed == null) {
            throw new NamespaceException("somebody has deleted the bucket " + upload.bucket() + " meanwhile");
        }
    }
}
