package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes one pack of several, without what is dead in them. From the moment the new one has its name, its header makes the others void;
 * until then they stay as they are. Readers go on meanwhile, deletions too but for the last step.
 */
final class Compaction {
    private static final Logger LOG = LoggerFactory.getLogger(Compaction.class);
    /** So many small neighbours are worth a pack of their own. */
    private static final int SMALL_RUN = 4;

    private static final int BATCH_BYTES = 256 << 10;

    private final Packs packs;
    private final List<Pack> sources;
    private final long generation;
    private final Path unfinished;
    private final Map<BlobId, Pack.Place> copied = new HashMap<>();
    private final ByteBuffer batch = ByteBuffer.allocate(BATCH_BYTES);
    private final List<PackIndex.Entry> inBatch = new ArrayList<>();

    /**
     * @param sources settled, with indexes
     * @param generation of the new pack
     */
    Compaction(Packs packs, List<Pack> sources, long generation) {
        this.packs = packs;
        this.sources = sources;
        this.generation = generation;
        Path path = Packs.packPath(packs.directory(), generation);
        this.unfinished = path.resolveSibling(path.getFileName() + Packs.UNFINISHED);
    }

    /** How much a pack may hold, and when it is worth the work. */
    record Rule(int maxBytes, int maxRecords, int smallBytes, int deadPercent) {}

    /** A pack as it is when it is looked at. */
    private record Candidate(Pack pack, PackIndex index, int liveEntries, long liveBytes) {
        static Stream<Candidate> of(Pack pack) {
            PackIndex index = pack.index();
            return index == null
                    ? Stream.empty()
                    : Stream.of(new Candidate(pack, index, index.liveEntries(), index.liveBytes()));
        }

        boolean isWasteful(Rule rule) {
            return 100 * liveRecordBytes() < (100L - rule.deadPercent()) * (pack.sizeBytes() - Segment.HEADER_BYTES);
        }

        boolean isSmall(Rule rule) {
            return pack.sizeBytes() <= rule.smallBytes();
        }

        private long liveRecordBytes() {
            return liveBytes + (long) liveEntries * Segment.RECORD_HEADER_BYTES;
        }
    }

    /**
     * The packs to make one of: those with much that is dead, or many small ones, which are neighbours in time so that few packs have
     * blobs of the same second. Empty if there are none.
     *
     * @param settled those that may be replaced
     */
    static List<Pack> choose(List<Pack> settled, Rule rule) {
        List<Candidate> byTime = settled.stream()
                .flatMap(Candidate::of)
                .sorted(Comparator.comparingLong(candidate -> candidate.index().firstSecond()))
                .toList();
        List<Candidate> run = new ArrayList<>();
        for (Candidate candidate : byTime) {
            boolean wanted = candidate.isWasteful(rule) || candidate.isSmall(rule);
            if (!wanted || !fits(run, candidate, rule)) {
                if (isWorthIt(run, rule)) {
                    break;
                }
                run.clear();
            }
            if (wanted) {
                run.add(candidate);
            }
        }
        return isWorthIt(run, rule) ? run.stream().map(Candidate::pack).toList() : List.of();
    }

    private static boolean fits(List<Candidate> run, Candidate another, Rule rule) {
        long bytes = Segment.HEADER_BYTES + another.liveRecordBytes();
        long records = another.liveEntries();
        for (Candidate candidate : run) {
            bytes += candidate.liveRecordBytes();
            records += candidate.liveEntries();
        }
        return bytes <= rule.maxBytes() && records <= rule.maxRecords() && run.size() < Segment.MAX_REPLACED;
    }

    private static boolean isWorthIt(List<Candidate> run, Rule rule) {
        return run.size() >= SMALL_RUN || run.stream().anyMatch(candidate -> candidate.isWasteful(rule));
    }

    /** Failed, and nothing has changed. */
    static final class UndoneException extends IOException {
        private static final long serialVersionUID = 1L;

        UndoneException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** @throws UndoneException if there is no room, say; on another exception the account is to be opened again */
    void run() throws IOException {
        int sizeBytes;
        try {
            sizeBytes = copy();
        } catch (IOException failure) {
            throw undone(failure);
        }
        if (sizeBytes < 0) {
            Files.deleteIfExists(unfinished);
            return;
        }
        boolean[] replaced = new boolean[1];
        packs.handOver(() -> replaced[0] = replaceSources(sizeBytes));
        if (replaced[0]) {
            sources.forEach(Pack::retire);
            PackRecovery.remove(
                    packs.directory(), sources.stream().map(Pack::generation).toList());
        }
    }

