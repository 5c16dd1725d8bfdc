package io.headgate.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** Writes one response, blocking as fast as the client reads. */
final class ResponseSender {
    private static final HttpField SERVER = new PreEncodedHttpField(HttpHeader.SERVER, "Headgate");
    private static final HttpField CONNECTION_CLOSE = new PreEncodedHttpField(HttpHeader.CONNECTION, "close");
    private static final String REQUEST_ID = "x-amz-request-id";

    private final Request request;
    private final org.eclipse.jetty.server.Response target;
    private final CopyBuffers buffers;
    private final Signal written;
    private final RateFloor floor;
    private long sentBytes;
    private long firstByteNanos;
    private boolean started;

    ResponseSender(
            Request request,
            org.eclipse.jetty.server.Response target,
            CopyBuffers buffers,
            Signal written,
            RateFloor floor) {
        this.request = request;
        this.target = target;
        this.buffers = buffers;
        this.written = written;
        this.floor = floor;
    }

    /** Fails because the body's source did. If nothing was written yet, another response can still be sent. */
    static final class SourceFailedException extends IOException {
        private static final long serialVersionUID = 1L;

        SourceFailedException(Throwable cause) {
            super("The body of the response could not be read", cause);
        }
    }

    long sentBytes() {
        return sentBytes;
    }

    boolean started() {
        return started;
    }

    /** {@link System#nanoTime} of the first write; meaningless before. */
    long firstByteNanos() {
        return firstByteNanos;
    }

    /** Takes back a response of which nothing was written. */
    void reset() {
        target.reset();
    }

    /** Writes the response and releases what its body holds. After an exception with {@link #started} the connection must be cut. */
    void send(Response response, String requestId, boolean closing) throws IOException {
        try {
            writeHead(response, requestId, closing);
            switch (response.body()) {
                case Response.Body.None(long contentLengthBytes) -> sendNone(response.status(), contentLengthBytes);
                case Response.Body.Bytes(byte[] bytes) -> sendBytes(ByteBuffer.wrap(bytes));
                case Response.Body.Channel(ReadableByteChannel channel, long lengthBytes) ->
                    sendChannel(channel, lengthBytes);
                case Response.Body.Stream stream -> sendStream(stream.source());
            }
        } finally {
            response.discard();
        }
    }

    private void writeHead(Response response, String requestId, boolean closing) {
        target.setStatus(response.status());
        var fields = target.getHeaders();
        addServerFields(target, requestId);
        List<RequestHead.Field> headers = response.headers();
        for (int i = 0; i < headers.size(); i++) {
            RequestHead.Field field = headers.get(i);
            HttpHeader known = HttpHeader.CACHE.get(field.name());
            fields.add(
                    known == null ? new HttpField(field.name(), field.value()) : new HttpField(known, field.value()));
        }
        if (closing) {
            fields.add(CONNECTION_CLOSE);
        }
    }

    /** Adds the fields that every response carries. */
    static void addServerFields(org.eclipse.jetty.server.Response target, String requestId) {
        target.getHeaders().add(new HttpField(REQUEST_ID, requestId)).add(SERVER);
    }

    private void sendNone(int status, long contentLengthBytes) throws IOException {
        if (contentLengthBytes >= 0) {
            target.getHeaders().put(HttpHeader.CONTENT_LENGTH, contentLengthBytes);
        } else if (status == 204 || status == 304) {
            // A last write would add Content-Length: 0, which these do not carry.
            write(false, null);
        }
        write(true, null);
    }

