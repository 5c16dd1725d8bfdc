package io.headgate.blob.local;

import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The tree of blob files: {@code FF/TTTT/ID}, where FF is the id's fan-out and TTTT the upper 16 bits of its second of creation, so a
 * directory holds a 256th of what is written in 18 hours. Only the 256 directories of the present are written to, whatever the
 * store holds, and a window of time lies in few of them. The order of the paths is the order of the ids. Thread-safe.
 */
final class BlobFiles {
    private static final int BUCKET_SHIFT = 16;
    private static final int MAX_KNOWN_DURABLE = 4096;

    private final Path root;
    private final InstantSource clock;
    /** Directories whose own entries are known to be on the disk. */
    private final Set<String> durable = ConcurrentHashMap.newKeySet();

    /** @param root exists, and is never created here: what is not there may be a disk that is not mounted */
    BlobFiles(Path root, InstantSource clock) {
        this.root = root;
        this.clock = clock;
    }

    Path root() {
        return root;
    }

    private Path directory(BlobId id) {
        return root.resolve(directoryName(id.fanOut(), bucket(id.createdAt())));
    }

    private Path path(BlobId id) {
        String text = id.toString();
        return root.resolve(text.substring(0, 2) + '/' + text.substring(2, 6) + '/' + text);
    }

    private static String directoryName(int fanOut, long bucket) {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits((byte) fanOut) + '/' + hex.toHexDigits((short) bucket);
    }

    private static long bucket(Instant instant) {
        return Math.clamp(instant.getEpochSecond(), 0, BlobId.MAX_SECOND) >>> BUCKET_SHIFT;
    }

