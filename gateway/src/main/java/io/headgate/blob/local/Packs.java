package io.headgate.blob.local;

import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packs of an account, and the segment that is being written among them: what small blobs there are, and where. Thread-safe.
 *
 * <p>Of a pack {@code G.pack} has the records and {@code G.index} tells where each blob is, G being the pack's generation.
 */
final class Packs implements AutoCloseable {
    /** Ends the names of files that are not finished, and of no use to a next start. */
    static final String UNFINISHED = ".tmp";

    private static final String PACK = ".pack";
    private static final String INDEX = ".index";
    /** How often in a row a reader may find that the pack was replaced meanwhile. */
    private static final int MAX_REPLACED = 100;

    private static final Logger LOG = LoggerFactory.getLogger(Packs.class);

    private final Path directory;
    private final boolean writable;
    private final OpenFiles openFiles;
    /** In the order of their generations. Replaced as a whole, under {@link #list}. */
    private volatile List<Pack> packs = List.of();

    private final ReentrantLock list = new ReentrantLock();
    /** Held to delete (the read lock), or to hand a pack's blobs over to an index or another pack (the write lock). */
    private final ReentrantReadWriteLock handOver = new ReentrantReadWriteLock();

    /** @param directory exists */
    Packs(Path directory, boolean writable, int maxOpenFiles) {
        this.directory = directory;
        this.writable = writable;
        this.openFiles = new OpenFiles(maxOpenFiles);
    }

    Path directory() {
        return directory;
    }

    /** Whether there is no pack in {@code directory}, which need not exist. */
    static boolean isEmpty(Path directory) throws IOException {
        return !Files.isDirectory(directory) || generations(directory, PACK).isEmpty();
    }

    static List<Long> packsIn(Path directory) throws IOException {
        return generations(directory, PACK);
    }

    static List<Long> indexesIn(Path directory) throws IOException {
        return generations(directory, INDEX);
    }

