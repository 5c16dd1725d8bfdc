package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands out segments to write, and does on a thread of its own what is to be done behind the journal: makes segments ahead, writes the
 * indexes of full ones, puts on the disk what they say of other blobs, and removes or compacts packs of which much is dead. Thread-safe.
 */
final class PackKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(PackKeeper.class);

    /** How many full segments may wait for their index: their blobs are in memory. */
    private static final int MAX_UNINDEXED = 4;

    private static final int DEAD_PERCENT = 50;
    /** On a disk that is nearly full. */
    private static final int DEAD_PERCENT_WITHOUT_ROOM = 10;

    private static final long TICK_NANOS = 1_000_000_000;
    /** How often a taker that waits looks again. */
    private static final long SHORTAGE_NANOS = 5_000_000;

    /** A segment that is being written, and the same to be read. */
    record Active(Segment segment, Pack pack, boolean isReserve) {}

    private final Packs packs;
    private final BlobFiles files;
    private final Journal.Sizes sizes;
    private final SettledMark settledMark;
    private final Spares spares;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition wanted = lock.newCondition();
    private final Condition done = lock.newCondition();
    private long lastGeneration;
    private long idlePasses;
    private boolean woken;
    private boolean stopped;
    private @Nullable IOException failure;
    /** Why an index could not be written, if so. It is tried again. */
    private volatile @Nullable IOException trouble;

    // Of the keeper's thread alone
    private long settled;
    private boolean told;

    PackKeeper(PackRecovery.Recovered recovered, BlobFiles files, Journal.Sizes sizes) throws IOException {
        this.packs = recovered.packs();
        this.files = files;
        this.sizes = sizes;
        this.settledMark = recovered.mark();
        this.settled = recovered.settled();
        this.lastGeneration = recovered.last();
        int leastBytes = sizes.leastSegmentBytes();
        this.spares = new Spares(packs.directory(), leastBytes, leastBytes);
        spares.makeReserve(); // so that a disk that fills up at once has it too
    }

    // For the journal

    /**
     * A segment to write. Waits until there is one; {@code null} if there is none at present, and {@link #trouble} says why.
     *
     * @param forDeletions whether it may be the reserve
     */
    @Nullable Active take(boolean forDeletions) throws IOException {
        long firstPass = idlePasses();
        while (true) {
            throwIfOver();
            boolean crowded = unindexed() >= MAX_UNINDEXED;
            if (!crowded || (forDeletions && trouble != null)) {
                Active active = begin(false);
                if (active != null) {
                    return active;
                }
            }
            if (trouble() != null) {
                Active reserve = forDeletions ? begin(true) : null;
                // Deletions wait until the keeper has tried to make room out of what is dead already.
                if (reserve != null || !forDeletions || idlePasses() > firstPass + 1) {
                    return reserve;
                }
            }
            awaitKeeper();
        }
    }

    private @Nullable Active begin(boolean reserve) throws IOException {
        long generation = nextGeneration();
        Path path = Packs.packPath(packs.directory(), generation);
        if (!(reserve ? spares.takeReserve(path) : spares.take(path))) {
            return null;
        }
        wake();
        Segment segment = Segment.openToAppend(path);
        Pack pack = packs.newPack(generation, false, segment.sizeBytes());
        packs.add(pack);
        return new Active(segment, pack, reserve);
    }

    /** How often the keeper has found nothing to do, or nothing that it could. */
    private long idlePasses() {
        lock.lock();
        try {
            return idlePasses;
        } finally {
            lock.unlock();
        }
    }

    private long nextGeneration() {
        lock.lock();
        try {
            return ++lastGeneration;
        } finally {
            lock.unlock();
        }
    }

    private int unindexed() {
        int count = 0;
        for (Pack pack : packs.all()) {
            count += pack.isSealed() && pack.index() == null ? 1 : 0;
        }
        return count;
    }

    @SuppressWarnings("WaitNotInLoop") // the caller loops
    private void awaitKeeper() throws IOException {
        lock.lock();
        try {
            woken = true;
            wanted.signal();
            if (!stopped && failure == null) {
                done.awaitNanos(SHORTAGE_NANOS);
            }
        } catch (InterruptedException stop) {
            throw new IOException("the journal is closed", stop);
        } finally {
            lock.unlock();
        }
    }

    private void throwIfOver() throws IOException {
        lock.lock();
        try {
            if (failure != null) {
                throw new IOException(String.valueOf(failure.getMessage()), failure);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Why there is no segment for puts, if so: the disk is full, say. It is tried again. */
    @Nullable IOException trouble() {
        IOException noIndex = trouble;
        return noIndex != null ? noIndex : spares.isEmpty() ? spares.trouble() : null;
    }

    /** Nothing more is appended to the segment. */
    void seal(Active active) throws IOException {
        try (Segment segment = active.segment()) {
            segment.trim();
        }
        active.pack().seal(active.segment().usedBytes());
        wake();
    }

    private void wake() {
        lock.lock();
        try {
            woken = true;
            wanted.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Gives up: whoever waits for a segment fails, and {@link #keep} ends. */
    void fail(IOException cause) {
        lock.lock();
        try {
            failure = cause;
            wanted.signalAll();
            done.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Tells {@link #keep} to end when it has done what is to be done of segments that are sealed. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            wanted.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // The thread

    /** Works until stopped or failed. */
    void keep() throws IOException {
        while (isGoingOn()) {
            boolean worked = writeIndex() || spares.makeOne(nextSizeBytes()) || settle() || tidy();
            finishStep(worked);
        }
        throwIfOver();
        while (writeIndex()) {
            // all of them, if they can be written
        }
        settle();
    }

    private boolean isGoingOn() {
        lock.lock();
        try {
            return !stopped && failure == null;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // the caller loops
    private void finishStep(boolean worked) {
        lock.lock();
        try {
            idlePasses += worked ? 0 : 1;
            done.signalAll();
            if (!worked && !woken && !stopped && failure == null && wanted.awaitNanos(TICK_NANOS) <= 0) {
                return; // time to look again
            }
            woken = false;
        } catch (InterruptedException stop) {
            stopped = true;
        } finally {
            lock.unlock();
        }
    }

    /** An account with more has larger segments. */
    private int nextSizeBytes() {
        long bytes = Long.highestOneBit(Math.max(1, packs.sizeBytes() / 8));
        return Math.clamp(bytes, sizes.segmentBytes(), sizes.maxSegmentBytes());
    }

    /** Writes the index of the oldest segment that wants one; whether it did. */
    private boolean writeIndex() {
        for (Pack pack : packs.all()) {
            if (pack.isSealed() && pack.index() == null) {
                try {
                    packs.handOver(() -> writeIndex(pack));
                    trouble = null;
                    return true;
                } catch (IOException failed) {
                    if (trouble == null) {
                        LOG.warn("the index of {} cannot be written yet: {}", pack.path(), failed.toString());
                    }
                    trouble = failed; // the blobs stay in memory
                    return false;
                }
            }
        }
        return false;
    }

    private void writeIndex(Pack pack) throws IOException {
        if (pack.index() == null) {
            PackIndex.write(Packs.indexPath(packs.directory(), pack.generation()), pack.unindexed(), pack.sizeBytes());
            BlobFiles.forceDirectory(packs.directory());
            pack.indexed(packs.openIndex(pack.generation(), pack.sizeBytes()));
        }
    }

    /** Puts on the disk what segments say of other packs and of files, oldest first; whether it did for any. */
    private boolean settle() throws IOException {
        if (unindexed() > 0) {
            return false; // a deletion of what has no index is nowhere else
        }
        List<Pack> due = new ArrayList<>();
        for (Pack pack : packs.all()) {
            if (!pack.isSealed() || pack.hasPendingDeletions()) {
                break;
            }
            if (!isSettled(pack)) {
                due.add(pack);
            }
        }
        if (due.isEmpty()) {
            return false;
        }
        Set<BlobId> deletedFiles = new HashSet<>();
        due.forEach(pack -> deletedFiles.addAll(pack.deletedFiles()));
        for (Pack pack : packs.all()) {
            PackIndex index = pack.index();
            if (index != null) {
                index.force();
            }
        }
        files.forceAbsence(deletedFiles);
        settledMark.write(due.getLast().generation());
        settled = due.getLast().generation();
        due.forEach(Pack::settled);
        return true;
    }

    private boolean isSettled(Pack pack) {
        return pack.isCompacted() || pack.generation() <= settled;
    }

    /** Removes packs without a live blob, or compacts some; whether it did. */
    private boolean tidy() throws IOException {
        List<Pack> empty = new ArrayList<>();
        List<Pack> others = new ArrayList<>();
        for (Pack pack : packs.all()) {
            PackIndex index = pack.index();
            if (index != null && isSettled(pack)) {
                if (index.liveEntries() == 0 && !pack.isDamaged()) {
                    empty.add(pack);
                } else if (!pack.isDamaged()) {
                    others.add(pack);
                }
            }
        }
        if (!empty.isEmpty()) {
            packs.handOver(() -> packs.replace(empty, null));
            empty.forEach(Pack::retire);
            PackRecovery.remove(
                    packs.directory(), empty.stream().map(Pack::generation).toList());
            return true;
        }
        List<Pack> sources = Compaction.choose(others, rule());
        return !sources.isEmpty() && compact(sources);
    }

    private Compaction.Rule rule() {
        return new Compaction.Rule(
                sizes.maxSegmentBytes(),
                sizes.maxRecords(),
                sizes.segmentBytes() / 4,
                trouble() == null ? DEAD_PERCENT : DEAD_PERCENT_WITHOUT_ROOM);
    }

    private boolean compact(List<Pack> sources) throws IOException {
        try {
            new Compaction(packs, sources, nextGeneration()).run();
            told = false;
            return true;
        } catch (Compaction.UndoneException failed) {
            if (!told) {
                LOG.warn("packs in {} cannot be compacted: {}", packs.directory(), failed.getMessage());
            }
            told = true;
            return false;
        }
    }
}
