package io.headgate.http;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Direct buffers for streamed responses, kept for reuse. At most {@code maxLarge} large ones are in use at once; whoever comes later
 * gets a small one, so that any number of clients that do not read costs little.
 */
final class CopyBuffers {
    static final int SMALL_BYTES = 8 * 1024;

    private final int largeBytes;
    private final int maxLarge;
    private final AtomicInteger largeInUse = new AtomicInteger();
    private final ConcurrentLinkedDeque<ByteBuffer> idleLarge = new ConcurrentLinkedDeque<>();
    private final ConcurrentLinkedDeque<ByteBuffer> idleSmall = new ConcurrentLinkedDeque<>();

    CopyBuffers(int largeBytes, int maxLarge) {
        this.largeBytes = largeBytes;
        this.maxLarge = maxLarge;
    }

    /** A cleared buffer that suits a body of so many bytes, to be given back. */
    ByteBuffer acquire(long lengthBytes) {
        if (lengthBytes > SMALL_BYTES) {
            if (largeInUse.incrementAndGet() <= maxLarge) {
                return idleOrNew(idleLarge, largeBytes);
            }
            largeInUse.decrementAndGet();
        }
        return idleOrNew(idleSmall, SMALL_BYTES);
    }

    /** @param reusable false if a write that was cut off may still refer to the buffer: then it is left to the collector */
    void release(ByteBuffer buffer, boolean reusable) {
        boolean large = buffer.capacity() > SMALL_BYTES;
        if (reusable) {
            (large ? idleLarge : idleSmall).addFirst(buffer.clear());
        }
        if (large) {
            largeInUse.decrementAndGet();
        }
    }

    private static ByteBuffer idleOrNew(ConcurrentLinkedDeque<ByteBuffer> idle, int bytes) {
        ByteBuffer buffer = idle.pollFirst();
        return buffer == null ? ByteBuffer.allocateDirect(bytes) : buffer;
    }
}
