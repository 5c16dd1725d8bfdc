package io.headgate.http;

import io.headgate.domain.BodyException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** A request's body, read straight from the connection's buffers. The first wait for bytes sends {@code 100 Continue} if it is due. */
final class RequestBody extends InputStream {
    /** After the response, so much of a body that nobody read is swallowed, so that the client gets to read the response. */
    static final long LINGER_BYTES = 4L * 1024 * 1024;

    /** A rest of this size is swallowed for the sake of the connection, which then serves the next request. */
    static final long KEEP_ALIVE_DRAIN_BYTES = 64L * 1024;

    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Request request;
    private final Signal readable;
    private final RateFloor floor;
    private Content.@Nullable Chunk chunk;
    private @Nullable BodyException failure;
    private boolean awaitsContinue;
    private boolean ended;
    private long receivedBytes;

    /** @param awaitsContinue whether the client sends the body only after {@code 100 Continue} */
    RequestBody(Request request, Signal readable, RateFloor floor, boolean awaitsContinue) {
        this.request = request;
        this.readable = readable;
        this.floor = floor;
        this.awaitsContinue = awaitsContinue;
    }

    @Override
    public int read() throws IOException {
        Content.Chunk current = current();
        if (current == null) {
            return -1;
        }
        int value = current.getByteBuffer().get() & 0xFF;
        consumed(current);
        return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        Content.Chunk current = current();
        if (current == null) {
            return -1;
        }
        ByteBuffer bytes = current.getByteBuffer();
        int count = Math.min(length, bytes.remaining());
        bytes.get(target, offset, count);
        consumed(current);
        return count;
    }

    @Override
    public int available() {
        return chunk == null ? 0 : chunk.remaining();
    }

    long receivedBytes() {
        return receivedBytes;
    }

    /** Whether the connection can serve another request after this one, as far as the body is concerned; reads no more than has arrived. */
    boolean isDrainable(long contentLength) {
        if (ended) {
            return true;
        }
        if (failure != null || awaitsContinue) {
            return false;
        }
        if (contentLength >= 0) {
            return contentLength - receivedBytes <= KEEP_ALIVE_DRAIN_BYTES;
        }
        return swallow(KEEP_ALIVE_DRAIN_BYTES, 0);
    }

    /**
     * Swallows the rest of the body, for some time and up to a bound, after the response has been written.
     *
     * @return whether the body's end was reached
     */
    boolean linger() {
        return ended || (failure == null && !awaitsContinue && swallow(LINGER_BYTES, LINGER_NANOS));
    }

    /** Whether reading the body failed. */
    boolean brokeOff() {
        return failure != null;
    }

    /** Gives back the buffer of a body that was left half read. */
    void release() {
        if (chunk != null) {
            chunk.release();
            chunk = null;
        }
    }

    private boolean swallow(long maxBytes, long maxNanos) {
        long begun = System.nanoTime();
        release();
        long left = maxBytes;
        while (!ended && failure == null && left >= 0) {
            Content.Chunk next = request.read();
            if (next == null) {
                long nanosLeft = maxNanos - (System.nanoTime() - begun);
                if (nanosLeft <= 0) {
                    return false;
                }
                readable.reset();
                request.demand(readable);
                if (!readable.await(nanosLeft)) {
                    cutOff("The rest of the body did not come");
                }
            } else {
                left -= next.remaining();
                accept(next);
                release();
            }
        }
        return ended;
    }

    /** The chunk to read from, not empty; null at the end of the body. */
    private Content.@Nullable Chunk current() throws BodyException {
        while (chunk == null) {
            if (failure != null) {
                throw failure;
            }
            if (ended) {
                return null;
            }
            Content.Chunk next = request.read();
            if (next == null) {
                awaitContent();
            } else {
                accept(next);
            }
        }
        return chunk;
    }

    private void accept(Content.Chunk next) {
        if (Content.Chunk.isFailure(next)) {
            failure = failed(next.getFailure());
            return;
        }
        ended = next.isLast();
        if (next.hasRemaining()) {
            int count = next.remaining();
            awaitsContinue = false;
            receivedBytes += count;
            floor.moved(count);
            chunk = next;
        } else {
            next.release();
        }
    }

    private void consumed(Content.Chunk current) {
        if (!current.hasRemaining()) {
            current.release();
            chunk = null;
        }
    }

    private void awaitContent() {
        awaitsContinue = false;
        readable.reset();
        request.demand(readable);
        long begun = System.nanoTime();
        while (!readable.await(floor.nanosToVerdict())) {
            long now = System.nanoTime();
            if (floor.waited(now - begun, 0)) {
                cutOff("The client sent the body too slowly");
                return;
            }
            begun = now;
        }
        if (floor.waited(System.nanoTime() - begun, 0)) {
            cutOff("The client sent the body too slowly");
        }
    }

    /** Fails the body, and ends a demand under way, which may not be pending when the exchange completes. */
    private void cutOff(String reason) {
        failure = new BodyException(reason);
        request.fail(new TimeoutException(reason));
        readable.await(Long.MAX_VALUE);
    }

    private static BodyException failed(Throwable cause) {
        return cause instanceof TimeoutException
                ? new BodyException("The client stopped sending the body", cause)
                : new BodyException("The body broke off or is malformed", cause);
    }
}
