package io.headgate.conformance.process;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;

/**
 * One large upload or download over a bare socket, at a presigned URL: the client itself holds one block of memory, whatever the size.
 * Each object consists of blocks cut from one random array at places that only the object and the block's number know.
 */
final class Transfer implements AutoCloseable {
    static final int BLOCK_BYTES = 64 << 10;
    private static final int PLACES = 1 << 20;
    private static final int MAX_HEAD_BYTES = 16 << 10;
    private static final ByteBuffer PATTERN = pattern();

    private final SocketChannel socket;

    Transfer(int port) throws IOException {
        socket = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private static ByteBuffer pattern() {
        byte[] bytes = new byte[PLACES + BLOCK_BYTES];
        new Random(42).nextBytes(bytes);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip().asReadOnlyBuffer();
    }

    private static ByteBuffer block(int object, int number) {
        return PATTERN.slice(new Random(((long) object << 32) + number).nextInt(PLACES), BLOCK_BYTES);
    }

    /** Sends the head of a PUT. */
    void beginUpload(URI url, long sizeBytes) throws IOException {
        send("PUT", url, "Content-Length: " + sizeBytes + "\r\n");
    }

    /** Sends blocks from number {@code from} (inclusive) to {@code to} (exclusive). */
    void sendBlocks(int object, int from, int to) throws IOException {
        for (int number = from; number < to; number++) {
            ByteBuffer block = block(object, number);
            while (block.hasRemaining()) {
                socket.write(block);
            }
        }
    }

    /** The status of the answer to an upload. */
    int endUpload() throws IOException {
        return readStatus(ByteBuffer.allocate(MAX_HEAD_BYTES));
    }

    /** Sends a GET and reads the head of the answer; {@code buffer} then holds what has come of the body. */
    int beginDownload(URI url, ByteBuffer buffer) throws IOException {
        send("GET", url, "");
        return readStatus(buffer);
    }

    /**
     * Reads blocks from number {@code from} (inclusive) to {@code to} (exclusive).
     *
     * @param buffer as {@link #beginDownload} or the last call left it
     * @return the number of the first block that is not the object's, or {@code to} if all are
     */
    int receiveBlocks(int object, int from, int to, ByteBuffer buffer) throws IOException {
        for (int number = from; number < to; number++) {
            ByteBuffer expected = block(object, number);
            while (expected.hasRemaining()) {
                if (!buffer.hasRemaining()) {
                    fill(buffer.clear());
                    buffer.flip();
                }
                int length = Math.min(buffer.remaining(), expected.remaining());
                if (!buffer.slice(buffer.position(), length).equals(expected.slice(expected.position(), length))) {
                    return number;
                }
                buffer.position(buffer.position() + length);
                expected.position(expected.position() + length);
            }
        }
        return to;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void send(String method, URI url, String fields) throws IOException {
        String head = method + " " + url.getRawPath() + "?" + url.getRawQuery() + " HTTP/1.1\r\nHost: "
                + url.getAuthority() + "\r\n" + fields + "\r\n";
        ByteBuffer bytes = StandardCharsets.US_ASCII.encode(head);
        while (bytes.hasRemaining()) {
            socket.write(bytes);
        }
    }

    /** Reads to the end of the head, and leaves in the buffer what came after it. */
    private int readStatus(ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (true) {
            fill(buffer);
            String text = StandardCharsets.ISO_8859_1
                    .decode(buffer.duplicate().flip())
                    .toString();
            int end = text.indexOf("\r\n\r\n");
            if (end >= 0) {
                buffer.flip().position(end + 4);
                String status = text.substring(0, text.indexOf('\r')).toUpperCase(Locale.ROOT);
                return Integer.parseInt(status.substring("HTTP/1.1 ".length(), "HTTP/1.1 ".length() + 3));
            }
        }
    }

    private void fill(ByteBuffer buffer) throws IOException {
        if (socket.read(buffer) < 0) {
            throw new EOFException("the gateway closed the connection");
        }
    }
}
