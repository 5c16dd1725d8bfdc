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

/**
 * Makes small puts, and all deletes, durable: what is asked for at the same time is appended together and forced to the disk once.
 * Three threads share the work:
 *
 * <ul>
 *   <li>the <em>flusher</em> appends batches to a segment, and wakes those who wait for them;
 *   <li>the <em>writer</em> gives each blob its own file, unforced ({@link BlobWriter});
 *   <li>the <em>keeper</em> puts those files on the disk, many at once, releases the segments they came from, and has a spare one
 *       ready ({@link SegmentPool}).
 * </ul>
 *
 * <p>Opening the journal repeats what its segments say, as after a crash. A failure to write it is final: it must be closed and
 * opened again. Thread-safe.
 */
final class Journal implements AutoCloseable {
    /**
     * Bounds.
     *
     * @param maxBlobBytes the longest blob that goes through the journal
     * @param batchBytes the most that is forced together, headers included
     * @param maxRecords in a segment: bounds the memory that opening takes
     * @param maxAge after which a segment is sealed though it is not full
     */
    record Sizes(int maxBlobBytes, int segmentBytes, int maxSegments, int batchBytes, int maxRecords, Duration maxAge) {
        static final Sizes DEFAULT = new Sizes(16 << 10, 8 << 20, 16, 1 << 20, 8_192, Duration.ofSeconds(5));

        /** Room for all segments, and again for the files of the blobs that they hold. */
        long reserveBytes() {
            return 2L * maxSegments * segmentBytes;
        }
    }

    private record Put(BlobId id, int length, int offset) {}

    /** Records that go to the disk together. Filled under the lock, then the flusher's; its outcome is visible once it is done. */
    private static final class Batch {
        final ByteBuffer buffer;
        final List<Put> puts = new ArrayList<>();
        final List<BlobId> deletes = new ArrayList<>();
        final CountDownLatch done = new CountDownLatch(1);

        @Nullable Segment segment;

        @Nullable IOException failure;

        Batch(ByteBuffer buffer) {
            this.buffer = buffer.clear().position(Segment.BATCH_HEADER_BYTES);
        }

        int records() {
            return puts.size() + deletes.size();
        }

        int contentBytes() {
            return buffer.position() - Segment.BATCH_HEADER_BYTES;
        }
    }

    private final Sizes sizes;
    private final BlobFiles files;
    private final SegmentPool pool;
    private final BlobWriter writer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition recordsCame = lock.newCondition();
    private final Condition roomCame = lock.newCondition();
    private Batch filling;
    private boolean closing;
    private @Nullable IOException failure;

    // Of the flusher alone
    private ByteBuffer spareBuffer;
    private @Nullable Segment active;
    private long activeSinceNanos;

    private final Thread flusherThread;
    private final Thread writerThread;
    private final Thread keeperThread;

    private interface Work {
        void run() throws IOException;
    }

    /**
     * Opens the journal in {@code directory}, which exists, and repeats what it holds.
     *
     * @param name for the names of its threads
     */
    Journal(String name, Path directory, BlobFiles files, Sizes sizes) throws IOException {
        this.sizes = sizes;
        this.files = files;
        this.writer = new BlobWriter(files);
        this.pool = SegmentPool.open(directory, files, writer, sizes);
        this.filling = new Batch(ByteBuffer.allocateDirect(sizes.batchBytes()));
        this.spareBuffer = ByteBuffer.allocateDirect(sizes.batchBytes());
        this.flusherThread = thread(name + "-flusher", this::flush);
        this.writerThread = thread(name + "-writer", writer::run);
        this.keeperThread = thread(name + "-keeper", pool::keep);
        flusherThread.start();
        writerThread.start();
        keeperThread.start();
    }

    private Thread thread(String name, Work work) {
        return Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            try {
                work.run();
            } catch (IOException stopped) {
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
                IOException trouble = writer.trouble();
                if (trouble != null) {
                    throw new IOException(String.valueOf(trouble.getMessage()), trouble);
                }
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

    /** Removes the blob's file and returns when its absence is durable. */
    void delete(BlobId id) throws IOException {
        byte[] record = new byte[Segment.RECORD_HEADER_BYTES];
        Segment.writeRecordHeader(ByteBuffer.wrap(record), Segment.DELETE, 0, id);
        Batch batch;
        try {
            lock.lockInterruptibly();
            try {
                batch = batchWithRoomFor(record.length, System.nanoTime() + Long.MAX_VALUE);
                batch.deletes.add(id);
                batch.buffer.put(record);
                recordsCame.signal();
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException interrupt) {
            throw interrupted(interrupt);
        }
        // Not interruptible from here: the segment is not released before the file is gone.
        awaitUninterruptibly(batch.done);
        throwIfFailed(batch);
        try {
            files.delete(id);
        } finally {
            if (batch.segment != null) {
                batch.segment.settled();
            }
        }
    }

    /** The blobs that are in the journal and have no file yet. */
    BlobWriter writer() {
        return writer;
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
                Segment segment = segmentFor(batch);
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
                awaitRecords();
                if (isOld()) {
                    seal();
                }
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

    @SuppressWarnings("WaitNotInLoop") // the caller loops
    private void awaitRecords() {
        try {
            if (active == null) {
                recordsCame.await();
            } else if (recordsCame.awaitNanos(sizes.maxAge().toNanos()) <= 0) {
                return; // the segment has become old
            }
        } catch (InterruptedException stop) {
            closing = true;
        }
    }

    /** While files cannot be written no sealed segment is released, so the one in hand must last. */
    private boolean isOld() {
        return active != null
                && writer.trouble() == null
                && System.nanoTime() - activeSinceNanos >= sizes.maxAge().toNanos();
    }

    /** The segment for the batch; {@code null} if there is none at present, which fails this batch only. */
    private @Nullable Segment segmentFor(Batch batch) throws IOException {
        Segment segment = active;
        if (segment != null && !isOld() && segment.fits(batch.contentBytes(), batch.records(), sizes.maxRecords())) {
            return segment;
        }
        seal();
        segment = pool.take(!batch.deletes.isEmpty());
        active = segment;
        activeSinceNanos = System.nanoTime();
        if (segment == null) {
            IOException trouble = writer.trouble();
            batch.failure = new IOException(
                    "the journal is full of blobs that cannot be written"
                            + (trouble == null ? "" : ": " + trouble.getMessage()),
                    trouble);
        }
        return segment;
    }

    private void append(Segment segment, Batch batch) throws IOException {
        int at = segment.append(batch.buffer.flip(), batch.records());
        batch.segment = segment;
        for (Put put : batch.puts) {
            writer.add(new PendingBlob(put.id(), put.length(), segment, (long) at + put.offset(), false));
        }
        for (BlobId id : batch.deletes) {
            segment.unsettled();
            writer.cancel(id);
        }
    }

    private void seal() {
        if (active != null) {
            pool.seal(active);
            active = null;
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
        pool.fail(cause);
        writer.abandon();
    }

    /**
     * Ends: what was appended gets its files, on the disk, and the segments are released. What cannot be done now is left to be
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
        writer.drain();
        join(writerThread);
        pool.stop();
        join(keeperThread);
        pool.close();
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
