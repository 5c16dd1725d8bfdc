package io.headgate.region;

import io.headgate.domain.BlockInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * The body of an answer as it comes. At its end the connection goes back for later requests; closed before, or failed, it is cut. A body
 * that ends early throws. Used by one thread.
 */
final class AnswerBody extends BlockInputStream {
    private static final int MAX_LINE_BYTES = 1024;
    private static final int MAX_TRAILER_LINES = 64;
    private static final int MAX_SIZE_DIGITS = 15;

    private final PeerConnection connection;
    private final PeerGateway gateway;
    private final boolean reusable;
    private final boolean chunked;
    private final Duration stall;
    private final LongAdder receivedBytes;

    /** Of the body, or of the chunk that is being read. */
    private long leftBytes;

    private boolean beforeFirstChunk = true;
    private boolean done;
    private boolean cut;

    /**
     * @param lengthBytes -1 if it comes in chunks
     * @param reusable whether the connection can serve another request after this body
     */
    AnswerBody(
            PeerConnection connection,
            PeerGateway gateway,
            long lengthBytes,
            boolean reusable,
            Duration stall,
            LongAdder receivedBytes) {
        this.connection = connection;
        this.gateway = gateway;
        this.chunked = lengthBytes < 0;
        this.leftBytes = Math.max(0, lengthBytes);
        this.reusable = reusable;
        this.stall = stall;
        this.receivedBytes = receivedBytes;
        if (lengthBytes == 0) {
            end();
        } else {
            // Until somebody reads, who must come soon.
            connection.within(stall);
        }
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length == 0) {
            return 0;
        }
        if (cut) {
            throw new IOException("the answer is closed");
        }
        if (done) {
            return -1;
        }
        boolean read = false;
        try {
            connection.within(stall);
            if (leftBytes == 0 && !nextChunk()) {
                read = true;
                end();
                return -1;
            }
            int count = connection.read(bytes, offset, (int) Math.min(length, leftBytes));
            leftBytes -= count;
            receivedBytes.add(count);
            connection.withoutLimit();
            read = true;
            if (leftBytes == 0 && !chunked) {
                end();
            }
            return count;
        } finally {
            if (!read) {
                close();
            }
        }
    }

    @Override
    public int available() {
        return done ? 0 : (int) Math.min(leftBytes, connection.available());
    }

    /** Reads on to the content of the next chunk; false at the end of the body. */
    private boolean nextChunk() throws IOException {
        if (!beforeFirstChunk && !connection.readLine(MAX_LINE_BYTES).isEmpty()) {
            throw malformed();
        }
        beforeFirstChunk = false;
        leftBytes = size(connection.readLine(MAX_LINE_BYTES));
        if (leftBytes > 0) {
            return true;
        }
        for (int lines = 0; !connection.readLine(MAX_LINE_BYTES).isEmpty(); lines++) {
            if (lines == MAX_TRAILER_LINES) {
                throw malformed();
            }
        }
        return false;
    }

    private static long size(String line) throws IOException {
        int semicolon = line.indexOf(';');
        String digits = (semicolon < 0 ? line : line.substring(0, semicolon)).strip();
        if (digits.isEmpty() || digits.length() > MAX_SIZE_DIGITS) {
            throw malformed();
        }
        long size = 0;
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            int digit = c < 0x80 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw malformed();
            }
            size = size << 4 | digit;
        }
        return size;
    }

    private static IOException malformed() {
        return new IOException("a chunk of the answer is malformed");
    }

    private void end() {
        done = true;
        gateway.release(connection, reusable);
    }

    @Override
    public void close() {
        if (!done) {
            done = true;
            cut = true;
            gateway.release(connection, false);
        }
    }
}
