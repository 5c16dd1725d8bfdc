package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes small puts, and all deletes, durable: what is asked for at the same time is appended together to a segment and forced to the disk
 * once. A segment that is full becomes a pack: what was put stays where it was written.
 *
 * <p>The <em>flusher</em> appends batches, and wakes those who wait for them; the <em>keeper</em> does the rest ({@link PackKeeper}).
 *
 * <p>Opening the journal repeats what its last segments say, as after a crash. A failure to write it is final: it must be closed and
 * opened again. Thread-safe.
 */
final class Journal implements AutoCloseable {
    /**
     * Bounds.
     *
     * @param maxBlobBytes the longest blob that goes through the journal
     * @param segmentBytes of a segment while the account has few blobs
     * @param maxSegmentBytes of a segment, and of a pack that is made of others
     * @param batchBytes the most that is forced together, headers included
     * @param maxRecords in a segment: bounds the memory that one takes until its index is written
     * @param maxOpenFiles of packs
     * @param freshFor how far from the present a blob's second of creation may be. An older one would widen the range of seconds of its
     *     pack, and look-ups ask every pack whose range has the blob's second
     */
    record Sizes(
            int maxBlobBytes,
            int segmentBytes,
            int maxSegmentBytes,
            int batchBytes,
            int maxRecords,
            int maxOpenFiles,
            Duration freshFor) {
        static final Sizes DEFAULT =
                new Sizes(16 << 10, 8 << 20, 64 << 20, 1 << 20, 65_536, 256, Duration.ofSeconds(10));

        /** Room for segments made ahead, and for a pack that is made of others. */
        long heldBackBytes() {
            return 2L * maxSegmentBytes;
        }

        /** Any batch fits into a segment of this size, twice. */
        int leastSegmentBytes() {
            return Segment.HEADER_BYTES + 2 * batchBytes;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    private record Put(BlobId id, int length, int offset) {}

    /** Records that go to the disk together. Filled under the lock, then the flusher's; its outcome is visible once it is done. */
    private static final class Batch {
        final ByteBuffer buffer;
        final List<Put> puts = new ArrayList<>();
        final List<BlobId> deletes = new ArrayList<>();
        int kept;
        final CountDownLatch done = new CountDownLatch(1);

        PackKeeper.@Nullable Active segment;

        @Nullable IOException failure;

        Batch(ByteBuffer buffer) {
            this.buffer = buffer.clear().position(Segment.BATCH_HEADER_BYTES);
        }

        int records() {
            return puts.size() + deletes.size() + kept;
        }

        int contentBytes() {
            return buffer.position() - Segment.BATCH_HEADER_BYTES;
        }
    }

    private final Sizes sizes;
    private final BlobFiles files;
    private final Packs packs;
    private final PackKeeper keeper;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition recordsCame = lock.newCondition();
    private final Condition roomCame = lock.newCondition();
    private Batch filling;
    private boolean closing;
    private @Nullable IOException failure;
    /** Whether the last puts found no segment. */
    private volatile boolean refusing;

    // Of the flusher alone
    private ByteBuffer spareBuffer;
    private PackKeeper.@Nullable Active active;

    private final Thread flusherThread;
    private final Thread keeperThread;

    private interface Work {
        void run() throws IOException;
    }

    /**
     * Opens the journal and the packs in {@code directory}, which exists, and repeats what they hold.
     *
     * @param name for the names of its threads
     */
    Journal(String name, Path directory, BlobFiles files, Sizes sizes) throws IOException {
        this.sizes = sizes;
        this.files = files;
        PackRecovery.Recovered recovered = PackRecovery.open(directory, files, true, sizes.maxOpenFiles());
        this.packs = recovered.packs();
        try {
            this.keeper = new PackKeeper(recovered, files, sizes);
        } catch (Throwable failed) {
            packs.close();
            throw failed;
        }
        this.filling = new Batch(ByteBuffer.allocateDirect(sizes.batchBytes()));
        this.spareBuffer = ByteBuffer.allocateDirect(sizes.batchBytes());
        this.flusherThread = thread(name + "-flusher", this::flush);
        this.keeperThread = thread(name + "-keeper", keeper::keep);
        flusherThread.start();
        keeperThread.start();
    }

    private Thread thread(String name, Work work) {
        return Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            try {
                work.run();
            } catch (IOException stopped) {
                LOG.warn(
                        "{} stopped, what it has not finished is repeated at the next opening: {}",
                        name,
                        stopped.toString());
                fail(stopped);
            } catch (RuntimeException | Error bug) {
                fail(new IOException(name + " stopped: " + bug, bug));
                throw bug;
            }
        });
    }

