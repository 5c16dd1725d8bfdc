package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file of records, written once from its beginning to its end: a part of the journal while it is written, a pack of blobs ever after.
 *
 * <p>A page with the header: magic, kind, salt (random), the generations of the packs that it replaces, CRC32C; on the disk before
 * anything else. Then batches: magic, length, salt, CRC32C of salt and content, content. A batch counts if its salt is the header's and
 * its sum is right. The content is a run of records: type, length, id, and a put's bytes. All numbers are big-endian.
 */
final class Segment implements AutoCloseable {
    static final int HEADER_BYTES = 4096;
    static final int BATCH_HEADER_BYTES = 24;
    static final int RECORD_HEADER_BYTES = 24;
    static final int PUT = 1;
    static final int DELETE = 2;
    /** A blob that the journal deletes was put again, as a file of its own. */
    static final int KEPT = 3;

    static final int MAX_REPLACED = 256;

    private static final int MAGIC = 0x48474B31; // HGK1
    private static final int EARLIER_MAGIC = 0x48474A31; // HGJ1
    private static final int BATCH_MAGIC = 0x48474231; // HGB1
    private static final int REPLACED_OFFSET = 24;
    private static final int SUM_OFFSET = HEADER_BYTES - Integer.BYTES;
    private static final int ZEROS_BYTES = 1 << 20;
    private static final int WINDOW_BYTES = 256 << 10;

    /** Hears the records of a segment, in the order in which they were written. */
    interface Visitor {
        /** A blob; its {@code bytes} begin at {@code offset} in the segment. */
        void put(BlobId id, int offset, ByteBuffer bytes) throws IOException;

        void delete(BlobId id) throws IOException;

        void kept(BlobId id) throws IOException;
    }

    private enum Kind {
        JOURNAL,
        COMPACTED,
        /** One of the version before packs, written over and over; released. */
        EARLIER_FREE,
        /** The same, in use. */
        EARLIER_IN_USE,
        /** The header is damaged, and the first batch told the salt. */
        DAMAGED
    }

    private final Path path;
    private final FileChannel channel;
    private final int sizeBytes;
    private Kind kind = Kind.JOURNAL;
    private List<Long> replaced = List.of();
    private long generation;
    private long salt;
    private int position = HEADER_BYTES;
    private int records;

    private Segment(Path path, FileChannel channel, int sizeBytes) {
        this.path = path;
        this.channel = channel;
        this.sizeBytes = sizeBytes;
    }

