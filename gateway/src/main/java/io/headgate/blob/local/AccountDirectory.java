package io.headgate.blob.local;

import io.headgate.blob.BlobStoreException;
import io.headgate.domain.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directory of an account: {@code headgate-account}, a marker with the names of the account and of its namespace; {@code blobs}, the
 * files; {@code packs}, once it has any; {@code journal}, where the lock is that keeps other processes out (not on the marker: a POSIX
 * lock ends when any handle of its file is closed), and where the version before packs had its journal.
 *
 * <p>An empty directory may be a new account, or the place where a disk should be mounted; to write to the latter would fill another
 * disk and hide what is missing. So it is taken into use only for an account that has no blob yet, and from then on nothing is done
 * without the marker. Nor is anything done in a directory of another namespace, for which all its blobs would be orphans to be deleted.
 * Thread-safe.
 */
final class AccountDirectory {
    private static final String MARKER = "headgate-account";
    private static final String OWNER = "namespace ";
    /** Follows the account's name once there are packs: to the version before them it is another account. */
    private static final String WITH_PACKS = " (format 2)";

    private static final int MAX_MARKER_BYTES = 4096;

    private final String account;
    private final String namespace;
    private final Path root;
    private final Path marker;
    private volatile boolean firstUse;
    /** Whether a directory whose marker names no namespace is known to be the namespace's. */
    private volatile boolean known;

    /** @param namespace empty in markers that were written before they named one */
    private record Marker(String account, String namespace, boolean packs) {
        static Marker parse(String text) {
            List<String> lines = text.lines().toList();
            String namespace = lines.size() > 1 && lines.get(1).startsWith(OWNER)
                    ? lines.get(1).substring(OWNER.length()).strip()
                    : "";
            String name = lines.isEmpty() ? "" : lines.getFirst().strip();
            boolean packs = name.endsWith(WITH_PACKS);
            return new Marker(packs ? name.substring(0, name.length() - WITH_PACKS.length()) : name, namespace, packs);
        }

        String text() {
            return account + (packs ? WITH_PACKS : "") + "\n" + OWNER + namespace + "\n";
        }
    }

    /** The account, held by this process. */
    record Claim(FileChannel lockFile, FileLock lock) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            lockFile.close();
        }
    }

    /** @param firstUse whether the namespace knows no blob of the account: a missing or empty directory may be taken into use */
    AccountDirectory(String account, String namespace, Path root, boolean firstUse) {
        this.account = account;
        this.namespace = namespace;
        this.known = !firstUse;
        this.root = root.toAbsolutePath().normalize();
        this.marker = this.root.resolve(MARKER);
        this.firstUse = firstUse;
    }

    String account() {
        return account;
    }

    Path root() {
        return root;
    }

    Path blobs() {
        return root.resolve("blobs");
    }

    Path journal() {
        return root.resolve("journal");
    }

    Path packs() {
        return root.resolve("packs");
    }

    /** Makes room for packs, and keeps out the version before them, which would not see them. The claim is held. */
    void allowPacks() throws IOException {
        makeDirectory(packs());
        if (!read().packs()) {
            writeMarker(true);
        }
    }

    /** Takes the directory for this process until the claim is closed, into use first if that is allowed. */
    Claim claim() throws IOException {
        if (firstUse && !isMarked()) {
            mark();
        }
        if (!known && read().namespace().isEmpty() && holdsNothing()) {
            known = true; // nothing that another namespace could miss
        }
        check();
        makeDirectory(blobs());
        makeDirectory(journal());
        FileChannel channel =
                FileChannel.open(journal().resolve("lock"), StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                adopt();
                firstUse = false; // once used, a directory that is missing is a disk that is not mounted
                return new Claim(channel, lock);
            }
        } catch (OverlappingFileLockException inThisProcess) {
            channel.close();
            throw fault("is in use by this process already");
        } catch (Throwable failure) {
            channel.close();
            throw failure;
        }
        channel.close();
        throw fault("is in use by another process");
    }

    private void makeDirectory(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectory(directory);
            BlobFiles.forceDirectory(root);
        }
    }

    /** An empty marker is one that was not written to its end. */
    private boolean isMarked() throws IOException {
        return Files.exists(marker) && Files.size(marker) > 0;
    }

    private void mark() throws IOException {
        Files.createDirectories(root, OwnerOnly.DIRECTORY); // the blobs are the objects' bytes
        if (!isEmpty()) {
            throw fault("is not empty and has no file " + MARKER + ": not an account's directory");
        }
        writeMarker(false);
        Path parent = root.getParent();
        if (parent != null) {
            BlobFiles.forceDirectory(parent);
        }
    }

    /** Whole or not at all: half a name would be that of another namespace. */
    private void writeMarker(boolean packs) throws IOException {
        Path fresh = root.resolve(MARKER + ".new");
        Files.deleteIfExists(fresh);
        try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            ByteBuffer text = StandardCharsets.UTF_8.encode(new Marker(account, namespace, packs).text());
            while (text.hasRemaining()) {
                channel.write(text);
            }
            channel.force(true);
        }
        Files.move(fresh, marker, StandardCopyOption.ATOMIC_MOVE);
        BlobFiles.forceDirectory(root);
    }

    /** But for a marker not written to its end, and what a new file system brings along. */
    private boolean isEmpty() throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                if (!name.equals("lost+found") && !name.startsWith(MARKER)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Throws a fault unless the directory is there, the account's, and the namespace's. */
    void check() throws BlobStoreException {
        Marker found = read();
        if (!found.account().equals(account)) {
            throw fault("belongs to account " + found.account() + ", not " + account);
        }
        if (found.namespace().isEmpty()) {
            if (!known) {
                throw fault("has blobs that the namespace " + namespace + " does not know, and its file " + MARKER
                        + " names no namespace: if it belongs to this one, add the line \"" + OWNER + namespace + '"');
            }
        } else if (!found.namespace().equals(namespace)) {
            throw fault("belongs to the namespace " + found.namespace() + ", not to this gateway's, " + namespace);
        }
    }

    private Marker read() throws BlobStoreException {
        try {
            if (!Files.exists(marker)) {
                throw fault(
                        Files.isDirectory(root)
                                ? "has no file " + MARKER + ": is its disk mounted?"
                                : "does not exist: is its disk mounted?");
            }
            if (Files.size(marker) > MAX_MARKER_BYTES) {
                throw fault("has a file " + MARKER + " that is not an account's");
            }
            return Marker.parse(Files.readString(marker));
        } catch (IOException failure) {
            throw failure instanceof BlobStoreException known
                    ? known
                    : DiskFaults.fault(root, "reading " + MARKER, failure);
        }
    }

    /** Enters the namespace into a marker of an earlier version, which had none. The claim is held. */
    private void adopt() throws IOException {
        Marker found = read();
        if (found.namespace().isEmpty()) {
            writeMarker(found.packs());
        }
    }

    private boolean holdsNothing() throws IOException {
        if (!EarlierJournal.in(journal()).isClean() || !Packs.isEmpty(packs())) {
            return false;
        }
        if (!Files.isDirectory(blobs())) {
            return true;
        }
        try (Stream<Path> files = Files.walk(blobs())) {
            return files.noneMatch(Files::isRegularFile);
        }
    }

    /** Room for more bytes; 0 if the directory or its file system is read-only. */
    long usableBytes() throws IOException {
        FileStore store = Files.getFileStore(root);
        return store.isReadOnly() || !Files.isWritable(blobs()) ? 0 : store.getUsableSpace();
    }

    private BlobStoreException fault(String what) {
        return DiskFaults.fault(root, what);
    }
}