    /**
     * Returns when the blob is durable.
     *
     * @param record {@link Segment#RECORD_HEADER_BYTES} that this method fills, then the bytes
     * @param limit how long to wait for that; when it is over the blob may or may not become durable
     */
    void put(BlobId id, byte[] record, Duration limit) throws IOException {
        long deadlineNanos = System.nanoTime() + limit.toNanos();
        int length = record.length - Segment.RECORD_HEADER_BYTES;
        Segment.writeRecordHeader(ByteBuffer.wrap(record), Segment.PUT, length, id);
        try {
            Batch batch;
            lock.lockInterruptibly();
            try {
                refuseWithoutRoom();
                batch = batchWithRoomFor(record.length, deadlineNanos);
                batch.puts.add(new Put(id, length, batch.buffer.position() + Segment.RECORD_HEADER_BYTES));
                batch.buffer.put(record);
                recordsCame.signal();
            } finally {
                lock.unlock();
            }
            if (!batch.done.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw late();
            }
            throwIfFailed(batch);
        } catch (InterruptedException interrupt) {
            throw interrupted(interrupt);
        }
    }

    /** A full disk is cured by deletions: what room there is, is theirs. */
    private void refuseWithoutRoom() throws IOException {
        if (refusing) {
            IOException trouble = keeper.trouble();
            if (trouble != null) {
                throw noRoom(trouble);
            }
            refusing = false;
        }
    }

    private static IOException noRoom(@Nullable IOException trouble) {
        return new IOException(
                "the journal has no room" + (trouble == null ? "" : ": " + trouble.getMessage()), trouble);
    }

    /** Removes the blob and returns when its absence is durable. */
    void delete(BlobId id) throws IOException {
        Batch batch = appendRecord(Segment.DELETE, id);
        PackKeeper.Active segment = batch.segment;
        if (segment == null) {
            throw new IllegalStateException("a batch that did not fail has no segment");
        }
        try {
            packs.delete(id);
            if (files.delete(id)) {
                segment.pack().fileDeleted(id);
            }
        } finally {
            segment.pack().deletionDone();
        }
    }

    /** The blob has a file of its own, on the disk: if an earlier deletion of it might be repeated one day, that is made impossible. */
    void keep(BlobId id) throws IOException {
        if (packs.wouldDelete(id)) {
            appendRecord(Segment.KEPT, id);
        }
    }

