package io.headgate.namespace.postgres;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Attempt;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.Origin;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a transaction changes, many at once: first all are named, then {@link #load} reads and locks what is there in one round
 * trip, then commands run one after the other on what is in memory, then what came of them is written in another ({@link #write}), with the commit. So many
 * commands cost as many round trips as one, and a later one sees what an earlier one did to the same key.
 *
 * <p>A key that has a version is locked by its row. One that has none cannot be locked: that nobody has given it one in between is
 * checked when it is written, and if not so, the transaction is run again.
 */
final class KeyBatch {
    /** For how long a write that left no blob of its own behind is remembered after it was replaced: longer than any retry. */
    static final Duration REPLACED_WRITES_KEPT = Duration.ofMinutes(15);

    private static final String REMEMBERED =
            "SELECT write_id, version FROM replaced_writes WHERE write_id = ANY (?::bytea[])";
    private static final String REMEMBER = """
            INSERT INTO replaced_writes (write_id, replaced_at, version)
            SELECT * FROM unnest(?::bytea[], ?::bigint[], ?::bytea[]) ORDER BY 1
            ON CONFLICT (write_id) DO NOTHING""";
    private static final String FORGET = """
            DELETE FROM replaced_writes WHERE write_id IN (
              SELECT write_id FROM replaced_writes WHERE replaced_at < ? ORDER BY replaced_at LIMIT ?
              FOR UPDATE SKIP LOCKED)""";

    /** That a write is not the repeat of one that was replaced after {@link #load} and before its key was taken here. */
    private static final String NOT_REMEMBERED = """
            SELECT expect_rows((SELECT count(*) FROM replaced_writes WHERE write_id = ANY (?::bytea[])), 0)""";

    private static final Comparator<Key> LOCK_ORDER =
            Comparator.comparing((Key key) -> key.bucket.value()).thenComparing(Key::key);

    private final Tx tx;
    private final Set<BucketName> bucketNames = new LinkedHashSet<>();
    private final Set<Long> intentIds = new LinkedHashSet<>();
    private final Set<BlobId> blobIds = new LinkedHashSet<>();
    private final Set<String> writeIds = new LinkedHashSet<>();

    private final Map<BucketName, Long> buckets = new HashMap<>();
    private final Map<Long, Intents.State> intents = new HashMap<>();
    private final Map<Key, Entry> entries = new LinkedHashMap<>();

    /** Blobs that were known before; the value is the code of their refusal, or -1. */
    private final Map<BlobId, Integer> known = new HashMap<>();

    private final Map<String, byte[]> remembered = new HashMap<>();

    private final Map<BlobId, Blobs.Fresh> fresh = new LinkedHashMap<>();
    private final Map<BlobId, Blobs.Change> changes = new LinkedHashMap<>();
    private final Map<Long, Manifests.Change> manifests = new LinkedHashMap<>();

    /** Writes without a blob that the batch has made: not to be remembered already when the batch is written. */
    private final List<String> unmarked = new ArrayList<>();

    private final List<Replaced> replaced = new ArrayList<>();

    /** Where an object is. */
    record Key(BucketName bucket, ObjectKey key) {}

    private record Replaced(Key key, Versions.Head head, long at) {}

    /** What was there and what is there now. */
    private static final class Entry {
        Versions.@Nullable Head stored;
        Versions.@Nullable Head current;
    }

    KeyBatch(Tx tx) {
        this.tx = tx;
    }

    Tx tx() {
        return tx;
    }

    // Naming what is needed

    void name(BucketName bucket) {
        bucketNames.add(bucket);
    }

    void name(Key key) {
        bucketNames.add(key.bucket);
        entries.computeIfAbsent(key, k -> new Entry());
    }

    void nameIntent(long id) {
        intentIds.add(id);
    }

    void nameBlob(BlobId id) {
        blobIds.add(id);
    }

    void nameWrite(String writeId) {
        writeIds.add(writeId);
    }

    /** Reads and locks all that was named. */
    void load() throws SQLException {
        Column names = Column.text();
        bucketNames.forEach(name -> names.add(name.value()));
        Column keyBuckets = Column.text();
        Column keys = Column.bytes();
        entries.keySet().stream().sorted(LOCK_ORDER).forEach(key -> {
            keyBuckets.add(key.bucket.value());
            keys.add(key.key.bytes());
        });
        Map<String, BucketName> byName = new HashMap<>();
        bucketNames.forEach(name -> byName.put(name.value(), name));
        Pipeline pipeline = tx.session().pipeline();
        pipeline.query(
                Buckets.HOLD,
                row -> buckets.put(Objects.requireNonNull(byName.get(row.getString(2))), row.getLong(1)),
                names);
        if (!intentIds.isEmpty()) {
            Column ids = Column.bigint();
            intentIds.forEach(ids::add);
            pipeline.query(Intents.HOLD, row -> intents.put(row.getLong(1), Intents.readState(row)), ids);
        }
        pipeline.query(
                Versions.LOCK,
                row -> {
                    BucketName bucket = Objects.requireNonNull(byName.get(row.getString(1)));
                    Key key = new Key(bucket, ObjectKey.of(row.getBytes(2)));
                    Entry entry = Objects.requireNonNull(entries.get(key));
                    entry.stored = Versions.readHead(row);
                    entry.current = entry.stored;
                },
                keyBuckets,
                keys);
        if (!blobIds.isEmpty()) {
            pipeline.query(
                    Blobs.FIND,
                    row -> known.put(Codec.blobId(row.getBytes(1)), row.getObject(2) == null ? -1 : row.getInt(2)),
                    Blobs.ids(List.copyOf(blobIds)));
        }
        if (!writeIds.isEmpty()) {
            pipeline.query(
                    REMEMBERED,
                    row -> remembered.put(Codec.writeId(row.getBytes(1)), row.getBytes(2)),
                    writeIds(writeIds));
        }
        pipeline.run();
    }

    private static Column writeIds(Iterable<String> ids) {
        Column column = Column.bytes();
        ids.forEach(id -> column.add(Codec.writeId(id)));
        return column;
    }

    // Asking what is there

    @Nullable Long bucketId(BucketName bucket) {
        return buckets.get(bucket);
    }

    boolean isStanding(long intentId, long nowMillis) {
        Intents.State state = intents.get(intentId);
        return state != null && state.isStanding(nowMillis);
    }

    Versions.@Nullable Head current(Key key) {
        return Objects.requireNonNull(entries.get(key)).current;
    }

    /** Whether a blob was known before, or has been made by the batch: the code of its refusal, -1 for none; empty if it is new. */
    Optional<Integer> known(BlobId blob) {
        Blobs.Fresh made = fresh.get(blob);
        return made != null ? Optional.of(made.refusal) : Optional.ofNullable(known.get(blob));
    }

    /** Whether a write of before has taken effect and been replaced since. */
    boolean isReplaced(String writeId) {
        return remembered.containsKey(writeId)
                || replaced.stream().anyMatch(gone -> gone.head.writeId().equals(writeId));
    }

    /** The version that a write of before the batch made, if it has been replaced since. */
    @Nullable ObjectVersion remembered(String writeId, ObjectKey key) {
        byte[] snapshot = remembered.get(writeId);
        return snapshot == null ? null : Codec.snapshot(snapshot, key);
    }

    // Changing it

    /** Makes a blob with one reference. */
    void makeBlob(Slice whole) {
        fresh.put(whole.blob(), new Blobs.Fresh(whole.account(), sizeOf(whole)));
        tx.counters().addLive(whole.account(), 1, sizeOf(whole));
    }

    /** Makes a blob that is garbage, because its write is refused. */
    void makeRefusedBlob(Slice whole, int refusal, long nowMillis) {
        Blobs.Fresh blob = new Blobs.Fresh(whole.account(), sizeOf(whole));
        blob.refs = 0;
        blob.releasedAt = tx.releaseTime(nowMillis);
        blob.refusal = refusal;
        fresh.put(whole.blob(), blob);
        tx.counters().addGarbage(whole.account(), 1, sizeOf(whole));
    }

    private static long sizeOf(Slice whole) {
        return whole.offsetBytes() + whole.lengthBytes();
    }

    /** Adds a reference to what a version's bytes are. */
    void retain(Manifest manifest) {
        switch (manifest) {
            case Manifest.Inline(Optional<Slice> slice) -> slice.ifPresent(s -> change(s.blob()).refs++);
            case Manifest.Stored stored -> change(Manifests.number(stored)).refs++;
        }
    }

    private Blobs.Change change(BlobId blob) {
        return changes.computeIfAbsent(blob, id -> new Blobs.Change());
    }

    private Manifests.Change change(long manifest) {
        return manifests.computeIfAbsent(manifest, id -> new Manifests.Change());
    }

    /** Removes a reference to a blob that was there before. */
    void release(BlobId blob, long releasedAtMillis) {
        Blobs.Change change = change(blob);
        change.refs--;
        change.releasedAt = Math.max(change.releasedAt, releasedAtMillis);
    }

    /** Makes {@code version} the current one; what it replaces loses a reference. Its own bytes have theirs already. */
    void replace(Key key, ObjectVersion version, Origin origin, Optional<Attempt> attempt) {
        long bucket = Objects.requireNonNull(buckets.get(key.bucket));
        Entry entry = Objects.requireNonNull(entries.get(key));
        Versions.Head gone = entry.current;
        entry.current = Versions.Head.of(version, origin, attempt);
        if (origin.isRememberedWhenReplaced()) {
            unmarked.add(version.writeId());
        }
        if (gone == null) {
            tx.counters().addToBucket(bucket, 1, version.sizeBytes());
        } else {
            tx.counters().addToBucket(bucket, 0, version.sizeBytes() - gone.sizeBytes());
            release(key, gone, tx.releaseTime(version.lastModified().toEpochMilli()));
        }
    }

    /** Deletes the current version, which there is. */
    void delete(Key key, long nowMillis) {
        Entry entry = Objects.requireNonNull(entries.get(key));
        Versions.Head gone = Objects.requireNonNull(entry.current);
        entry.current = null;
        tx.counters().addToBucket(Objects.requireNonNull(buckets.get(key.bucket)), -1, -gone.sizeBytes());
        release(key, gone, tx.releaseTime(nowMillis));
    }

    private void release(Key key, Versions.Head gone, long at) {
        if (gone.origin().isRememberedWhenReplaced() && gone.modifiedAt() >= at - REPLACED_WRITES_KEPT.toMillis()) {
            replaced.add(new Replaced(key, gone, at));
        }
        BlobId blob = gone.blob();
        if (blob == null) {
            if (gone.manifest() != 0) {
                Manifests.Change change = change(gone.manifest());
                change.refs--;
                change.releasedAt = Math.max(change.releasedAt, at);
            }
            return;
        }
        Blobs.Fresh made = fresh.get(blob);
        if (made == null) {
            release(blob, at);
            return;
        }
        made.refs--;
        made.releasedAt = Math.max(made.releasedAt, at);
        if (made.refs == 0) {
            tx.counters().addLive(made.account, -1, -made.sizeBytes);
            tx.counters().addGarbage(made.account, 1, made.sizeBytes);
        }
    }

    // Writing it

    /** Writes all that was changed: the last thing of the transaction. */
    void write() throws SQLException {
        Map<Key, ObjectVersion> before = replacedVersions();
        Pipeline pipeline = tx.session().pipeline();
        if (!fresh.isEmpty()) {
            Blobs.insert(pipeline, fresh);
        }
        writeEntries(pipeline);
        if (!unmarked.isEmpty()) {
            pipeline.query(NOT_REMEMBERED, row -> {}, writeIds(unmarked));
        }
        remember(pipeline, before);
        if (!changes.isEmpty()) {
            Blobs.count(pipeline, tx.counters(), changes);
        }
        if (!manifests.isEmpty()) {
            Manifests.count(pipeline, manifests);
        }
        tx.last(pipeline);
    }

    private void writeEntries(Pipeline pipeline) {
        Versions.Rows inserted = new Versions.Rows();
        Versions.Rows updated = new Versions.Rows();
        Map<Long, Column> deleted = new TreeMap<>();
        entries.forEach((key, entry) -> {
            if (Objects.equals(entry.current, entry.stored)) {
                return;
            }
            long bucket = Objects.requireNonNull(buckets.get(key.bucket));
            if (entry.current == null) {
                deleted.computeIfAbsent(bucket, id -> Column.bytes()).add(key.key.bytes());
            } else {
                ObjectVersion whole = Objects.requireNonNull(entry.current.whole());
                (entry.stored == null ? inserted : updated).add(bucket, entry.current, whole);
            }
        });
        inserted.insert(pipeline);
        updated.update(pipeline);
        deleted.forEach((bucket, keys) -> Versions.delete(pipeline, bucket, keys));
    }

    /** Those stored versions that are to be remembered, read while they are still there. */
    private Map<Key, ObjectVersion> replacedVersions() throws SQLException {
        Map<Key, ObjectVersion> versions = new HashMap<>();
        Column keyBuckets = Column.bigint();
        Column keys = Column.bytes();
        Map<Long, BucketName> names = new HashMap<>();
        for (Replaced gone : replaced) {
            if (gone.head.whole() == null) {
                long bucket = Objects.requireNonNull(buckets.get(gone.key.bucket));
                names.put(bucket, gone.key.bucket);
                keyBuckets.add(bucket);
                keys.add(gone.key.key.bytes());
            }
        }
        if (!keys.isEmpty()) {
            tx.session()
                    .pipeline()
                    .query(
                            Versions.FIND_ALL,
                            row -> {
                                ObjectKey key = ObjectKey.of(row.getBytes(14));
                                BucketName bucket = Objects.requireNonNull(names.get(row.getLong(13)));
                                versions.put(new Key(bucket, key), Versions.read(row, key));
                            },
                            keyBuckets,
                            keys)
                    .run();
        }
        return versions;
    }

    private void remember(Pipeline pipeline, Map<Key, ObjectVersion> before) {
        if (replaced.isEmpty()) {
            return;
        }
        Column ids = Column.bytes();
        Column times = Column.bigint();
        Column versions = Column.bytes();
        long latest = Long.MIN_VALUE;
        for (Replaced gone : replaced) {
            ObjectVersion version = gone.head.whole() != null ? gone.head.whole() : before.get(gone.key);
            ids.add(Codec.writeId(gone.head.writeId()));
            times.add(gone.at);
            versions.add(Codec.snapshot(Objects.requireNonNull(version)));
            latest = Math.max(latest, gone.at);
        }
        pipeline.update(REMEMBER, ids, times, versions);
        pipeline.update(FORGET, latest - REPLACED_WRITES_KEPT.toMillis(), 2 * replaced.size());
    }
}