    private void sendBytes(ByteBuffer bytes) throws IOException {
        target.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.remaining());
        write(true, isHead() ? null : bytes);
    }

    private void sendChannel(ReadableByteChannel channel, long lengthBytes) throws IOException {
        target.getHeaders().put(HttpHeader.CONTENT_LENGTH, lengthBytes);
        if (isHead() || lengthBytes == 0) {
            write(true, null);
            return;
        }
        ByteBuffer buffer = buffers.acquire(lengthBytes);
        boolean writing = false;
        try {
            long left = lengthBytes;
            while (left > 0) {
                buffer.clear();
                if (left < buffer.capacity()) {
                    buffer.limit((int) left);
                }
                fill(buffer, channel);
                buffer.flip();
                left -= buffer.remaining();
                writing = true;
                write(left == 0, buffer);
                writing = false;
            }
        } finally {
            buffers.release(buffer, !writing);
        }
    }

    private void fill(ByteBuffer buffer, ReadableByteChannel channel) throws IOException {
        try {
            while (buffer.hasRemaining()) {
                if (channel.read(buffer) < 0) {
                    throw new EOFException("The body of the response is shorter than its declared length");
                }
            }
        } catch (IOException | RuntimeException e) {
            throw new SourceFailedException(e);
        }
    }

    private void sendStream(Response.Source source) throws IOException {
        if (isHead()) {
            write(true, null);
            return;
        }
        ByteBuffer buffer = buffers.acquire(Long.MAX_VALUE);
        StreamedBody body = new StreamedBody(buffer);
        boolean written = false;
        try {
            source.writeTo(body);
            body.flush();
            write(true, null);
            written = true;
        } catch (IOException | RuntimeException failed) {
            if (body.clientFailed && failed instanceof IOException hungUp) {
                throw hungUp;
            }
            throw new SourceFailedException(failed);
        } finally {
            buffers.release(buffer, written);
        }
    }

    /** Gathers what is written, and sends it when it is flushed or the buffer is full. */
    private final class StreamedBody extends OutputStream {
        private final ByteBuffer buffer;
        private boolean clientFailed;

        StreamedBody(ByteBuffer buffer) {
            this.buffer = buffer.clear();
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int done = 0;
            while (done < length) {
                int some = Math.min(length - done, buffer.remaining());
                buffer.put(bytes, offset + done, some);
                done += some;
                if (!buffer.hasRemaining()) {
                    flush();
                }
            }
        }

        @Override
        public void flush() throws IOException {
            if (buffer.position() > 0) {
                clientFailed = true; // unless it turns out otherwise
                ResponseSender.this.write(false, buffer.flip());
                clientFailed = false;
                buffer.clear();
            }
        }
    }

    private boolean isHead() {
        return HttpMethod.HEAD.is(request.getMethod());
    }

    private void write(boolean last, @Nullable ByteBuffer bytes) throws IOException {
        if (!started) {
            started = true;
            firstByteNanos = System.nanoTime();
        }
        int count = bytes == null ? 0 : bytes.remaining();
        written.reset();
        target.write(last, bytes, written);
        if (!written.raised()) {
            awaitWritten(bytes, count);
        }
        Throwable failure = written.failure();
        if (failure != null) {
            sentBytes += bytes == null ? 0 : count - bytes.remaining();
            if (failure instanceof IOException || failure instanceof TimeoutException) {
                throw new IOException("The client does not take the response", failure);
            }
            throw new IllegalStateException("The response cannot be written", failure);
        }
        sentBytes += count;
    }

    private void awaitWritten(@Nullable ByteBuffer bytes, int count) {
        long begun = System.nanoTime();
        while (!written.await(floor.nanosToVerdict())) {
            long now = System.nanoTime();
            // The socket takes the bytes straight from this buffer, so its position tells how far the client has come.
            if (floor.waited(now - begun, bytes == null ? 0 : count - bytes.remaining())) {
                // Fails the pending write, which raises the signal.
                request.getConnectionMetaData()
                        .getConnection()
                        .getEndPoint()
                        .close(new TimeoutException("The client reads too slowly"));
                written.await(Long.MAX_VALUE);
                return;
            }
            begun = now;
        }
        floor.moved(count);
        floor.waited(System.nanoTime() - begun, 0);
    }
}
