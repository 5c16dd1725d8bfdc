package io.headgate.blob.local;

import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;

/** A run of a blob's file. Used by one thread at a time. */
final class BlobRun implements ReadableByteChannel {
    private final Path root;
    private final FileChannel file;
    private long position;
    private long remaining;

    BlobRun(Path root, FileChannel file, long offsetBytes, long lengthBytes) {
        this.root = root;
        this.file = file;
        this.position = offsetBytes;
        this.remaining = lengthBytes;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (remaining == 0) {
            return -1;
        }
        int limit = target.limit();
        if (target.remaining() > remaining) {
            target.limit(target.position() + (int) remaining);
        }
        int count;
        try {
            count = file.read(target, position);
        } catch (ClosedChannelException closedOrInterrupted) {
            throw closedOrInterrupted;
        } catch (IOException failure) {
            throw DiskFaults.fault(root, "reading a blob", failure);
        } finally {
            target.limit(limit);
        }
        if (count < 0) {
            throw new BlobStoreException(Kind.MISSING, "A blob became shorter while it was read");
        }
        position += count;
        remaining -= count;
        return count;
    }

    @Override
    public boolean isOpen() {
        return file.isOpen();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