    private static List<Long> generations(Path directory, String suffix) throws IOException {
        List<Long> generations = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*" + suffix)) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                String number = name.substring(0, name.length() - suffix.length());
                if (number.matches("[0-9]{1,18}")) {
                    generations.add(Long.valueOf(number));
                }
            }
        }
        generations.sort(Comparator.naturalOrder());
        return generations;
    }

    static Path packPath(Path directory, long generation) {
        return directory.resolve(name(generation, PACK));
    }

    static Path indexPath(Path directory, long generation) {
        return directory.resolve(name(generation, INDEX));
    }

    private static String name(long generation, String suffix) {
        return String.format(Locale.ROOT, "%08d%s", generation, suffix);
    }

    /** In the order of their generations. */
    List<Pack> all() {
        return packs;
    }

    long sizeBytes() {
        long bytes = 0;
        for (Pack pack : packs) {
            bytes += pack.sizeBytes();
        }
        return bytes;
    }

    // Changing the list

    /** A pack without an index, whose blobs are to be added. */
    Pack newPack(long generation, boolean compacted, int sizeBytes) {
        return new Pack(generation, compacted, file(packPath(directory, generation), false), sizeBytes, null);
    }

    /** A pack with its index, as it was written. */
    Pack indexedPack(long generation, boolean compacted, int sizeBytes) throws IOException {
        return new Pack(
                generation,
                compacted,
                file(packPath(directory, generation), false),
                sizeBytes,
                openIndex(generation, sizeBytes));
    }

    PackIndex openIndex(long generation, int packBytes) throws IOException {
        PackFile file = file(indexPath(directory, generation), writable);
        try {
            return PackIndex.open(file, packBytes);
        } catch (Throwable failure) {
            file.retire();
            throw failure;
        }
    }

    private PackFile file(Path path, boolean written) {
        return new PackFile(path, openFiles, written);
    }

    void add(Pack pack) {
        replace(List.of(), pack);
    }

    /** Takes packs out of the list, and another one in, if any, in one step. */
    void replace(List<Pack> out, @Nullable Pack in) {
        list.lock();
        try {
            List<Pack> changed = new ArrayList<>(packs);
            changed.removeAll(out);
            if (in != null) {
                changed.add(in);
            }
            changed.sort(Comparator.comparingLong(Pack::generation));
            packs = List.copyOf(changed);
        } finally {
            list.unlock();
        }
    }

    /** What is done with no deletion under way. */
    interface HandOver {
        void run() throws IOException;
    }

    void handOver(HandOver step) throws IOException {
        handOver.writeLock().lock();
        try {
            step.run();
        } finally {
            handOver.writeLock().unlock();
        }
    }

    // What there is

    /**
     * A run of a blob; {@code null} if no pack has the blob.
     *
     * @throws BlobStoreException if the blob is shorter
     */
    @Nullable ByteBuffer get(BlobId id, long offsetBytes, long lengthBytes) throws IOException {
        return retrying(() -> {
            List<Pack> now = packs;
            for (int i = now.size() - 1; i >= 0; i--) {
                Pack pack = now.get(i);
                Pack.Place place = find(pack, id);
                if (place != null) {
                    if (place.length() - offsetBytes < lengthBytes) {
                        throw new BlobStoreException(Kind.MISSING, "Blob " + id + " is shorter than it should be");
                    }
                    return pack.read(id, place, offsetBytes, lengthBytes);
                }
            }
            return null;
        });
    }

    private Pack.@Nullable Place find(Pack pack, BlobId id) throws IOException {
        try {
            return pack.find(id);
        } catch (PackIndex.DamagedException damage) {
            rebuild(pack, damage);
            return pack.find(id);
        }
    }

    private interface Look<T extends @Nullable Object> {
        T look() throws IOException;
    }

    /** What a reader met that was replaced, removed or rebuilt meanwhile it looks for again. */
    private static <T extends @Nullable Object> T retrying(Look<T> reader) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return reader.look();
            } catch (PackFile.RetiredException replaced) {
                if (attempt == MAX_REPLACED) {
                    throw replaced;
                }
            }
        }
    }

    /** Removes the blob from every pack that has it; on the disk once the packs' indexes are forced. */
    void delete(BlobId id) throws IOException {
        while (true) {
            Pack current = null;
            PackIndex.DamagedException damaged;
            handOver.readLock().lock();
            try {
                for (Pack pack : packs) {
                    current = pack;
                    pack.delete(id);
                }
                return;
            } catch (PackIndex.DamagedException damage) {
                damaged = damage;
            } finally {
                handOver.readLock().unlock();
            }
            rebuild(Objects.requireNonNull(current), damaged);
        }
    }

    /** Whether the segments say that the blob is deleted, and a start would repeat that. */
    boolean wouldDelete(BlobId id) {
        for (Pack pack : packs) {
            if (pack.deletions().contains(id)) {
                return true;
            }
        }
        return false;
    }

    /** The files' blobs and the packs', as {@link io.headgate.blob.BlobStore#list}. */
    List<StoredBlob> merged(
            List<StoredBlob> inFiles, int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit)
            throws IOException {
        return retrying(() -> {
            NavigableMap<BlobId, Long> first = new TreeMap<>();
            inFiles.forEach(file -> first.put(file.id(), file.sizeBytes()));
            long firstSecond = secondsBefore(from);
            long lastSecond = secondsBefore(to) - 1;
            if (firstSecond > lastSecond) {
                return inFiles;
            }
            BlobId begin = BlobId.of(firstSecond, 0, fanOut, 0);
            if (after != null && after.compareTo(begin) > 0) {
                begin = after;
            }
            for (Pack pack : packs) {
                for (PackIndex.Entry entry : listOf(pack, fanOut, begin, lastSecond, limit + 1)) {
                    if (entry.id().createdAt().getEpochSecond() > lastSecond
                            || (first.size() == limit && entry.id().compareTo(first.lastKey()) > 0)) {
                        break;
                    }
                    if (!entry.id().equals(after)) {
                        first.put(entry.id(), (long) entry.length());
                        if (first.size() > limit) {
                            first.pollLastEntry();
                        }
                    }
                }
            }
            return first.entrySet().stream()
                    .map(blob -> new StoredBlob(blob.getKey(), blob.getValue()))
                    .toList();
        });
    }

    /** How many seconds since 1970 begin before the instant, as far as ids go. */
    private static long secondsBefore(Instant instant) {
        long seconds = Math.clamp(instant.getEpochSecond(), 0, BlobId.MAX_SECOND + 1);
        return instant.getNano() > 0 && instant.getEpochSecond() >= 0 ? seconds + 1 : seconds;
    }

    private List<PackIndex.Entry> listOf(Pack pack, int fanOut, BlobId from, long lastSecond, int limit)
            throws IOException {
        try {
            return pack.list(fanOut, from, lastSecond, limit);
        } catch (PackIndex.DamagedException damage) {
            rebuild(pack, damage);
            return pack.list(fanOut, from, lastSecond, limit);
        }
    }

    // Without an index

    /** Takes the pack's blobs from its records, as its index is damaged. */
    void rebuild(Pack pack, PackIndex.DamagedException damage) throws IOException {
        handOver.writeLock().lock();
        try {
            PackIndex index = pack.index();
            if (index == null) {
                return; // another reader did it
            }
            LOG.warn(
                    "{}: its blobs are looked up in the pack, and the index is made again. Deleted blobs may be back, which fsck finds",
                    damage.getMessage());
            Set<BlobId> dead = index.deadIds();
            Map<BlobId, Pack.Place> blobs = new HashMap<>();
            try (Segment segment = Segment.openToRead(pack.path())) {
                report(segment, segment.visit(ownBlobs(blobs)));
            }
            dead.forEach(blobs::remove);
            pack.notIndexed(new ConcurrentHashMap<>(blobs));
        } finally {
            handOver.writeLock().unlock();
        }
    }

    /** Collects the blobs of a segment; what it deletes of others is done. */
    static Segment.Visitor ownBlobs(Map<BlobId, Pack.Place> blobs) {
        return new Segment.Visitor() {
            @Override
            public void put(BlobId id, int offset, ByteBuffer bytes) {
                blobs.put(id, new Pack.Place(offset, bytes.remaining()));
            }

            @Override
            public void delete(BlobId id) {
                blobs.remove(id);
            }

            @Override
            public void kept(BlobId id) {}
        };
    }

    static void report(Segment segment, Segment.Damage damage) {
        if (damage.gaps() > 0) {
            LOG.error(
                    "segment {} is damaged: {} bytes in {} places cannot be read, and acknowledged blobs or deletions among them are"
                            + " lost; all else was read",
                    segment.path(),
                    damage.gapBytes(),
                    damage.gaps());
        }
        if (damage.tornBytes() > 0) {
            LOG.warn(
                    "segment {}: its last batch, of {} bytes, is not whole and is dropped; after a crash that is as it should be",
                    segment.path(),
                    damage.tornBytes());
        }
    }

    /** Closes all files; what is not on the disk is repeated by the next start. */
    @Override
    public void close() {
        packs.forEach(Pack::retire);
    }
}
