package io.headgate.namespace.redis;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.AccountMode;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Rebalance;
import io.headgate.namespace.codec.Backup;
import io.headgate.namespace.codec.BackupReader;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.Origin;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes a namespace of the rows of a backup, many at a time. What refers to something comes after it, but for parts, whose upload comes last:
 * they are held in memory until then. Everything may be done twice. Of one backup, for one thread.
 */
final class Restore {
    private static final int ROWS_AT_ONCE = 2_000;
    private static final int ROWS_A_SCRIPT = 100;
    private static final int FILTER_BITS = 1 << 26;
    private static final int NO_REFUSAL = -1;

    private final Cluster cluster;
    private final SlotsInUse slots;
    private final AccountNumbers accounts;
    private final Blobs blobs;
    private final Buckets buckets;
    private final Manifests manifests;
    private final Intents intents;
    private final Fleet fleet;
    private final AddedAccounts added;
    private final RestoredUploads uploads;
    /** The first half of the ids of the manifests. */
    private final long manifestsHigh;

    private final RandomGenerator random;
    private final Map<Long, BucketName> bucketNames = new HashMap<>();
    /** Into how many ranges of hashes buckets that are to be hashed are. */
    private final Map<BucketName, Integer> hashed = new HashMap<>();
    /** Blobs and manifests that several may hold; a few others look so, which is no harm. */
    private final BitSet shared = new BitSet(FILTER_BITS);

    private final List<BackupRow> waiting = new ArrayList<>();

    Restore(
            Cluster cluster,
            SlotsInUse slots,
            AccountNumbers accounts,
            Blobs blobs,
            Buckets buckets,
            Manifests manifests,
            Intents intents,
            Fleet fleet,
            AddedAccounts added,
            RandomGenerator random) {
        this.cluster = cluster;
        this.slots = slots;
        this.accounts = accounts;
        this.blobs = blobs;
        this.buckets = buckets;
        this.manifests = manifests;
        this.intents = intents;
        this.fleet = fleet;
        this.added = added;
        this.random = random;
        this.manifestsHigh = random.nextLong();
        this.uploads = new RestoredUploads(cluster, buckets, slots, random);
    }

    Backup.Header run(BackupReader reader) throws IOException {
        BackupRow.Layout layout = null;
        while (true) {
            switch (reader.next()) {
                case Backup.Entry.Table(String name, List<String> columns) -> {
                    flush(layout);
                    layout = BackupRow.Layout.of(name, columns, reader.header().engine());
                }
                case Backup.Entry.Row(List<@Nullable Object> values) -> {
                    if (layout != null) {
                        waiting.add(layout.row(values));
                        if (waiting.size() == ROWS_AT_ONCE) {
                            flush(layout);
                        }
                    }
                }
                case Backup.Entry.End end -> {
                    flush(layout);
                    uploads.end();
                    return reader.header();
                }
            }
        }
    }

    private void flush(BackupRow.@Nullable Layout layout) {
        if (layout == null || waiting.isEmpty()) {
            return;
        }
        List<BackupRow> rows = List.copyOf(waiting);
        waiting.clear();
        switch (layout.table()) {
            case BUCKETS -> rows.forEach(this::bucket);
            case BLOBS -> blobs(rows);
            case COPIES -> copies(rows);
            case MANIFESTS -> rows.forEach(this::manifest);
            case MANIFEST_SLICES -> slices(rows);
            case MANIFEST_PARTS -> rows.forEach(this::manifestPart);
            case OBJECTS -> versions(rows);
            case PARTS -> rows.forEach(uploads::part);
            case PART_SLICES -> partSlices(rows);
            case UPLOADS -> rows.forEach(row -> uploads.upload(row, bucketName(row)));
            case ORPHANS -> rows.forEach(this::orphan);
            case COMPLETED_UPLOADS -> rows.forEach(this::completed);
            case INTENTS -> rows.forEach(this::intent);
            case ACCOUNT_MODES -> rows.forEach(this::accountMode);
            case ADDED_ACCOUNTS -> rows.forEach(this::addedAccount);
            case REBALANCE -> rows.forEach(this::rebalance);
            case SETTINGS -> rows.forEach(this::setting);
            case ACCOUNT_USAGE, BUCKET_USAGE -> {
                // counted as blobs and versions come
            }
            case REPLACED_WRITES -> {
                // no write is sent again after a restore
            }
        }
    }

