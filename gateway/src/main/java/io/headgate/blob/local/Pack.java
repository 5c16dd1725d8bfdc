package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A segment to read blobs from. Which ones it has is in memory until its {@link PackIndex} is written. Thread-safe; {@link #indexed} and
 * the deletions exclude each other by the caller's means.
 */
final class Pack {
    /** Far more than any blob of a pack has: what an index says is not taken for the size of a buffer unseen. */
    private static final int MAX_BLOB_BYTES = 1 << 20;

    /** Where in the pack a blob's bytes begin, and how many they are. */
    record Place(int offset, int length) {}

    private final long generation;
    private final boolean compacted;
    private final PackFile file;
    /** The blobs, until there is an index. */
    private volatile @Nullable Map<BlobId, Place> memory;

    private volatile @Nullable PackIndex index;
    /** What the segment deletes; empty once that is on the disk. */
    private volatile Set<BlobId> deletions = ConcurrentHashMap.newKeySet();
    /** Of those, the ones that had files. */
    private final Set<BlobId> deletedFiles = ConcurrentHashMap.newKeySet();
    /** Deletions that stand in the segment and are not done. */
    private final AtomicInteger pendingDeletions = new AtomicInteger();

    private volatile int sizeBytes;
    private volatile boolean sealed;
    private volatile boolean damaged;

    /** @param index {@code null} for one whose blobs are added as they are known */
    Pack(long generation, boolean compacted, PackFile file, int sizeBytes, @Nullable PackIndex index) {
        this.generation = generation;
        this.compacted = compacted;
        this.file = file;
        this.sizeBytes = sizeBytes;
        this.index = index;
        this.memory = index == null ? new ConcurrentHashMap<>() : null;
        this.sealed = index != null;
    }

    /** Greater for those begun later. */
    long generation() {
        return generation;
    }

    /** Whether it was made of others, and so has nothing to repeat. */
    boolean isCompacted() {
        return compacted;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    @Nullable PackIndex index() {
        return index;
    }

    boolean isSealed() {
        return sealed;
    }

    /** Nothing more is added. */
    void seal(int usedBytes) {
        sizeBytes = usedBytes;
        sealed = true;
    }

    /** Whether some of it cannot be read, so that it is left as it is. */
    boolean isDamaged() {
        return damaged;
    }

    void damaged() {
        damaged = true;
    }

    void add(BlobId id, Place place) {
        Map<BlobId, Place> added = memory;
        if (added == null) {
            throw new IllegalStateException("pack " + generation + " is indexed already");
        }
        added.put(id, place);
    }

    /** The segment says that the blob is deleted; {@link #deletionDone} is to follow. */
    void deletionBegun(BlobId id) {
        deletions.add(id);
        pendingDeletions.incrementAndGet();
    }

    /** A deletion has removed a file; that is to come to the disk before the segment counts as settled. */
    void fileDeleted(BlobId id) {
        deletedFiles.add(id);
    }

    Set<BlobId> deletedFiles() {
        return deletedFiles;
    }

    void deletionDone() {
        pendingDeletions.decrementAndGet();
    }

    boolean hasPendingDeletions() {
        return pendingDeletions.get() > 0;
    }

    /** What the segment deletes, unless that has come to the disk. */
    Set<BlobId> deletions() {
        return deletions;
    }

    /** All that the segment says is on the disk elsewhere. */
    void settled() {
        deletions = Set.of();
        deletedFiles.clear();
    }

    @Nullable Place find(BlobId id) throws IOException {
        while (true) {
            Map<BlobId, Place> all = memory;
            if (all != null) {
                Place place = all.get(id);
                if (place != null || memory == all) {
                    return place;
                }
            }
            PackIndex indexed = index;
            if (indexed != null) {
                PackIndex.Entry entry = indexed.find(id);
                return entry == null ? null : new Place(entry.offset(), entry.length());
            }
            // one of them has just taken the other's place
        }
    }

    /** The blob is no more. */
    void delete(BlobId id) throws IOException {
        Map<BlobId, Place> all = memory;
        PackIndex indexed = index;
        if (all != null) {
            all.remove(id);
        } else if (indexed != null) {
            indexed.mark(id);
        }
    }

    /** The same, for a deletion that is repeated at a start. */
    void deleteAgain(BlobId id) throws IOException {
        Map<BlobId, Place> all = memory;
        PackIndex indexed = index;
        if (all != null) {
            all.remove(id);
        } else if (indexed != null) {
            indexed.markInMemory(id);
        }
    }

    /** The blobs in memory, in the order of their ids; none if there is an index. */
    List<PackIndex.Entry> unindexed() {
        Map<BlobId, Place> all = memory;
        return all == null ? List.of() : sorted(all, id -> true);
    }

    private static List<PackIndex.Entry> sorted(Map<BlobId, Place> blobs, Predicate<BlobId> wanted) {
        List<PackIndex.Entry> entries = new ArrayList<>();
        blobs.forEach((id, place) -> {
            if (wanted.test(id)) {
                entries.add(new PackIndex.Entry(id, place.offset(), place.length()));
            }
        });
        entries.sort(Comparator.comparing(PackIndex.Entry::id));
        return entries;
    }

    /** From now on the index tells of the blobs. */
    void indexed(PackIndex written) {
        index = written;
        memory = null;
    }

    /** The index was damaged: from now on these are its blobs, until there is another. */
    void notIndexed(Map<BlobId, Place> blobs) {
        memory = blobs;
        PackIndex damagedIndex = index;
        index = null;
        if (damagedIndex != null) {
            damagedIndex.retire();
        }
    }

    /** The first blobs of a fan-out value, from {@code from} on to second {@code lastSecond}, at most {@code limit}, in order. */
    List<PackIndex.Entry> list(int fanOut, BlobId from, long lastSecond, int limit) throws IOException {
        while (true) {
            Map<BlobId, Place> all = memory;
            if (all != null) {
                List<PackIndex.Entry> found = sorted(all, id -> id.fanOut() == fanOut && id.compareTo(from) >= 0);
                return found.size() > limit ? found.subList(0, limit) : found;
            }
            PackIndex indexed = index;
            if (indexed != null) {
                boolean outside =
                        indexed.lastSecond() < from.createdAt().getEpochSecond() || indexed.firstSecond() > lastSecond;
                return outside ? List.of() : indexed.list(fanOut, from, limit);
            }
        }
    }

    /** The blob's bytes, or the given run of them; whole, or an exception. */
    ByteBuffer read(BlobId id, Place place, long offsetBytes, long lengthBytes) throws IOException {
        if (place.length() < 1 || place.length() > MAX_BLOB_BYTES) {
            throw new PackIndex.DamagedException("blob " + id + " has an impossible length in " + file.path());
        }
        ByteBuffer record = ByteBuffer.allocate(Segment.RECORD_HEADER_BYTES + place.length());
        file.read(record, (long) place.offset() - Segment.RECORD_HEADER_BYTES);
        if (!Segment.isPutOf(record, id, place.length())) {
            throw new PackIndex.DamagedException("blob " + id + " is not where it should be in " + file.path());
        }
        return record.slice(Segment.RECORD_HEADER_BYTES + (int) offsetBytes, (int) lengthBytes);
    }

    /** Closes its files for good. */
    void retire() {
        file.retire();
        PackIndex indexed = index;
        if (indexed != null) {
            indexed.retire();
        }
    }

    Path path() {
        return file.path();
    }
}
