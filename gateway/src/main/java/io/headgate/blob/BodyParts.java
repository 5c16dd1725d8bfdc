package io.headgate.blob;

import io.headgate.domain.BodyException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Takes a body part by part into one buffer, so that a part can be sent again. The body's end, where it verifies itself, is read before
 * the last part is given out: an account never holds all bytes of a body that is wrong. Used by one thread.
 */
public final class BodyParts {
    private final InputStream body;
    private final byte[] buffer;
    private long leftBytes;
    private int count;

    /**
     * @param lengthBytes of the body, at least 1
     * @param partBytes of each part but the last
     */
    public BodyParts(InputStream body, long lengthBytes, int partBytes) {
        this.body = body;
        this.buffer = new byte[(int) Math.min(lengthBytes, partBytes)];
        this.leftBytes = lengthBytes;
    }

    /**
     * Reads the next part into the buffer; false past the last.
     *
     * @throws BodyException if the body is shorter or longer than it should be
     * @throws IOException as the body threw it
     */
    public boolean next() throws IOException {
        if (leftBytes == 0) {
            return false;
        }
        count = (int) Math.min(leftBytes, buffer.length);
        if (body.readNBytes(buffer, 0, count) < count) {
            throw new BodyException("the body is shorter than it said");
        }
        leftBytes -= count;
        if (leftBytes == 0 && body.read() >= 0) {
            throw new BodyException("the body is longer than it said");
        }
        return true;
    }

    /** The part is at its begin; valid until the next part is read. */
    public byte[] buffer() {
        return buffer;
    }

    /** Bytes of the part. */
    public int count() {
        return count;
    }
}