    private BucketName bucketName(BackupRow row) {
        BucketName name = bucketNames.get(row.number("bucket"));
        if (name == null) {
            throw Codec.corrupt();
        }
        return name;
    }

    private void bucket(BackupRow row) {
        BucketName name = new BucketName(row.text("name"));
        Bucket bucket = new Bucket(
                name,
                row.text("owner"),
                row.text("location"),
                Instant.ofEpochMilli(row.number("created_at")),
                Codec.settings(row.bytesOrNull("settings")));
        buckets.create(bucket, hashed.getOrDefault(name, 0));
        bucketNames.put(row.number("id"), name);
    }

    // Blobs

    private void blobs(List<BackupRow> rows) {
        Map<Integer, List<byte[]>> bySlot = new HashMap<>();
        for (BackupRow row : rows) {
            BlobId blob = Codec.blobId(row.bytes("id"));
            long references = row.number("refs");
            ByteBuffer record = ByteBuffer.allocate(Blobs.RECORD_BYTES + 8);
            record.put(blobs.record(row.text("account"), row.number("size")));
            if (references != 1) {
                record.put(Blobs.RECORD_BYTES - 1, (byte) (references == 0 ? 'g' : 's'));
                StoredVersion.put6(record, row.number("released_at", 0));
            }
            long refusal = row.number("refusal", NO_REFUSAL);
            if (references == 0 && refusal != NO_REFUSAL) {
                record.put(Script.number(refusal));
            }
            if (references > 1) {
                shared.set(bit(Look.subject(blob)));
            }
            List<byte[]> arguments = bySlot.computeIfAbsent(blob.slot(), _ -> new ArrayList<>());
            arguments.add(Blobs.encoded(blob));
            arguments.add(Arrays.copyOf(record.array(), record.position()));
        }
        each(bySlot, Script.LOAD_BLOBS);
    }

    private static int bit(Facts.Subject subject) {
        return subject.hashCode() & (FILTER_BITS - 1);
    }

    private void each(Map<Integer, List<byte[]>> bySlot, Script script) {
        bySlot.keySet().forEach(slots::use);
        cluster.each(List.copyOf(bySlot.keySet()), slot -> {
            List<byte[]> arguments = bySlot.getOrDefault(slot, List.of());
            for (int from = 0; from < arguments.size(); from += 2 * ROWS_A_SCRIPT) {
                cluster.one(
                        script,
                        blobs.copyKeys(slot),
                        arguments
                                .subList(from, Math.min(arguments.size(), from + 2 * ROWS_A_SCRIPT))
                                .toArray(byte[][]::new));
            }
            return true;
        });
    }

    private void copies(List<BackupRow> rows) {
        Map<Integer, List<byte[]>> bySlot = new HashMap<>();
        for (BackupRow row : rows) {
            BlobId blob = Codec.blobId(row.bytes("id"));
            boolean moving = !row.has("released_at");
            boolean gone = row.has("gone_at");
            String source = row.textOrNull("source");
            ByteBuffer copy = ByteBuffer.allocate(14);
            copy.put((byte) (moving ? 'm' : (gone ? 'x' : 'g')));
            copy.put(AccountNumbers.bytes(moving && source != null ? accounts.number(source) : AccountNumbers.NONE));
            copy.put(3, blobs.record(row.text("account"), row.number("size")), 2, 5)
                    .position(8);
            StoredVersion.put6(copy, moving ? 0 : row.number(gone ? "gone_at" : "released_at"));
            byte[] id = Blobs.encoded(blob);
            ByteBuffer field = ByteBuffer.allocate(2 + id.length)
                    .put(AccountNumbers.bytes(accounts.number(row.text("account"))))
                    .put(id);
            List<byte[]> arguments = bySlot.computeIfAbsent(blob.slot(), _ -> new ArrayList<>());
            arguments.add(field.array());
            arguments.add(copy.array());
        }
        each(bySlot, Script.LOAD_COPIES);
    }

    /** Who holds a blob is kept by name if several do. */
    private void hold(Map<Integer, List<byte[]>> holders, BlobId blob, byte[] holder) {
        if (shared.get(bit(Look.subject(blob)))) {
            holders.computeIfAbsent(blob.slot(), _ -> new ArrayList<>()).add(Blobs.held(Blobs.encoded(blob), holder));
        }
    }

    private void addHolders(Map<Integer, List<byte[]>> holders) {
        holders.keySet().forEach(slots::use);
        cluster.each(List.copyOf(holders.keySet()), slot -> {
            add(SlotKeys.key(slot, "h"), holders.getOrDefault(slot, List.of()));
            return true;
        });
    }

