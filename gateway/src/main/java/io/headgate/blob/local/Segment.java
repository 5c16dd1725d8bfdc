package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One file of the journal, written in place from end to end, over and over: its blocks are allocated once, so that forcing it writes
 * data and no file system metadata.
 *
 * <p>A page with the header: magic, state (1 while in use), generation (orders the segments), salt (random at each use), CRC32C. Then
 * batches: magic, length, salt, CRC32C of salt and content, content. A batch counts if its salt is the header's and its sum is right.
 * The content is a run of records: type, length, id, and a put's bytes. All numbers are
 * big-endian.
 */
final class Segment implements AutoCloseable {
    static final int HEADER_BYTES = 4096;
    static final int BATCH_HEADER_BYTES = 24;
    static final int RECORD_HEADER_BYTES = 24;
    static final int PUT = 1;
    static final int DELETE = 2;

    private static final int MAGIC = 0x48474A31; // HGJ1
    private static final int BATCH_MAGIC = 0x48474231; // HGB1
    private static final int HEADER_LENGTH = 32;
    private static final int ZEROS_BYTES = 1 << 20;

    /** Hears the records of a segment, in the order in which they were written. */
    interface Visitor {
        /** A blob of {@code length} bytes, which begin at {@code offset} in the segment. */
        void put(BlobId id, int length, long offset) throws IOException;

        void delete(BlobId id) throws IOException;
    }

    private final Path path;
    private final FileChannel channel;
    private final int sizeBytes;
    private final AtomicInteger unsettled = new AtomicInteger();
    private boolean inUse;
    private long generation;
    private long salt;
    private int position;
    private int records;

    private Segment(Path path, FileChannel channel, int sizeBytes) {
        this.path = path;
        this.channel = channel;
        this.sizeBytes = sizeBytes;
    }