    /** Returns when the record is on the disk. */
    private Batch appendRecord(int type, BlobId id) throws IOException {
        byte[] record = new byte[Segment.RECORD_HEADER_BYTES];
        Segment.writeRecordHeader(ByteBuffer.wrap(record), type, 0, id);
        Batch batch;
        try {
            lock.lockInterruptibly();
            try {
                batch = batchWithRoomFor(record.length, System.nanoTime() + Long.MAX_VALUE);
                if (type == Segment.DELETE) {
                    batch.deletes.add(id);
                } else {
                    batch.kept++;
                }
                batch.buffer.put(record);
                recordsCame.signal();
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException interrupt) {
            throw interrupted(interrupt);
        }
        // Not interruptible from here: the segment does not settle before its deletions are done.
        awaitUninterruptibly(batch.done);
        throwIfFailed(batch);
        return batch;
    }

    /** The blobs that were put. */
    Packs packs() {
        return packs;
    }

    /** Why the journal works no more, if so: it is to be closed and opened again. */
    @Nullable IOException failure() {
        lock.lock();
        try {
            return failure;
        } finally {
            lock.unlock();
        }
    }

    private Batch batchWithRoomFor(int bytes, long deadlineNanos) throws IOException, InterruptedException {
        while (true) {
            if (failure != null) {
                throw new IOException(String.valueOf(failure.getMessage()), failure);
            }
            if (closing) {
                throw new IOException("the account is closed");
            }
            if (filling.buffer.remaining() >= bytes && filling.records() < sizes.maxRecords()) {
                return filling;
            }
            if (roomCame.awaitNanos(deadlineNanos - System.nanoTime()) <= 0) {
                throw late();
            }
        }
    }

    private static IOException late() {
        return new IOException("the journal has not come to the disk in time");
    }

    private static void throwIfFailed(Batch batch) throws IOException {
        if (batch.failure != null) {
            throw new IOException(String.valueOf(batch.failure.getMessage()), batch.failure);
        }
    }

    private static InterruptedIOException interrupted(InterruptedException interrupt) {
        Thread.currentThread().interrupt();
        InterruptedIOException failure = new InterruptedIOException("interrupted while waiting for the journal");
        failure.initCause(interrupt);
        return failure;
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // The flusher

    private void flush() throws IOException {
        while (true) {
            Batch batch = nextBatch();
            if (batch == null) {
                seal();
                return;
            }
            try {
                PackKeeper.Active segment = segmentFor(batch);
                if (segment != null) {
                    append(segment, batch);
                }
            } catch (IOException cause) {
                batch.failure = cause;
                throw cause;
            } catch (RuntimeException | Error bug) {
                batch.failure = new IOException("the journal failed: " + bug, bug);
                throw bug;
            } finally {
                spareBuffer = batch.buffer;
                batch.done.countDown();
            }
        }
    }

    /** Waits for records; {@code null} at the end. */
    private @Nullable Batch nextBatch() {
        lock.lock();
        try {
            while (filling.records() == 0) {
                if (closing || failure != null) {
                    return null;
                }
                recordsCame.awaitUninterruptibly();
            }
            if (failure != null) {
                return null;
            }
            Batch batch = filling;
            filling = new Batch(spareBuffer);
            roomCame.signalAll();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** The segment for the batch; {@code null} if there is none at present, which fails this batch only. */
    private PackKeeper.@Nullable Active segmentFor(Batch batch) throws IOException {
        PackKeeper.Active segment = active;
        boolean wanted = segment == null
                || !segment.segment().fits(batch.contentBytes(), batch.records(), sizes.maxRecords())
                || (segment.isReserve() && keeper.trouble() == null);
        if (!wanted) {
            return segment;
        }
        PackKeeper.Active next = keeper.take(batch.puts.size() < batch.records());
        if (next == null) {
            refusing = true;
            batch.failure = noRoom(keeper.trouble());
            return null;
        }
        refusing = next.isReserve();
        seal();
        active = next;
        return next;
    }

    private void append(PackKeeper.Active segment, Batch batch) throws IOException {
        int at = segment.segment().append(batch.buffer.flip(), batch.records());
        segment.segment().force();
        batch.segment = segment;
        for (Put put : batch.puts) {
            segment.pack().add(put.id(), new Pack.Place(at + put.offset(), put.length()));
        }
        for (BlobId id : batch.deletes) {
            segment.pack().deletionBegun(id);
        }
    }

    private void seal() throws IOException {
        PackKeeper.Active written = active;
        active = null;
        if (written != null) {
            keeper.seal(written);
        }
    }

    private void fail(IOException cause) {
        lock.lock();
        try {
            if (failure == null) {
                failure = cause;
            }
            filling.failure = cause;
            filling.done.countDown();
            recordsCame.signalAll();
            roomCame.signalAll();
        } finally {
            lock.unlock();
        }
        keeper.fail(cause);
    }

    /**
     * Ends: the last segment becomes a pack, and what it says comes to the disk elsewhere. What cannot be done now is left to be
     * repeated when the journal is opened again.
     */
    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            closing = true;
            recordsCame.signalAll();
            roomCame.signalAll();
        } finally {
            lock.unlock();
        }
        join(flusherThread);
        keeper.stop();
        join(keeperThread);
        packs.close();
        closeSegment();
    }

    /** After a failure; otherwise it is sealed. */
    private void closeSegment() throws IOException {
        PackKeeper.Active left = active;
        active = null;
        if (left != null) {
            left.segment().close();
        }
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