    private void add(byte[] set, List<byte[]> members) {
        for (byte[] member : members) {
            cluster.command(redis -> redis.zadd(set, 0, member));
        }
    }

    // Manifests

    private String manifestId(long number) {
        return new UUID(manifestsHigh, number).toString();
    }

    private void manifest(BackupRow row) {
        String id = manifestId(row.number("id"));
        long references = row.number("refs");
        if (references > 1) {
            shared.set(bit(Look.manifest(id)));
        }
        slots.use(Manifests.slot(id));
        byte[] state = {(byte) (references == 0 ? 'O' : (references == 1 ? 'w' : 's'))};
        cluster.command(redis -> redis.set(Manifests.state(id), state));
    }

    private String newHolder() {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    private void slices(List<BackupRow> rows) {
        Map<Integer, List<byte[]>> holders = new HashMap<>();
        Map<String, List<Manifests.Placed>> byManifest = new HashMap<>();
        for (BackupRow row : rows) {
            HeldSlice slice = slice(row, holders);
            byManifest
                    .computeIfAbsent(manifestId(row.number("manifest")), _ -> new ArrayList<>())
                    .add(new Manifests.Placed(row.number("object_offset"), slice));
        }
        addHolders(holders);
        byManifest.forEach((id, slices) -> {
            slots.use(Manifests.slot(id));
            manifests.addSlices(id, slices);
        });
    }

    private HeldSlice slice(BackupRow row, Map<Integer, List<byte[]>> holders) {
        HeldSlice slice = new HeldSlice(
                newHolder(), Codec.blobId(row.bytes("blob")), row.number("slice_offset"), row.number("slice_length"));
        hold(holders, slice.blob(), Codec.writeId(slice.holder()));
        return slice;
    }

    private void manifestPart(BackupRow row) {
        String id = manifestId(row.number("manifest"));
        slots.use(Manifests.slot(id));
        manifests.addPart(
                id,
                new ManifestPart(
                        (int) row.number("number"),
                        row.number("object_offset"),
                        row.number("size"),
                        Codec.checksum(row.bytesOrNull("checksum"))));
    }

    private void partSlices(List<BackupRow> rows) {
        Map<Integer, List<byte[]>> holders = new HashMap<>();
        rows.forEach(row -> uploads.slice(row, slice(row, holders)));
        addHolders(holders);
    }

    private void orphan(BackupRow row) {
        if (row.number("kind") == BackupTable.ORPHAN_UPLOAD) {
            uploads.aborted(row);
            return;
        }
        String id = manifestId(row.number("id"));
        byte[] member = Orphans.member(StoredVersion.time(Instant.ofEpochMilli(row.number("orphaned_at"))), id);
        slots.use(Manifests.slot(id));
        cluster.command(redis -> redis.zadd(Orphans.key(Manifests.slot(id)), 0, member));
    }

    // Versions

    private void versions(List<BackupRow> rows) {
        Map<BucketName, List<byte[][]>> byBucket = new HashMap<>();
        Map<Integer, List<byte[]>> holders = new HashMap<>();
        for (BackupRow row : rows) {
            ObjectKey key = ObjectKey.of(row.bytes("key"));
            ObjectVersion version = version(row, key);
            byte[] holder = row.bytes("write_id");
            switch (version.manifest()) {
                case Manifest.Inline(Optional<Slice> slice) ->
                    slice.ifPresent(one -> hold(holders, one.blob(), holder));
                case Manifest.Stored(String id, int parts) -> {
                    if (shared.get(bit(Look.manifest(id)))) {
                        holders.computeIfAbsent(Manifests.slot(id), _ -> new ArrayList<>())
                                .add(Blobs.held(Manifests.encoded(id), holder));
                    }
                }
            }
            StoredVersion.Written written = new StoredVersion.Written(
                    Origin.of((int) row.number("origin")), row.number("attempt_hash", 0), (int)
                            row.number("attempt_number", 0));
            byBucket.computeIfAbsent(bucketName(row), _ -> new ArrayList<>()).add(new byte[][] {
                KeyCodec.encode(key.bytes()), StoredVersion.write(version, written, AccountNumbers.NONE)
            });
        }
        addHolders(holders);
        byBucket.forEach((bucket, all) -> {
            for (int from = 0; from < all.size(); from += ROWS_A_SCRIPT) {
                load(bucket, new ArrayList<>(all.subList(from, Math.min(all.size(), from + ROWS_A_SCRIPT))));
            }
        });
    }

    private ObjectVersion version(BackupRow row, ObjectKey key) {
        Codec.Details details =
                Codec.details(row.bytes("details"), Codec.storageClassOf(row.textOrNull("storage_class")));
        Manifest manifest = Manifest.EMPTY;
        if (row.has("blob")) {
            manifest = Manifest.of(new Slice(
                    Codec.blobId(row.bytes("blob")), "", row.number("slice_offset"), row.number("slice_length")));
        } else if (row.number("manifest", 0) != 0) {
            manifest = new Manifest.Stored(manifestId(row.number("manifest")), (int) row.number("manifest_parts"));
        }
        return new ObjectVersion(
                key,
                Codec.writeId(row.bytes("write_id")),
                Instant.ofEpochMilli(row.number("modified_at")),
                row.number("size"),
                new ETag(row.text("etag")),
                details.attributes(),
                details.checksums(),
                manifest);
    }

    /** Those of the first one's range at once, until none is left. */
    private void load(BucketName bucket, List<byte[][]> records) {
        while (!records.isEmpty()) {
            byte[] first = records.getFirst()[0];
            Boolean there = buckets.inRange(bucket, first, range -> {
                List<byte[][]> own = records.stream()
                        .filter(record -> range.holds(record[0]))
                        .toList();
                List<byte[]> arguments = new ArrayList<>(List.of(range.epochBytes()));
                own.forEach(record -> arguments.addAll(List.of(record)));
                byte[] answer = cluster.one(
                        Script.LOAD_VERSIONS,
                        new byte[][] {range.root(), range.records(), range.changes()},
                        arguments.toArray(byte[][]::new));
                if (Buckets.isMoved(answer)) {
                    return null;
                }
                records.removeAll(own);
                return true;
            });
            if (there == null) {
                throw new NamespaceException("somebody has deleted the bucket " + bucket + " meanwhile");
            }
        }
    }

    private void completed(BackupRow row) {
        ObjectKey key = ObjectKey.of(row.bytes("key"));
        ObjectVersion version = Codec.snapshot(row.bytes("version"), key);
        if (version.manifest() instanceof Manifest.Stored(String number, int parts)) {
            Manifest manifest = new Manifest.Stored(manifestId(Long.parseLong(number)), parts);
            version = new ObjectVersion(
                    key,
                    version.writeId(),
                    version.lastModified(),
                    version.sizeBytes(),
                    version.etag(),
                    version.attributes(),
                    version.checksums(),
                    manifest);
            uploads.completed(row.text("id"), new BucketName(row.text("bucket")), version);
        }
    }

    // What is not of buckets

    private void intent(BackupRow row) {
        intents.restore(
                row.number("id"),
                row.text("gateway"),
                Instant.ofEpochMilli(row.number("opened_at")),
                Instant.ofEpochMilli(row.number("last_stamp_at")),
                Instant.ofEpochMilli(row.number("expires_at")),
                row.flag("taken"));
    }

    private void accountMode(BackupRow row) {
        fleet.restoreMode(
                row.text("account"),
                new AccountMode(
                        row.flag("draining"),
                        row.flag("read_only"),
                        row.number("moved_blobs"),
                        row.number("moved_bytes")));
    }

    private void addedAccount(BackupRow row) {
        Optional<Instant> removing = row.has("removing_since")
                ? Optional.of(Instant.ofEpochMilli(row.number("removing_since")))
                : Optional.empty();
        added.restore(
                row.text("name"),
                row.text("definition"),
                Instant.ofEpochMilli(row.number("added_at")),
                removing,
                row.flag("forget_garbage"));
    }

    private void rebalance(BackupRow row) {
        fleet.restoreRebalance(
                new Rebalance(row.flag("running"), row.number("moved_blobs"), row.number("moved_bytes")));
    }

    private void setting(BackupRow row) {
        String name = row.text("name");
        if (name.equals(BackupTable.NAMESPACE_ID)) {
            fleet.restoreId(row.text("value"));
        } else if (name.startsWith(BackupTable.HASHED)) {
            int ranges = Integer.parseInt(row.text("value"));
            hashed.put(
                    new BucketName(name.substring(BackupTable.HASHED.length())), Math.clamp(ranges, 1, KeyHash.VALUES));
        }
    }
}
