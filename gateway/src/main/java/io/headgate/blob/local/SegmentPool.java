package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal's segments: one is taken to be written, sealed when full, and released, oldest first, once all that it says is on the
 * disk elsewhere. Thread-safe.
 */
final class SegmentPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentPool.class);

    private static final String SUFFIX = ".journal";
    /** Kept for deletions: on a full disk, where segments cannot be released, it is they that make room. */
    private static final int RESERVE = 1;
    /** Made ahead, because making one takes longer than filling one. */
    private static final int SPARES = RESERVE + 2;

    private static final long TICK_NANOS = 1_000_000_000;
    /** How often the keeper looks again when the journal waits for it. */
    private static final long SHORTAGE_NANOS = 5_000_000;

    private final Path directory;
    private final BlobFiles files;
    private final BlobWriter writer;
    private final Journal.Sizes sizes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Condition freed = lock.newCondition();
    private final Deque<Segment> free = new ArrayDeque<>();
    private final Deque<Segment> sealed = new ArrayDeque<>();
    private final List<Segment> all = new ArrayList<>();
    private long lastGeneration;
    /** When the oldest sealed segment was sealed, or a little later. */
    private long sealedSinceNanos = System.nanoTime();

    private boolean takerWaits;
    /** The keeper's: the last segment could not be made. */
    private boolean cannotGrow;

    private boolean closed;
    private @Nullable IOException failure;

    private SegmentPool(Path directory, BlobFiles files, BlobWriter writer, Journal.Sizes sizes) {
        this.directory = directory;
        this.files = files;
        this.writer = writer;
        this.sizes = sizes;
    }

    /**
     * Opens the segments in {@code directory}, which exists. What those in use say is done again: deletions at once; the files that
     * they should have led to are handed to {@code writer}, so that opening takes neither long nor room on the disk.
     */
    static SegmentPool open(Path directory, BlobFiles files, BlobWriter writer, Journal.Sizes sizes)
            throws IOException {
        SegmentPool pool = new SegmentPool(directory, files, writer, sizes);
        try {
            for (Path path : paths(directory)) {
                pool.add(Segment.open(path, sizes.segmentBytes()));
            }
            pool.repeat();
            pool.makeReserve();
        } catch (Throwable failure) {
            pool.closeAll();
            throw failure;
        }
        return pool;
    }

    /** Whether the segments in {@code directory}, if any, hold nothing to repeat. Changes nothing. */
    static boolean isClean(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return true;
        }
        for (Path path : paths(directory)) {
            if (Segment.isInUse(path)) {
                return false;
            }
        }
        return true;
    }

    private static List<Path> paths(Path directory) throws IOException {
        List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            entries.forEach(paths::add);
        }
        paths.sort(Comparator.naturalOrder());
        return paths;
    }

    private void add(Segment segment) {
        all.add(segment);
        lastGeneration = Math.max(lastGeneration, segment.generation());
        (segment.inUse() ? sealed : free).add(segment);
    }

    private void repeat() throws IOException {
        List<Segment> used = new ArrayList<>(sealed);
        used.sort(Comparator.comparingLong(Segment::generation));
        sealed.clear();
        sealed.addAll(used);
        // A blob is never put again after it was deleted, so a deletion decides, wherever it stands.
        Set<BlobId> deleted = new HashSet<>();
        for (Segment segment : used) {
            Segment.Damage damage = segment.visit(new Segment.Visitor() {
                @Override
                public void put(BlobId id, int length, long offset) {}

                @Override
                public void delete(BlobId id) throws IOException {
                    files.delete(id);
                    deleted.add(id);
                }
            });
            report(segment, damage);
        }
        for (Segment segment : used) {
            segment.visit(new Segment.Visitor() {
                @Override
                public void put(BlobId id, int length, long offset) {
                    if (!deleted.contains(id)) {
                        writer.add(new PendingBlob(id, length, segment, offset, true));
                    }
                }

                @Override
                public void delete(BlobId id) {}
            });
        }
    }

    /** So that a disk which fills up at once has its reserve too. One that is full, or not to be written, is opened without. */
    private void makeReserve() throws IOException {
        IOException noRoom = null;
        while (all.size() <= RESERVE && noRoom == null) {
            noRoom = addSpare();
        }
    }

    private static void report(Segment segment, Segment.Damage damage) {
        if (damage.gaps() > 0) {
            LOG.error(
                    "journal segment {} is damaged: {} bytes in {} places cannot be read, and acknowledged blobs or deletions among them"
                            + " are lost; all else was read",
                    segment.path(),
                    damage.gapBytes(),
                    damage.gaps());
        }
        if (damage.tornBytes() > 0) {
            LOG.warn(
                    "journal segment {}: its last batch, of {} bytes, is not whole and is dropped; after a crash that is as it should be",
                    segment.path(),
                    damage.tornBytes());
        }
    }

    /**
     * A segment to write, begun. Waits until there is one; {@code null} if there is none while blobs cannot get their files.
     *
     * @param forDeletes whether it may be the last one
     */
    @Nullable Segment take(boolean forDeletes) throws IOException {
        lock.lock();
        try {
            while (free.size() <= (forDeletes || all.size() == 1 ? 0 : RESERVE)) {
                throwIfOver();
                if (writer.trouble() != null) {
                    return null;
                }
                takerWaits = true;
                changed.signal();
                await(freed, SHORTAGE_NANOS);
            }
            takerWaits = false;
            throwIfOver();
            Segment segment = free.remove();
            segment.begin(++lastGeneration);
            changed.signal();
            return segment;
        } finally {
            lock.unlock();
        }
    }

    private void throwIfOver() throws IOException {
        if (failure != null) {
            throw new IOException(String.valueOf(failure.getMessage()), failure);
        }
        if (closed) {
            throw new IOException("the journal is closed");
        }
    }

    /** Nothing more is appended to the segment. */
    void seal(Segment segment) {
        lock.lock();
        try {
            if (sealed.isEmpty()) {
                sealedSinceNanos = System.nanoTime();
            }
            sealed.add(segment);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Gives up: whoever waits for a segment fails, and {@link #keep} ends. */
    void fail(IOException cause) {
        lock.lock();
        try {
            failure = cause;
            changed.signalAll();
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Releases segments and keeps spare ones ready, until closed or failed. For a thread of its own. */
    void keep() throws IOException {
        while (true) {
            boolean spareWanted;
            List<Segment> settled;
            lock.lock();
            try {
                if (closed || failure != null) {
                    return;
                }
                spareWanted = free.size() < SPARES && all.size() < sizes.maxSegments() && !cannotGrow;
                settled = isReleaseDue() ? settled() : List.of();
                if (settled.isEmpty() && !spareWanted) {
                    await(changed, takerWaits ? SHORTAGE_NANOS : TICK_NANOS);
                    continue;
                }
            } finally {
                lock.unlock();
            }
            if (!settled.isEmpty()) {
                release(settled);
                cannotGrow = false;
            } else {
                IOException noRoom = addSpare();
                if (noRoom != null && all.isEmpty()) {
                    throw noRoom;
                }
            }
        }
    }

    /**
     * Not before segments become few, or those to be released old: the more files go to the disk together, the fewer directories and
     * inode tables go with each.
     */
    private boolean isReleaseDue() {
        int room = free.size() + (cannotGrow ? 0 : sizes.maxSegments() - all.size());
        return room <= RESERVE + sizes.maxSegments() / 4
                || System.nanoTime() - sealedSinceNanos >= sizes.maxAge().toNanos();
    }

    @SuppressWarnings("WaitNotInLoop") // the callers loop
    private void await(Condition condition, long nanos) {
        try {
            if (condition.awaitNanos(nanos) <= 0) {
                return; // time to look again
            }
        } catch (InterruptedException stop) {
            closed = true;
        }
    }

    /** The oldest sealed segments, as far as all that they say has been done. */
    private List<Segment> settled() {
        List<Segment> settled = new ArrayList<>();
        for (Segment segment : sealed) {
            if (!segment.isSettled()) {
                break;
            }
            settled.add(segment);
        }
        return settled;
    }

    private void release(List<Segment> segments) throws IOException {
        makeDurable(segments);
        // Oldest first: a deletion must not be forgotten before the put that it undoes.
        for (Segment segment : segments) {
            segment.release();
            lock.lock();
            try {
                sealed.remove(segment);
                free.add(segment);
                freed.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    private void makeDurable(List<Segment> segments) throws IOException {
        Optional<FileSystemSync> sync = FileSystemSync.ifAvailable();
        if (sync.isPresent()) {
            sync.get().sync(files.root());
            return;
        }
        for (Segment segment : segments) {
            segment.visit(new Segment.Visitor() {
                @Override
                public void put(BlobId id, int length, long offset) throws IOException {
                    files.force(id);
                }

                @Override
                public void delete(BlobId id) throws IOException {
                    files.forceEntry(id);
                }
            });
        }
    }

    /** Returns why there is no room for another segment, if so: those that there are must do, until some are released. */
    private @Nullable IOException addSpare() throws IOException {
        Path path = directory.resolve(String.format(Locale.ROOT, "%04d%s", all.size(), SUFFIX));
        Segment segment;
        try {
            segment = Segment.create(path, sizes.segmentBytes());
        } catch (IOException noRoom) {
            cannotGrow = true;
            return noRoom;
        }
        BlobFiles.forceDirectory(directory);
        lock.lock();
        try {
            all.add(segment);
            free.add(segment);
            freed.signal();
        } finally {
            lock.unlock();
        }
        return null;
    }

    /** Tells {@link #keep} to end. */
    void stop() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Releases what is settled and closes the files; what is not settled is repeated by the next {@link #open}. After {@link #keep}. */
    @Override
    public void close() throws IOException {
        try {
            List<Segment> settled = settled();
            if (failure == null && !settled.isEmpty()) {
                release(settled);
            }
        } finally {
            closeAll();
        }
    }

    private void closeAll() throws IOException {
        for (Segment segment : all) {
            segment.close();
        }
    }
}