    /** Opens a new file for the blob. */
    FileChannel create(BlobId id) throws IOException {
        return openMakingDirectories(id, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    }

    /** Writes the whole blob, whatever an earlier attempt has left. */
    private void write(BlobId id, ByteBuffer bytes) throws IOException {
        try (FileChannel channel = openMakingDirectories(
                id, StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /** Writes the blob, as an earlier run has promised, unless its file holds just these bytes. */
    void restore(BlobId id, ByteBuffer bytes) throws IOException {
        Optional<FileChannel> existing = open(id);
        if (existing.isPresent()) {
            try (FileChannel channel = existing.get()) {
                if (channel.size() == bytes.remaining() && holds(channel, bytes)) {
                    return;
                }
            }
        }
        write(id, bytes);
    }

    private static boolean holds(FileChannel channel, ByteBuffer expected) throws IOException {
        ByteBuffer actual = ByteBuffer.allocate(expected.remaining());
        while (actual.hasRemaining()) {
            if (channel.read(actual) < 0) {
                return false;
            }
        }
        return actual.flip().equals(expected);
    }

    private FileChannel openMakingDirectories(BlobId id, OpenOption... options) throws IOException {
        Path path = path(id);
        try {
            return FileChannel.open(path, options);
        } catch (NoSuchFileException noDirectory) {
            Path bucket = directory(id);
            createIfMissing(bucket.getParent());
            createIfMissing(bucket);
            return FileChannel.open(path, options);
        }
    }

    private static void createIfMissing(@Nullable Path directory) throws IOException {
        if (directory == null) {
            return;
        }
        try {
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException there) {
            // another put was faster
        }
    }

    /** The blob's file, open for reading, or empty if there is none. */
    Optional<FileChannel> open(BlobId id) throws IOException {
        try {
            return Optional.of(FileChannel.open(path(id), StandardOpenOption.READ));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    /** Removes the blob's file, and its directory when that is empty and belongs to the past; whether there was a file. */
    boolean delete(BlobId id) throws IOException {
        boolean existed = Files.deleteIfExists(path(id));
        if (existed && bucket(id.createdAt()) < bucket(clock.instant())) {
            durable.remove(directoryName(id.fanOut(), bucket(id.createdAt())));
            try {
                Files.delete(directory(id));
            } catch (DirectoryNotEmptyException | NoSuchFileException notYetOrAlready) {
                // others are in it still, or the last two went at once
            }
        }
        return existed;
    }

    /** Puts the blob's bytes on the disk, and all that leads to them. */
    void force(BlobId id) throws IOException {
        Optional<FileChannel> file = open(id);
        if (file.isPresent()) {
            try (FileChannel channel = file.get()) {
                channel.force(false);
            }
        }
        forceEntry(id);
    }

    /** Puts the blob's directory entry on the disk, or its absence. */
    void forceEntry(BlobId id) throws IOException {
        String name = directoryName(id.fanOut(), bucket(id.createdAt()));
        Path parent = root.resolve(name.substring(0, 2));
        try {
            forceDirectory(root.resolve(name));
        } catch (NoSuchFileException removed) {
            forceDirectory(Files.isDirectory(parent) ? parent : root);
            return;
        }
        if (!durable.contains(name)) {
            forceDirectory(parent);
            forceDirectory(root);
            if (durable.size() >= MAX_KNOWN_DURABLE) {
                durable.clear();
            }
            durable.add(name);
        }
    }

    /** Puts the absence of blobs on the disk, each directory once. */
    void forceAbsence(Collection<BlobId> ids) throws IOException {
        Map<String, BlobId> byDirectory = new HashMap<>();
        for (BlobId id : ids) {
            byDirectory.put(directoryName(id.fanOut(), bucket(id.createdAt())), id);
        }
        for (BlobId id : byDirectory.values()) {
            forceEntry(id);
        }
    }

    static void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** As {@link io.headgate.blob.BlobStore#list}. */
    List<StoredBlob> list(int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit) throws IOException {
        List<StoredBlob> page = new ArrayList<>();
        Path parent = root.resolve(String.format(Locale.ROOT, "%02x", fanOut));
        for (String name : buckets(parent, from, to)) {
            for (BlobId id : first(parent.resolve(name), from, to, after, limit - page.size())) {
                // One that has just been deleted stands in the page all the same: a shorter page would look like the
                // last.
                page.add(new StoredBlob(id, Math.max(0, sizeOf(id))));
            }
            if (page.size() == limit) {
                break;
            }
        }
        return page;
    }

    private List<String> buckets(Path parent, Instant from, Instant to) throws IOException {
        String first = HexFormat.of().toHexDigits((short) bucket(from));
        String last = HexFormat.of().toHexDigits((short) bucket(to));
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(parent)) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                if (name.length() == first.length() && name.compareTo(first) >= 0 && name.compareTo(last) <= 0) {
                    names.add(name);
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        }
        names.sort(Comparator.naturalOrder());
        return names;
    }

    /** The first ids of a directory, at most {@code limit}, in order: keeps no more than those in memory. */
    private static List<BlobId> first(Path bucket, Instant from, Instant to, @Nullable BlobId after, int limit)
            throws IOException {
        PriorityQueue<BlobId> smallest = new PriorityQueue<>(Comparator.reverseOrder());
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(bucket)) {
            for (Path entry : entries) {
                BlobId id = parse(String.valueOf(entry.getFileName()));
                if (id == null
                        || id.createdAt().isBefore(from)
                        || !id.createdAt().isBefore(to)
                        || (after != null && id.compareTo(after) <= 0)) {
                    continue;
                }
                smallest.add(id);
                if (smallest.size() > limit) {
                    smallest.poll();
                }
            }
        } catch (NoSuchFileException removed) {
            return List.of();
        }
        List<BlobId> ids = new ArrayList<>(smallest);
        ids.sort(Comparator.naturalOrder());
        return ids;
    }

    /** A file of another name is not ours, and not touched. */
    private static @Nullable BlobId parse(String name) {
        try {
            return BlobId.parse(name);
        } catch (IllegalArgumentException foreign) {
            return null;
        }
    }

    private long sizeOf(BlobId id) throws IOException {
        try {
            return Files.size(path(id));
        } catch (NoSuchFileException deletedMeanwhile) {
            return -1;
        }
    }
}
