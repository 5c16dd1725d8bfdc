package io.headgate.blob.local;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Segments made ahead, because making one takes longer than filling one; and a reserve for deletions, since on a full disk it is they
 * that make room. Thread-safe; one thread makes them.
 */
final class Spares {
    private static final String SUFFIX = ".spare";
    private static final String RESERVE = "reserve";
    private static final int AHEAD = 2;

    private final Path directory;
    private final int reserveBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Path> ready = new ArrayDeque<>();
    private boolean reserved;
    private volatile int readyCount;

    /** Why the last one could not be made. Of the thread that makes them, but read by all. */
    private volatile @Nullable IOException trouble;

    /**
     * Finds what an earlier run has left in {@code directory}, which exists.
     *
     * @param leastBytes of a segment: smaller ones, of other settings, are of no use
     * @param reserveBytes of the reserve
     */
    Spares(Path directory, int leastBytes, int reserveBytes) throws IOException {
        this.directory = directory;
        this.reserveBytes = reserveBytes;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path path : entries) {
                if (Files.size(path) < leastBytes) {
                    Files.delete(path);
                } else if (path.equals(reserve())) {
                    reserved = true;
                } else {
                    ready.add(path);
                }
            }
        }
        readyCount = ready.size();
    }

    private Path reserve() {
        return directory.resolve(RESERVE + SUFFIX);
    }

    boolean isEmpty() {
        return readyCount == 0;
    }

    /** Why there is no other segment, if so. It is tried again. */
    @Nullable IOException trouble() {
        return trouble;
    }

    /** Gives a spare segment its name, if there is one. */
    boolean take(Path name) throws IOException {
        Path spare;
        lock.lock();
        try {
            spare = ready.poll();
            readyCount = ready.size();
        } finally {
            lock.unlock();
        }
        if (spare == null) {
            return false;
        }
        use(spare, name);
        return true;
    }

    /** The same with the reserve. */
    boolean takeReserve(Path name) throws IOException {
        lock.lock();
        try {
            if (!reserved) {
                return false;
            }
            reserved = false;
        } finally {
            lock.unlock();
        }
        use(reserve(), name);
        return true;
    }

    private void use(Path spare, Path name) throws IOException {
        Files.move(spare, name, StandardCopyOption.ATOMIC_MOVE);
        BlobFiles.forceDirectory(directory);
    }

    private boolean hasReserve() {
        lock.lock();
        try {
            return reserved;
        } finally {
            lock.unlock();
        }
    }

    /** Makes the reserve, if it is not there and there is room. */
    void makeReserve() {
        if (hasReserve()) {
            return;
        }
        try {
            make(reserve(), reserveBytes);
            lock.lock();
            try {
                reserved = true;
            } finally {
                lock.unlock();
            }
        } catch (IOException noRoom) {
            trouble = noRoom;
        }
    }

    /**
     * Makes one segment if one is wanted and there is room; whether it did.
     *
     * @param sizeBytes its size, and how much room must be left on the disk
     */
    boolean makeOne(int sizeBytes) {
        makeReserve();
        if (readyCount >= AHEAD || !hasReserve()) {
            return false;
        }
        try {
            if (Files.getFileStore(directory).getUsableSpace() < 2L * sizeBytes) {
                throw new IOException("No space left on device, but what deletions and the making of packs need");
            }
            Path path = freeName();
            make(path, sizeBytes);
            lock.lock();
            try {
                ready.add(path);
                readyCount = ready.size();
            } finally {
                lock.unlock();
            }
            trouble = null;
            return true;
        } catch (IOException noRoom) {
            trouble = noRoom;
            return false;
        }
    }

    private Path freeName() {
        int number = 0;
        while (Files.exists(directory.resolve(number + SUFFIX))) {
            number++;
        }
        return directory.resolve(number + SUFFIX);
    }

    private void make(Path path, int sizeBytes) throws IOException {
        Path unfinished = path.resolveSibling(path.getFileName() + Packs.UNFINISHED);
        try {
            Segment.allocate(unfinished, sizeBytes);
            Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (Throwable failure) {
            Files.deleteIfExists(unfinished); // half a segment would only take up room
            throw failure;
        }
    }
}
