package io.headgate.admin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * A file that is appended to and bounded in size: a write that would take it over its bound begins a new one, and the old one is
 * kept as {@code FILE.1}, the one before as {@code FILE.2}, up to a number. After a failure the next write opens the file anew, so it
 * recovers when the disk does. Readable by the owner's group at most. Not thread-safe.
 */
public final class RotatingFile implements WritableByteChannel {
    private final Path file;
    private final long maxBytes;
    private final int kept;
    private @Nullable FileChannel channel;
    private long size;
    private boolean closed;

    /**
     * Opens or makes the file.
     *
     * @param maxBytes of one file; a single write may go over it
     * @param kept how many old files are kept, 0 for none
     */
    public RotatingFile(Path file, long maxBytes, int kept) throws IOException {
        this.file = file;
        this.maxBytes = maxBytes;
        this.kept = kept;
        channel();
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int count = bytes.remaining();
        long whole = size;
        try {
            if (size > 0 && size + count > maxBytes) {
                rotate();
            }
            FileChannel open = channel();
            whole = size;
            while (bytes.hasRemaining()) {
                size += open.write(bytes);
            }
            return count;
        } catch (IOException failed) {
            forget(whole, failed);
            throw failed;
        }
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        if (channel != null) {
            channel.close();
        }
    }

    private FileChannel channel() throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
        if (channel == null) {
            Path parent = file.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            if (!Files.exists(file)) {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
            }
            channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
            size = channel.size();
        }
        return channel;
    }

    private void rotate() throws IOException {
        channel().close();
        channel = null;
        if (kept == 0) {
            Files.deleteIfExists(file);
            return;
        }
        for (int i = kept - 1; i >= 1; i--) {
            if (Files.exists(numbered(i))) {
                Files.move(numbered(i), numbered(i + 1), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.move(file, numbered(1), StandardCopyOption.REPLACE_EXISTING);
    }

    private Path numbered(int number) {
        return file.resolveSibling(file.getFileName() + "." + number);
    }

    /** Takes back what was written of a failed write, so that no line is left half. */
    private void forget(long whole, IOException failure) {
        try (FileChannel failed = channel) {
            channel = null;
            if (failed != null) {
                failed.truncate(whole);
            }
        } catch (IOException alsoFailed) {
            failure.addSuppressed(alsoFailed);
        }
    }
}
