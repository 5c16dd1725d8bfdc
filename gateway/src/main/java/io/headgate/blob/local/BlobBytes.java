package io.headgate.blob.local;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;

/** A run of a small blob, read already. Used by one thread at a time. */
final class BlobBytes implements ReadableByteChannel {
    private final ByteBuffer bytes;
    private boolean closed;

    BlobBytes(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    @Override
    public int read(ByteBuffer target) throws ClosedChannelException {
        if (closed) {
            throw new ClosedChannelException();
        }
        if (!bytes.hasRemaining()) {
            return -1;
        }
        int count = Math.min(bytes.remaining(), target.remaining());
        target.put(bytes.slice(bytes.position(), count));
        bytes.position(bytes.position() + count);
        return count;
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() {
        closed = true;
    }
}