    /** Makes a segment to be written by the journal; all of its blocks, and its header, are on the disk. */
    static void allocate(Path path, int sizeBytes) throws IOException {
        try (Segment segment = create(path, sizeBytes, Kind.JOURNAL, List.of())) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS_BYTES);
            for (int at = HEADER_BYTES; at < sizeBytes; ) {
                at += segment.channel.write(zeros.clear().limit(Math.min(ZEROS_BYTES, sizeBytes - at)), at);
            }
            segment.channel.force(true);
        }
    }

    /** Makes an empty segment that is to replace packs, at most {@link #MAX_REPLACED}. */
    static Segment compacted(Path path, int maxBytes, List<Long> replaced) throws IOException {
        return create(path, maxBytes, Kind.COMPACTED, replaced);
    }

    private static Segment create(Path path, int sizeBytes, Kind kind, List<Long> replaced) throws IOException {
        Segment segment = new Segment(
                path,
                FileChannel.open(
                        path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                sizeBytes);
        try {
            segment.kind = kind;
            segment.replaced = List.copyOf(replaced);
            segment.salt = ThreadLocalRandom.current().nextLong();
            segment.writeHeader();
            return segment;
        } catch (Throwable failure) {
            segment.close();
            throw failure;
        }
    }

    /** Opens one that was {@linkplain #allocate allocated} and has no records yet, to append them. */
    static Segment openToAppend(Path path) throws IOException {
        return open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Opens one to read what it says. */
    static Segment openToRead(Path path) throws IOException {
        return open(path, StandardOpenOption.READ);
    }

    private static Segment open(Path path, StandardOpenOption... options) throws IOException {
        FileChannel channel = FileChannel.open(path, options);
        try {
            if (channel.size() > Integer.MAX_VALUE) {
                throw new IOException(path + " is larger than any segment");
            }
            Segment segment = new Segment(path, channel, (int) channel.size());
            segment.readHeader();
            return segment;
        } catch (Throwable failure) {
            channel.close();
            throw failure;
        }
    }

    Path path() {
        return path;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    /** How far it is written, if this object has written or visited it. */
    int usedBytes() {
        return position;
    }

    boolean isCompacted() {
        return kind == Kind.COMPACTED;
    }

    /** Whether nothing is known of it, not even how to tell its records from rubbish. */
    boolean isUnreadable() {
        return kind == Kind.DAMAGED && salt == 0;
    }

    /** Whether the version before packs may have left records in it that are nowhere else. */
    boolean isEarlierInUse() {
        return kind == Kind.EARLIER_IN_USE;
    }

    /** Of a segment of the version before packs: greater for later ones. */
    long earlierGeneration() {
        return generation;
    }

    /** Generations of the packs whose blobs it has. */
    List<Long> replaced() {
        return replaced;
    }

    boolean fits(int contentBytes, int moreRecords, int maxRecords) {
        return (long) position + BATCH_HEADER_BYTES + contentBytes <= sizeBytes && records + moreRecords <= maxRecords;
    }

    boolean isEmpty() {
        return records == 0;
    }

    /**
     * Appends a batch; it is durable after {@link #force}. On an exception it may or may not be there.
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
        position = at + BATCH_HEADER_BYTES + length;
        records += recordCount;
        return at;
    }

    /** Puts what was appended on the disk. */
    void force() throws IOException {
        channel.force(false);
    }

    /** Gives back the room behind the last record; nothing can be appended any more. */
    void trim() throws IOException {
        channel.truncate(position);
    }

    /**
     * Shows {@code visitor} every record that can be read. Those after a damaged place are shown too: a record says all that is to be
     * known of its blob.
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
                    int torn = tornBytes(at);
                    position = at + torn;
                    return new Damage(gaps, gapBytes, torn);
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
        ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES);
        for (int at = from; at + BATCH_HEADER_BYTES <= sizeBytes; at += WINDOW_BYTES - BATCH_HEADER_BYTES + 1) {
            window.clear().limit(Math.min(WINDOW_BYTES, sizeBytes - at));
            read(window, at);
            for (int i = 0; i + BATCH_HEADER_BYTES <= window.limit(); i++) {
                if (window.getInt(i) == BATCH_MAGIC && window.getLong(i + 8) == salt && contentAt(at + i) != null) {
                    return at + i;
                }
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

    private static void visitBatch(ByteBuffer content, int contentOffset, Visitor visitor) throws IOException {
        while (content.hasRemaining()) {
            int type = content.getInt();
            int length = content.getInt();
            BlobId id = new BlobId(new UUID(content.getLong(), content.getLong()));
            switch (type) {
                case DELETE -> visitor.delete(id);
                case KEPT -> visitor.kept(id);
                default -> {
                    visitor.put(id, contentOffset + content.position(), content.slice(content.position(), length));
                    content.position(content.position() + length);
                }
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

    /** Whether {@code record} begins with the header of that put. */
    static boolean isPutOf(ByteBuffer record, BlobId id, int length) {
        return record.getInt(0) == PUT
                && record.getInt(4) == length
                && record.getLong(8) == id.uuid().getMostSignificantBits()
                && record.getLong(16) == id.uuid().getLeastSignificantBits();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void writeHeader() throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        header.putInt(0, MAGIC)
                .putInt(4, kind == Kind.COMPACTED ? 1 : 0)
                .putLong(8, salt)
                .putInt(16, replaced.size());
        for (int i = 0; i < replaced.size(); i++) {
            header.putLong(REPLACED_OFFSET + i * Long.BYTES, replaced.get(i));
        }
        header.putInt(SUM_OFFSET, plainSum(header.slice(0, SUM_OFFSET)));
        writeFully(header, 0);
    }

    private void readHeader() throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        if (sizeBytes >= HEADER_BYTES) {
            read(header, 0);
        }
        if (header.getInt(0) == MAGIC && header.getInt(SUM_OFFSET) == plainSum(header.slice(0, SUM_OFFSET))) {
            kind = header.getInt(4) == 1 ? Kind.COMPACTED : Kind.JOURNAL;
            salt = header.getLong(8);
            List<Long> generations = new ArrayList<>();
            for (int i = 0; i < header.getInt(16); i++) {
                generations.add(header.getLong(REPLACED_OFFSET + i * Long.BYTES));
            }
            replaced = List.copyOf(generations);
        } else if (header.getInt(0) == EARLIER_MAGIC && header.getInt(24) == plainSum(header.slice(0, 24))) {
            kind = header.getInt(4) == 1 ? Kind.EARLIER_IN_USE : Kind.EARLIER_FREE;
            generation = header.getLong(8);
            salt = header.getLong(16);
        } else {
            kind = Kind.DAMAGED;
            takeSaltOfFirstBatch();
        }
    }

    private void takeSaltOfFirstBatch() throws IOException {
        ByteBuffer first = ByteBuffer.allocate(BATCH_HEADER_BYTES);
        if (sizeBytes < HEADER_BYTES + BATCH_HEADER_BYTES) {
            return;
        }
        read(first, HEADER_BYTES);
        salt = first.getLong(8);
        if (contentAt(HEADER_BYTES) == null) {
            salt = 0;
        }
    }

    private static int plainSum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static int sum(long salt, ByteBuffer content) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, salt));
        crc.update(content.slice());
        return (int) crc.getValue();
    }

    private void read(ByteBuffer target, long at) throws IOException {
        long from = at;
        while (target.hasRemaining()) {
            int count = channel.read(target, from);
            if (count < 0) {
                throw new IOException("segment " + path + " ends early");
            }
            from += count;
        }
    }

    private void writeFully(ByteBuffer source, long at) throws IOException {
        long to = at;
        while (source.hasRemaining()) {
            to += channel.write(source, to);
        }
    }
}
