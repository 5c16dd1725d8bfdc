package io.headgate.s3.op;

import io.headgate.domain.BlockInputStream;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Objects;

/**
 * A file of which an account must be told the length before it is known: yields exactly as many bytes as were guessed. If the file turns
 * out shorter, zeros follow it; if it is longer, the few bytes that are left are kept. Before the last byte is handed out, the file has
 * been read to its end. Used by one thread; closes nothing.
 */
final class GuessedFile extends BlockInputStream {
    /** As much as a form may have behind its file. */
    static final int MAX_FILL_BYTES = 64 << 10;

    /** By so much a file may be longer than guessed: by the line end that was taken for the body's last. */
    private static final int MAX_TAIL_BYTES = 2;

    private final InputStream file;
    private long leftBytes;
    private int filledBytes;
    private boolean ended;
    private byte[] tail = new byte[0];

    GuessedFile(InputStream file, long guessBytes) {
        this.file = file;
        this.leftBytes = guessBytes;
    }

    /** What of the file did not find room. */
    byte[] tail() {
        return tail;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length == 0) {
            return 0;
        }
        if (leftBytes == 0) {
            return -1;
        }
        int most = (int) Math.min(length, leftBytes);
        int count = ended ? -1 : file.read(bytes, offset, most);
        if (count < 0) {
            ended = true;
            filledBytes += most;
            if (filledBytes > MAX_FILL_BYTES) {
                throw new S3BodyException(S3Error.MALFORMED_POST_REQUEST, "The fields after the file are too large");
            }
            Arrays.fill(bytes, offset, offset + most, (byte) 0);
            count = most;
        }
        leftBytes -= count;
        if (leftBytes == 0 && !ended) {
            ended = true;
            tail = file.readNBytes(MAX_TAIL_BYTES);
            if (file.read() >= 0) {
                throw new S3BodyException(S3Error.MALFORMED_POST_REQUEST); // its last boundary is not whole
            }
        }
        return count;
    }
}