    /** Makes a segment, its blocks allocated and on the disk. */
    static Segment create(Path path, int sizeBytes) throws IOException {
        Segment segment = new Segment(
                path,
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                sizeBytes);
        try {
            ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS_BYTES);
            for (int at = 0; at < sizeBytes; ) {
                at += segment.channel.write(zeros.clear().limit(Math.min(ZEROS_BYTES, sizeBytes - at)), at);
            }
            segment.channel.force(true);
        } catch (Throwable failure) {
            segment.close();
            Files.deleteIfExists(path); // half a segment would only take up room
            throw failure;
        }
        return segment;
    }

    /** Opens a segment, whatever state it is in; a file that was not made to its end is made again. */
    static Segment open(Path path, int sizeBytes) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (channel.size() < sizeBytes) {
                channel.close();
                return create(path, sizeBytes);
            }
            Segment segment = new Segment(path, channel, Math.toIntExact(channel.size()));
            segment.readHeader();
            return segment;
        } catch (Throwable failure) {
            channel.close();
            throw failure;
        }
    }

    /** Whether the segment at {@code path} may hold records that are nowhere else. Changes nothing. */
    static boolean isInUse(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            Segment segment = new Segment(path, channel, 0);
            if (channel.size() >= HEADER_BYTES) {
                segment.readHeader();
            }
            return segment.inUse;
        }
    }

    Path path() {
        return path;
    }

    /** Whether it may hold records that are nowhere else. */
    boolean inUse() {
        return inUse;
    }

    /** Of the latest use, greater for later ones. */
    long generation() {
        return generation;
    }

    boolean fits(int contentBytes, int moreRecords, int maxRecords) {
        return position + BATCH_HEADER_BYTES + contentBytes <= sizeBytes && records + moreRecords <= maxRecords;
    }

    boolean isEmpty() {
        return records == 0;
    }

    /** Begins a new use. On the disk only with the first batch. */
    void begin(long newGeneration) throws IOException {
        inUse = true;
        generation = newGeneration;
        salt = ThreadLocalRandom.current().nextLong();
        position = HEADER_BYTES;
        records = 0;
        writeHeader();
    }

    /**
     * Appends a batch and forces it to the disk; on an exception it may or may not be there.
     *
     * @param batch {@link #BATCH_HEADER_BYTES} for the header, then the content
     * @return where the batch begins
     */
    int append(ByteBuffer batch, int recordCount) throws IOException {
        int length = batch.remaining() - BATCH_HEADER_BYTES;
        batch.putInt(0, BATCH_MAGIC)
                .putInt(4, length)
                .putLong(8, salt)
                .putInt(16, sum(salt, batch.slice(BATCH_HEADER_BYTES, length)))
                .putInt(20, 0);
        int at = position;
        writeFully(batch, at);
        channel.force(false);
        position = at + BATCH_HEADER_BYTES + length;
        records += recordCount;
        return at;
    }

    /** A put of this segment has yet to reach its own file. */
    void unsettled() {
        unsettled.incrementAndGet();
    }

    void settled() {
        unsettled.decrementAndGet();
    }

    boolean isSettled() {
        return unsettled.get() == 0;
    }

    /** Ends the use, on the disk: to be done when all that the records say is on the disk elsewhere. */
    void release() throws IOException {
        inUse = false;
        records = 0;
        writeHeader();
        channel.force(false);
    }

    void read(ByteBuffer target, long at) throws IOException {
        read(channel, target, at);
    }

    /** As {@link #read}, through a channel of its own. */
    void readAside(ByteBuffer target, long at) throws IOException {
        try (FileChannel own = FileChannel.open(path, StandardOpenOption.READ)) {
            read(own, target, at);
        }
    }

    private void read(FileChannel channel, ByteBuffer target, long at) throws IOException {
        long from = at;
        while (target.hasRemaining()) {
            int count = channel.read(target, from);
            if (count < 0) {
                throw new IOException("journal segment " + path + " ends early");
            }
            from += count;
        }
    }

    /**
     * Shows {@code visitor} every record of the current use that can be read. Those after a damaged place are shown too: a record says all
     * that is to be known of its blob.
     */
    Damage visit(Visitor visitor) throws IOException {
        int gaps = 0;
        int gapBytes = 0;
        int at = HEADER_BYTES;
        while (true) {
            ByteBuffer content = contentAt(at);
            if (content == null) {
                int next = nextBatch(at + 1);
                if (next < 0) {
                    return new Damage(gaps, gapBytes, tornBytes(at));
                }
                gaps++;
                gapBytes += next - at;
                at = next;
            } else {
                int length = content.remaining();
                visitBatch(content, at + BATCH_HEADER_BYTES, visitor);
                at += BATCH_HEADER_BYTES + length;
            }
        }
    }

    /**
     * What could not be read of a segment.
     *
     * @param gaps places with later batches behind them: what they held had been acknowledged
     * @param gapBytes the length of those places
     * @param tornBytes the length of a last batch that was not written to its end, as a crash leaves it: nobody was told of it
     */
    record Damage(int gaps, int gapBytes, int tornBytes) {}

    /** The content of the batch that begins there, or {@code null} if none does. */
    private @Nullable ByteBuffer contentAt(int at) throws IOException {
        ByteBuffer header = batchHeader(at);
        if (header == null) {
            return null;
        }
        int length = header.getInt(4);
        if (length < RECORD_HEADER_BYTES || length > sizeBytes - at - BATCH_HEADER_BYTES) {
            return null;
        }
        ByteBuffer content = ByteBuffer.allocate(length);
        read(content, at + BATCH_HEADER_BYTES);
        return header.getInt(16) == sum(salt, content.flip()) ? content : null;
    }

    /** Where the next batch begins, at {@code from} or later; negative if there is none. */
    private int nextBatch(int from) throws IOException {
        if (from + BATCH_HEADER_BYTES > sizeBytes) {
            return -1;
        }
        ByteBuffer rest = ByteBuffer.allocate(sizeBytes - from);
        read(rest, from);
        for (int i = 0; i + BATCH_HEADER_BYTES <= rest.capacity(); i++) {
            if (rest.getInt(i) == BATCH_MAGIC && rest.getLong(i + 8) == salt && contentAt(from + i) != null) {
                return from + i;
            }
        }
        return -1;
    }

    private @Nullable ByteBuffer batchHeader(int at) throws IOException {
        if (at + BATCH_HEADER_BYTES > sizeBytes) {
            return null;
        }
        ByteBuffer header = ByteBuffer.allocate(BATCH_HEADER_BYTES);
        read(header, at);
        return header.getInt(0) == BATCH_MAGIC && header.getLong(8) == salt ? header : null;
    }

    private int tornBytes(int at) throws IOException {
        ByteBuffer header = batchHeader(at);
        return header == null ? 0 : Math.clamp(header.getInt(4), 0, sizeBytes - at - BATCH_HEADER_BYTES);
    }

    private static void visitBatch(ByteBuffer content, long contentOffset, Visitor visitor) throws IOException {
        while (content.hasRemaining()) {
            int type = content.getInt();
            int length = content.getInt();
            BlobId id = new BlobId(new UUID(content.getLong(), content.getLong()));
            if (type == DELETE) {
                visitor.delete(id);
            } else {
                visitor.put(id, length, contentOffset + content.position());
                content.position(content.position() + length);
            }
        }
    }

    /** Writes a record's header into the first {@link #RECORD_HEADER_BYTES} of {@code record}. */
    static void writeRecordHeader(ByteBuffer record, int type, int length, BlobId id) {
        record.putInt(0, type)
                .putInt(4, length)
                .putLong(8, id.uuid().getMostSignificantBits())
                .putLong(16, id.uuid().getLeastSignificantBits());
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void readHeader() throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH);
        read(header, 0);
        // A torn header was never followed by anything acknowledged, or ended a use whose records are safe: not in use.
        boolean whole = header.getInt(0) == MAGIC && header.getInt(24) == headerSum(header);
        inUse = whole && header.getInt(4) == 1;
        generation = whole ? header.getLong(8) : 0;
        salt = header.getLong(16);
    }

    private void writeHeader() throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH);
        header.putInt(0, MAGIC).putInt(4, inUse ? 1 : 0).putLong(8, generation).putLong(16, salt);
        header.putInt(24, headerSum(header));
        writeFully(header, 0);
    }

    private static int headerSum(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.slice(0, 24));
        return (int) crc.getValue();
    }

    private static int sum(long salt, ByteBuffer content) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, salt));
        crc.update(content.slice());
        return (int) crc.getValue();
    }

    private void writeFully(ByteBuffer source, long at) throws IOException {
        long to = at;
        while (source.hasRemaining()) {
            to += channel.write(source, to);
        }
    }
}
