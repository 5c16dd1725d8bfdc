package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the packs of an account as an earlier run left them, whenever it ended. Packs whose doings are {@linkplain SettledMark settled}
 * are opened by their indexes. The others are read from their beginning, as the journal that they were: what they put is in memory again,
 * and what they delete is deleted again.
 *
 * <p>Of several records of a blob the last decides: a blob that moves away and back is put again after its deletion.
 */
final class PackRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(PackRecovery.class);

    private static final long DELETED = -1;
    private static final long KEPT = -2;

    private final Path directory;
    private final BlobFiles files;
    private final boolean writable;
    private final Packs packs;
    private final SettledMark settledMark;
    /** Blobs that unsettled segments delete: the generation of the pack that has the blob nevertheless, or one of the above. */
    private final Map<BlobId, Long> lastRecords = new HashMap<>();

    /**
     * Packs, opened.
     *
     * @param settled generation up to which there is nothing to repeat
     * @param last the highest generation there ever was, or a higher one
     */
    record Recovered(Packs packs, SettledMark mark, long settled, long last) {}

    private PackRecovery(Path directory, BlobFiles files, boolean writable, int maxOpenFiles) {
        this.directory = directory;
        this.files = files;
        this.writable = writable;
        this.packs = new Packs(directory, writable, maxOpenFiles);
        this.settledMark = new SettledMark(directory);
    }

    /**
     * Opens the packs in {@code directory}, which exists.
     *
     * @param writable if not, nothing on the disk is changed; deletions are repeated in memory
     */
    static Recovered open(Path directory, BlobFiles files, boolean writable, int maxOpenFiles) throws IOException {
        PackRecovery recovery = new PackRecovery(directory, files, writable, maxOpenFiles);
        try {
            return recovery.run();
        } catch (Throwable failure) {
            recovery.packs.close();
            throw failure;
        }
    }

    private Recovered run() throws IOException {
        if (writable) {
            removeUnfinished();
        }
        List<Long> generations = withoutReplaced(Packs.packsIn(directory));
        if (writable) {
            removeIndexesWithoutPack(generations);
        }
        long last = generations.isEmpty() ? 0 : generations.getLast();
        long settled = settledGeneration(generations, last);
        for (long generation : generations) {
            open(generation, settled);
        }
        repeatDeletions();
        return new Recovered(packs, settledMark, settled, Math.max(last, settled));
    }

    private void removeUnfinished() throws IOException {
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(directory, "*" + Packs.UNFINISHED)) {
            for (Path path : unfinished) {
                Files.delete(path);
            }
        }
    }

    /** A pack that was made of others takes their place, from the moment it has its name. */
    private List<Long> withoutReplaced(List<Long> generations) throws IOException {
        Set<Long> replaced = new HashSet<>();
        for (long generation : generations) {
            try (Segment segment = Segment.openToRead(Packs.packPath(directory, generation))) {
                replaced.addAll(segment.replaced());
            }
        }
        List<Long> kept = new ArrayList<>(generations);
        kept.removeAll(replaced);
        replaced.retainAll(generations);
        if (writable && !replaced.isEmpty()) {
            remove(directory, replaced);
        }
        return kept;
    }

    /** Removes packs so that no crash leaves one without the index that says what of it is dead. */
    static void remove(Path directory, Iterable<Long> generations) throws IOException {
        for (long generation : generations) {
            Files.deleteIfExists(Packs.packPath(directory, generation));
        }
        BlobFiles.forceDirectory(directory);
        for (long generation : generations) {
            Files.deleteIfExists(Packs.indexPath(directory, generation));
        }
    }

    private void removeIndexesWithoutPack(List<Long> generations) throws IOException {
        for (long generation : Packs.indexesIn(directory)) {
            if (!generations.contains(generation)) {
                Files.deleteIfExists(Packs.indexPath(directory, generation));
            }
        }
    }

    private long settledGeneration(List<Long> generations, long last) throws IOException {
        OptionalLong settled = settledMark.read();
        if (settled.isPresent()) {
            return settled.getAsLong();
        }
        if (!generations.isEmpty()) {
            // Which deletions were overtaken by later puts is not known any more, so none is repeated: a blob too many
            // is no loss.
            LOG.error(
                    "{} is damaged or missing: deleted blobs may be back, which fsck finds",
                    directory.resolve(SettledMark.NAME));
        }
        if (writable) {
            settledMark.create(last);
            BlobFiles.forceDirectory(directory);
        }
        return last;
    }

    private void open(long generation, long settled) throws IOException {
        Path path = Packs.packPath(directory, generation);
        try (Segment segment = writable ? Segment.openToAppend(path) : Segment.openToRead(path)) {
            boolean repeated = generation > settled && !segment.isCompacted();
            if (!repeated) {
                try {
                    packs.add(packs.indexedPack(generation, segment.isCompacted(), segment.sizeBytes()));
                    return;
                } catch (PackIndex.DamagedException | NoSuchFileException damage) {
                    LOG.warn(
                            "{}: the index is made again from the pack. Deleted blobs may be back, which fsck finds",
                            damage.getMessage());
                }
            }
            if (segment.isUnreadable()) {
                LOG.error("segment {} has a damaged header and is left alone: blobs in it are lost", path);
                return;
            }
            read(segment, generation, repeated);
        }
    }

    private void read(Segment segment, long generation, boolean repeated) throws IOException {
        Pack pack = packs.newPack(generation, segment.isCompacted(), segment.sizeBytes());
        Map<BlobId, Pack.Place> blobs = new HashMap<>();
        Segment.Visitor own = Packs.ownBlobs(blobs);
        Segment.Damage damage = segment.visit(repeated ? repeating(own, pack) : own);
        Packs.report(segment, damage);
        blobs.forEach(pack::add);
        if (damage.gaps() > 0) {
            pack.damaged();
        }
        if (writable) {
            if (damage.gaps() == 0) {
                segment.trim();
            }
            segment.force(); // a batch may have come to this file, and not yet to the disk
        }
        pack.seal(segment.usedBytes());
        packs.add(pack);
    }

    private Segment.Visitor repeating(Segment.Visitor own, Pack pack) {
        return new Segment.Visitor() {
            @Override
            public void put(BlobId id, int offset, ByteBuffer bytes) throws IOException {
                own.put(id, offset, bytes);
                lastRecords.replace(id, pack.generation());
            }

            @Override
            public void delete(BlobId id) throws IOException {
                own.delete(id);
                pack.deletionBegun(id);
                pack.fileDeleted(id); // perhaps by the earlier run, and not on the disk
                pack.deletionDone(); // before this pack settles
                lastRecords.put(id, DELETED);
            }

            @Override
            public void kept(BlobId id) {
                lastRecords.replace(id, KEPT);
            }
        };
    }

    private void repeatDeletions() throws IOException {
        for (Map.Entry<BlobId, Long> record : lastRecords.entrySet()) {
            for (Pack pack : packs.all()) {
                if (pack.generation() != record.getValue()) {
                    deleteFrom(pack, record.getKey());
                }
            }
            if (writable && record.getValue() != KEPT) {
                files.delete(record.getKey());
            }
        }
    }

    private void deleteFrom(Pack pack, BlobId id) throws IOException {
        try {
            pack.deleteAgain(id);
        } catch (PackIndex.DamagedException damage) {
            packs.rebuild(pack, damage);
            pack.deleteAgain(id);
        }
    }
}
