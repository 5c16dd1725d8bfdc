package io.headgate.blob.local;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of a pack, opened when it is needed. Whoever reads it when it is closed, because other files are needed more or because
 * another reader was interrupted, opens it again; until it is retired. Thread-safe.
 */
final class PackFile {
    private static final Logger LOG = LoggerFactory.getLogger(PackFile.class);

    /** How often in a row a reader may lose the file to others before it gives up. */
    private static final int MAX_REOPENED = 100;

    private final Path path;
    private final OpenFiles files;
    private final boolean writable;
    private volatile @Nullable FileChannel channel;
    private volatile long lastUsedNanos;
    /** Whether something was written since it was last forced: not to be closed before, as a close may be where a failure is told. */
    private volatile boolean unforced;

    private boolean retired;

    /** The file is no more: its pack was replaced or removed, or the account was closed. */
    static final class RetiredException extends IOException {
        private static final long serialVersionUID = 1L;

        RetiredException(Path path) {
            super(path + " is not used any more");
        }
    }

    private interface Use {
        void of(FileChannel channel) throws IOException;
    }

    PackFile(Path path, OpenFiles files, boolean writable) {
        this.path = path;
        this.files = files;
        this.writable = writable;
    }

    Path path() {
        return path;
    }

    long lastUsedNanos() {
        return lastUsedNanos;
    }

    boolean isUnforced() {
        return unforced;
    }

    /** Fills {@code target} with the bytes that begin at {@code at}. */
    void read(ByteBuffer target, long at) throws IOException {
        int start = target.position();
        use(open -> {
            target.position(start);
            long from = at;
            while (target.hasRemaining()) {
                int count = open.read(target, from);
                if (count < 0) {
                    throw new EOFException(path + " ends early");
                }
                from += count;
            }
        });
    }

    /** Writes all of {@code source}; durable after {@link #force}. */
    void write(ByteBuffer source, long at) throws IOException {
        int start = source.position();
        unforced = true;
        use(open -> {
            source.position(start);
            long to = at;
            while (source.hasRemaining()) {
                to += open.write(source, to);
            }
        });
    }

    /** Puts what was written on the disk. */
    void force() throws IOException {
        unforced = false; // before: what is written meanwhile may be left out
        use(open -> open.force(false));
    }

    long sizeBytes() throws IOException {
        long[] size = new long[1];
        use(open -> size[0] = open.size());
        return size[0];
    }

    private void use(Use use) throws IOException {
        for (int reopened = 0; ; reopened++) {
            FileChannel open = channel();
            try {
                use.of(open);
                return;
            } catch (ClosedByInterruptException ours) {
                throw ours;
            } catch (ClosedChannelException others) {
                if (reopened == MAX_REOPENED) {
                    throw others;
                }
            }
        }
    }

    private FileChannel channel() throws IOException {
        lastUsedNanos = System.nanoTime();
        FileChannel open = channel;
        return open != null && open.isOpen() ? open : reopen();
    }

    private FileChannel reopen() throws IOException {
        FileChannel open;
        synchronized (this) {
            if (retired) {
                throw new RetiredException(path);
            }
            open = channel;
            if (open != null && open.isOpen()) {
                return open;
            }
            open = FileChannel.open(
                    path,
                    writable
                            ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE)
                            : Set.of(StandardOpenOption.READ));
            channel = open;
        }
        files.opened(this);
        return open;
    }

    /** Closes the file until it is needed again. */
    void rest() {
        files.closed(this);
        closeChannel();
    }

    /** Closes the file for good. */
    void retire() {
        synchronized (this) {
            retired = true;
        }
        rest();
    }

    private void closeChannel() {
        FileChannel open;
        synchronized (this) {
            open = channel;
            channel = null;
        }
        if (open != null) {
            try {
                open.close();
            } catch (IOException nothingLost) {
                // What must be on the disk was forced before.
                LOG.debug("closing {} failed", path, nothingLost);
            }
        }
    }
}
