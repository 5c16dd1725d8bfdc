package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A blob that is in the journal and has no file of its own yet. Whoever needs the file first writes it: the journal's writer thread, or
 * a reader. Thread-safe.
 */
final class PendingBlob {
    private final BlobId id;
    private final int length;
    private final Segment segment;
    private final long offset;
    private boolean settled;

    /** @param offset where the blob's bytes begin in {@code segment} */
    PendingBlob(BlobId id, int length, Segment segment, long offset) {
        this.id = id;
        this.length = length;
        this.segment = segment;
        this.offset = offset;
        segment.unsettled();
    }

    BlobId id() {
        return id;
    }

    /** Writes the blob's file, unless that is done already or the blob was deleted. For the journal's writer thread. */
    synchronized void write(BlobFiles files) throws IOException {
        if (!settled) {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            segment.read(bytes, offset);
            files.write(id, bytes.flip());
            settle();
        }
    }

    /** As {@link #write}, for a thread that may be interrupted: an interrupt closes the channel that it meets. */
    synchronized void writeAside(BlobFiles files) throws IOException {
        if (!settled) {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            segment.readAside(bytes, offset);
            files.write(id, bytes.flip());
            settle();
        }
    }

    /** The blob is being deleted: its file is not written any more. */
    synchronized void cancel() {
        if (!settled) {
            settle();
        }
    }

    private void settle() {
        settled = true;
        segment.settled();
    }
}
