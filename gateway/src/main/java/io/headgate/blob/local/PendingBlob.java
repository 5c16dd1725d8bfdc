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
    private final boolean repeated;
    private boolean settled;

    /**
     * Counts as unsettled in its segment until its file is written or cancelled.
     *
     * @param offset where the blob's bytes begin in {@code segment}
     * @param repeated whether the blob was put before the journal was opened, so that its file may be there, whole or not
     */
    PendingBlob(BlobId id, int length, Segment segment, long offset, boolean repeated) {
        this.id = id;
        this.length = length;
        this.segment = segment;
        this.offset = offset;
        this.repeated = repeated;
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
            write(files, bytes.flip());
        }
    }

    /** As {@link #write}, for a thread that may be interrupted: an interrupt closes the channel that it meets. */
    synchronized void writeAside(BlobFiles files) throws IOException {
        if (!settled) {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            segment.readAside(bytes, offset);
            write(files, bytes.flip());
        }
    }

    private void write(BlobFiles files, ByteBuffer bytes) throws IOException {
        if (repeated) {
            files.restore(id, bytes);
        } else {
            files.write(id, bytes);
        }
        settle();
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
