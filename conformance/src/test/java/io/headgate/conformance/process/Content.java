package io.headgate.conformance.process;

import java.util.List;
import java.util.Random;

/**
 * What an object holds, made again from little when it is to be compared: one blob or a few, each with a number of its own.
 *
 * @param blobs one for a plain object, one a part for a multipart one; empty blobs do not exist
 */
record Content(List<Blob> blobs) {

    /** The bytes that {@code new Random(number)} gives. */
    record Blob(long number, int sizeBytes) {
        byte[] bytes() {
            byte[] bytes = new byte[sizeBytes];
            new Random(number).nextBytes(bytes);
            return bytes;
        }
    }

    byte[] bytes() {
        byte[] bytes = new byte[sizeBytes()];
        int offset = 0;
        for (Blob blob : blobs) {
            System.arraycopy(blob.bytes(), 0, bytes, offset, blob.sizeBytes);
            offset += blob.sizeBytes;
        }
        return bytes;
    }

    int sizeBytes() {
        return blobs.stream().mapToInt(Blob::sizeBytes).sum();
    }
}
