package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The index of a pack, a file beside it: which blobs it has, and which of them have been deleted since. Of each index a few KiB are in
 * memory.
 *
 * <p>A page with the header: magic, number of entries, first and last second of creation, bytes of the blobs, size of the pack; for each
 * fan-out value where its entries begin, and their CRC32C; a CRC32C of all that. Then the entries, in the order of their ids: id, offset
 * in the pack, length. Then room for as many marks as there are entries, all zeros at first: a mark is the number of a dead entry, and a
 * CRC32C of it, so that no damage can make a blob look deleted. All numbers are big-endian.
 *
 * <p>Marking is durable after {@link #force}. Thread-safe.
 */
final class PackIndex {
    private static final Logger LOG = LoggerFactory.getLogger(PackIndex.class);

    static final int HEADER_BYTES = 4096;
    static final int ENTRY_BYTES = 24;
    private static final int MARK_BYTES = 8;
    private static final int MAGIC = 0x48475831; // HGX1
    private static final int FAN_OUT_OFFSET = 40;
    private static final int SUMS_OFFSET = FAN_OUT_OFFSET + (BlobId.FAN_OUT + 1) * Integer.BYTES;
    private static final int SUM_OFFSET = SUMS_OFFSET + BlobId.FAN_OUT * Integer.BYTES;
    private static final int MARKS_READ_BYTES = 64 << 10;

    /** A blob of the pack; {@code offset} is where its bytes begin. */
    record Entry(BlobId id, int offset, int length) {}

    /** The index is not what was written. */
    static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        DamagedException(String message) {
            super(message);
        }
    }

    private final PackFile file;
    private final int entries;
    private final long firstSecond;
    private final long lastSecond;
    private final long blobBytes;
    private final int packBytes;
    private final int[] begin = new int[BlobId.FAN_OUT + 1];
    private final int[] sums = new int[BlobId.FAN_OUT];
    private final AtomicLongArray dead;
    /** Guarded by this. */
    private int marks;
    /** Guarded by this. */
    private int deadEntries;
    /** Guarded by this: whether the marks on the disk may not be all that were written, as after a force that failed. */
    private boolean marksInDoubt;

    private PackIndex(PackFile file, ByteBuffer header) {
        this.file = file;
        this.entries = header.getInt(4);
        this.firstSecond = header.getLong(8);
        this.lastSecond = header.getLong(16);
        this.blobBytes = header.getLong(24);
        this.packBytes = header.getInt(32);
        header.slice(FAN_OUT_OFFSET, SUMS_OFFSET - FAN_OUT_OFFSET).asIntBuffer().get(begin);
        header.slice(SUMS_OFFSET, SUM_OFFSET - SUMS_OFFSET).asIntBuffer().get(sums);
        this.dead = new AtomicLongArray((entries >>> 6) + 1);
    }

    /**
     * Writes the index of a pack: whole, on the disk, and under its name, or not at all.
     *
     * @param sorted by id, no id twice
     * @param packBytes size of the pack's other file
     */
    static void write(Path path, List<Entry> sorted, int packBytes) throws IOException {
        Path fresh = path.resolveSibling(path.getFileName() + Packs.UNFINISHED);
        try (FileChannel channel = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer all = ByteBuffer.allocate(HEADER_BYTES + sorted.size() * (ENTRY_BYTES + MARK_BYTES));
            fill(all, sorted, packBytes);
            while (all.hasRemaining()) {
                channel.write(all);
            }
            channel.force(true);
        }
        Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void fill(ByteBuffer all, List<Entry> sorted, int packBytes) {
        int[] begin = new int[BlobId.FAN_OUT + 1];
        long blobBytes = 0;
        long first = Long.MAX_VALUE;
        long last = -1;
        all.position(HEADER_BYTES);
        for (Entry entry : sorted) {
            begin[entry.id().fanOut() + 1]++;
            blobBytes += entry.length();
            long second = entry.id().createdAt().getEpochSecond();
            first = Math.min(first, second);
            last = Math.max(last, second);
            all.putLong(entry.id().uuid().getMostSignificantBits())
                    .putLong(entry.id().uuid().getLeastSignificantBits())
                    .putInt(entry.offset())
                    .putInt(entry.length());
        }
        all.putInt(0, MAGIC)
                .putInt(4, sorted.size())
                .putLong(8, first)
                .putLong(16, last)
                .putLong(24, blobBytes)
                .putInt(32, packBytes);
        for (int fanOut = 0; fanOut < BlobId.FAN_OUT; fanOut++) {
            begin[fanOut + 1] += begin[fanOut];
            int from = HEADER_BYTES + begin[fanOut] * ENTRY_BYTES;
            int length = (begin[fanOut + 1] - begin[fanOut]) * ENTRY_BYTES;
            all.putInt(FAN_OUT_OFFSET + (fanOut + 1) * Integer.BYTES, begin[fanOut + 1]);
            all.putInt(SUMS_OFFSET + fanOut * Integer.BYTES, sum(all.slice(from, length)));
        }
        all.putInt(SUM_OFFSET, sum(all.slice(0, SUM_OFFSET)));
        all.rewind();
    }

    /** Opens the index of a pack of {@code packBytes}. */
    static PackIndex open(PackFile file, long packBytes) throws IOException {
        long size = file.sizeBytes();
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        if (size < HEADER_BYTES) {
            throw new DamagedException(file.path() + " is cut short");
        }
        file.read(header, 0);
        if (header.getInt(0) != MAGIC || header.getInt(SUM_OFFSET) != sum(header.slice(0, SUM_OFFSET))) {
            throw new DamagedException(file.path() + " has a damaged header");
        }
        PackIndex index = new PackIndex(file, header);
        if (size != HEADER_BYTES + (long) index.entries * (ENTRY_BYTES + MARK_BYTES)) {
            throw new DamagedException(file.path() + " has not the length that its header says");
        }
        if (packBytes < index.packBytes) {
            throw new DamagedException(file.path() + " is of a pack that was longer");
        }
        index.readMarks();
        return index;
    }

    private synchronized void readMarks() throws IOException {
        int left = entries;
        while (left > 0) {
            ByteBuffer some = ByteBuffer.allocate(Math.min(MARKS_READ_BYTES, left * MARK_BYTES));
            file.read(some, marksOffset() + (long) marks * MARK_BYTES);
            some.flip();
            while (some.hasRemaining()) {
                int number = some.getInt();
                int sum = some.getInt();
                if (number == 0 && sum == 0) {
                    return;
                }
                marks++;
                left--;
                if (number >= 0 && number < entries && sum == sumOfMark(number)) {
                    setDead(number);
                }
            }
        }
    }

    private long marksOffset() {
        return HEADER_BYTES + (long) entries * ENTRY_BYTES;
    }

    long firstSecond() {
        return firstSecond;
    }

    long lastSecond() {
        return lastSecond;
    }

    synchronized int liveEntries() {
        return entries - deadEntries;
    }

    /** Taking dead blobs to be as long as others. */
    synchronized long liveBytes() {
        return entries == 0 ? 0 : (long) ((double) blobBytes * (entries - deadEntries) / entries);
    }

    /** The blob's entry, if it is there and not dead. */
    @Nullable Entry find(BlobId id) throws IOException {
        int number = numberOf(id);
        return number < 0 || isDead(number) ? null : entry(bucket(id.fanOut()), number - begin[id.fanOut()]);
    }

    /** The entry's number, dead or not; negative if there is none. */
    private int numberOf(BlobId id) throws IOException {
        long second = id.createdAt().getEpochSecond();
        int fanOut = id.fanOut();
        if (second < firstSecond || second > lastSecond || begin[fanOut] == begin[fanOut + 1]) {
            return -1;
        }
        int at = search(bucket(fanOut), id);
        return at < 0 ? -1 : begin[fanOut] + at;
    }

    /** As {@link java.util.Arrays#binarySearch}. */
    private static int search(ByteBuffer bucket, BlobId id) {
        long high = id.uuid().getMostSignificantBits();
        long low = id.uuid().getLeastSignificantBits();
        int from = 0;
        int to = bucket.capacity() / ENTRY_BYTES - 1;
        while (from <= to) {
            int middle = (from + to) >>> 1;
            int order = Long.compareUnsigned(bucket.getLong(middle * ENTRY_BYTES), high);
            if (order == 0) {
                order = Long.compareUnsigned(bucket.getLong(middle * ENTRY_BYTES + Long.BYTES), low);
            }
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                from = middle + 1;
            } else {
                to = middle - 1;
            }
        }
        return -from - 1;
    }

    /** The entries of a fan-out value. */
    private ByteBuffer bucket(int fanOut) throws IOException {
        ByteBuffer bucket = ByteBuffer.allocate((begin[fanOut + 1] - begin[fanOut]) * ENTRY_BYTES);
        file.read(bucket, HEADER_BYTES + (long) begin[fanOut] * ENTRY_BYTES);
        if (sum(bucket.slice(0, bucket.capacity())) != sums[fanOut]) {
            throw new DamagedException(file.path() + " is damaged at fan-out " + fanOut);
        }
        return bucket;
    }

    private static Entry entry(ByteBuffer bucket, int at) {
        int from = at * ENTRY_BYTES;
        return new Entry(
                new BlobId(new UUID(bucket.getLong(from), bucket.getLong(from + 8))),
                bucket.getInt(from + 16),
                bucket.getInt(from + 20));
    }

    /** The first entries that are not dead, of a fan-out value, from {@code from} on, at most {@code limit}. */
    List<Entry> list(int fanOut, BlobId from, int limit) throws IOException {
        List<Entry> page = new ArrayList<>();
        if (begin[fanOut] == begin[fanOut + 1]) {
            return page;
        }
        ByteBuffer bucket = bucket(fanOut);
        int first = search(bucket, from);
        int count = bucket.capacity() / ENTRY_BYTES;
        for (int at = first < 0 ? -first - 1 : first; at < count && page.size() < limit; at++) {
            if (!isDead(begin[fanOut] + at)) {
                page.add(entry(bucket, at));
            }
        }
        return page;
    }

    /** All that are not dead, in the order of their ids. */
    List<Entry> live() throws IOException {
        List<Entry> all = new ArrayList<>();
        for (int fanOut = 0; fanOut < BlobId.FAN_OUT; fanOut++) {
            all.addAll(list(fanOut, BlobId.of(0, 0, fanOut, 0), Integer.MAX_VALUE));
        }
        return all;
    }

    /** Those that are dead, as far as they can be read. */
    Set<BlobId> deadIds() throws IOException {
        Set<BlobId> ids = new HashSet<>();
        for (int fanOut = 0; fanOut < BlobId.FAN_OUT; fanOut++) {
            try {
                ByteBuffer bucket = bucket(fanOut);
                for (int at = 0; at < bucket.capacity() / ENTRY_BYTES; at++) {
                    if (isDead(begin[fanOut] + at)) {
                        ids.add(entry(bucket, at).id());
                    }
                }
            } catch (DamagedException lost) {
                LOG.debug("what was deleted of fan-out {} is lost", fanOut, lost);
            }
        }
        return ids;
    }

    private boolean isDead(int number) {
        return (dead.get(number >>> 6) >>> number & 1) != 0;
    }

    private void setDead(int number) {
        if (!isDead(number)) {
            dead.set(number >>> 6, dead.get(number >>> 6) | 1L << number);
            deadEntries++;
        }
    }

    /** Marks the blob dead, if it is there. */
    synchronized void mark(BlobId id) throws IOException {
        int number = numberOf(id);
        if (number < 0 || isDead(number)) {
            return;
        }
        if (marks < entries) {
            writeMark(number, marks);
            marks++;
        } else {
            marksInDoubt = true; // some slots are of no use: they are all written again
        }
        setDead(number);
    }

    /** The same, but what there is of its mark on the disk is not trusted; written, if need be again, with the next {@link #force}. */
    synchronized void markInMemory(BlobId id) throws IOException {
        int number = numberOf(id);
        if (number >= 0) {
            setDead(number);
            marksInDoubt = true;
        }
    }

    private void writeMark(int number, int at) throws IOException {
        file.write(
                ByteBuffer.allocate(MARK_BYTES)
                        .putInt(number)
                        .putInt(sumOfMark(number))
                        .flip(),
                marksOffset() + (long) at * MARK_BYTES);
    }

    /** Puts the marks on the disk. */
    void force() throws IOException {
        rewriteMarksInDoubt();
        if (file.isUnforced()) {
            file.force();
        }
    }

    private synchronized void rewriteMarksInDoubt() throws IOException {
        if (!marksInDoubt) {
            return;
        }
        ByteBuffer all = ByteBuffer.allocate(deadEntries * MARK_BYTES);
        for (int number = 0; number < entries; number++) {
            if (isDead(number)) {
                all.putInt(number).putInt(sumOfMark(number));
            }
        }
        file.write(all.flip(), marksOffset());
        marks = deadEntries;
        marksInDoubt = false;
    }

    /** Closes the file for good. */
    void retire() {
        file.retire();
    }

    private static int sumOfMark(int number) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).putInt(0, MAGIC).putInt(4, number));
        return (int) crc.getValue();
    }

    private static int sum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