    private UndoneException undone(IOException failure) throws IOException {
        Files.deleteIfExists(unfinished);
        Files.deleteIfExists(Packs.indexPath(packs.directory(), generation));
        return new UndoneException(failure);
    }

    /** Copies what is alive, and puts it on the disk; the size of the new pack, negative if a source is damaged. */
    private int copy() throws IOException {
        List<Long> generations = sources.stream().map(Pack::generation).toList();
        try (Segment target = Segment.compacted(unfinished, Integer.MAX_VALUE, generations)) {
            for (Pack source : sources) {
                Map<BlobId, Integer> alive = new HashMap<>();
                PackIndex index = source.index();
                if (index == null) {
                    return -1; // found to be damaged just now
                }
                index.live().forEach(entry -> alive.put(entry.id(), entry.offset()));
                copy(source, alive, target);
                if (!alive.isEmpty()) {
                    LOG.error(
                            "segment {} is damaged: {} of its blobs cannot be read. It is left as it is",
                            source.path(),
                            alive.size());
                    source.damaged();
                    return -1;
                }
            }
            write(target);
            target.force();
            return target.usedBytes();
        }
    }

    private void copy(Pack source, Map<BlobId, Integer> alive, Segment target) throws IOException {
        try (Segment segment = Segment.openToRead(source.path())) {
            segment.visit(new Segment.Visitor() {
                @Override
                public void put(BlobId id, int offset, ByteBuffer bytes) throws IOException {
                    if (alive.remove(id, offset)) {
                        add(target, id, bytes);
                    }
                }

                @Override
                public void delete(BlobId id) {}

                @Override
                public void kept(BlobId id) {}
            });
        }
    }

    private void add(Segment target, BlobId id, ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        if (inBatch.isEmpty() || batch.remaining() < Segment.RECORD_HEADER_BYTES + length) {
            write(target);
            batch.clear().position(Segment.BATCH_HEADER_BYTES);
        }
        Segment.writeRecordHeader(batch.slice(batch.position(), Segment.RECORD_HEADER_BYTES), Segment.PUT, length, id);
        batch.position(batch.position() + Segment.RECORD_HEADER_BYTES);
        inBatch.add(new PackIndex.Entry(id, batch.position(), length));
        batch.put(bytes);
    }

    private void write(Segment target) throws IOException {
        if (inBatch.isEmpty()) {
            return;
        }
        int at = target.append(batch.flip(), inBatch.size());
        for (PackIndex.Entry entry : inBatch) {
            copied.put(entry.id(), new Pack.Place(at + entry.offset(), entry.length()));
        }
        inBatch.clear();
    }

    /** What was deleted since it was copied stays deleted: nothing is deleted during this step. */
    private boolean replaceSources(int sizeBytes) throws IOException {
        Path index = Packs.indexPath(packs.directory(), generation);
        try {
            List<PackIndex.Entry> entries = stillAlive();
            if (entries == null) {
                Files.deleteIfExists(unfinished);
                return false;
            }
            PackIndex.write(index, entries, sizeBytes);
            BlobFiles.forceDirectory(packs.directory()); // the pack must not be there without its index
        } catch (IOException failure) {
            throw undone(failure);
        }
        Files.move(unfinished, Packs.packPath(packs.directory(), generation), StandardCopyOption.ATOMIC_MOVE);
        BlobFiles.forceDirectory(packs.directory());
        packs.replace(sources, packs.indexedPack(generation, true, sizeBytes));
        return true;
    }

    private @Nullable List<PackIndex.Entry> stillAlive() throws IOException {
        Map<BlobId, PackIndex.Entry> entries = new TreeMap<>();
        for (Pack source : sources) {
            PackIndex index = source.index();
            if (index == null) {
                return null; // found to be damaged just now
            }
            for (PackIndex.Entry entry : index.live()) {
                Pack.Place place = copied.get(entry.id());
                if (place == null) {
                    throw new IOException("blob " + entry.id() + " was not copied from " + source.path());
                }
                entries.put(entry.id(), new PackIndex.Entry(entry.id(), place.offset(), place.length()));
            }
        }
        return List.copyOf(entries.values());
    }
}
