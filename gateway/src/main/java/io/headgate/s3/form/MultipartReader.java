package io.headgate.s3.form;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads a body of the type multipart/form-data part by part, from a buffer of a few KiB. What stands between parts and in their heads is
 * counted against a limit; a part's content is as long as it is. Not thread-safe.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7578">RFC 7578: multipart/form-data</a>
 */
final class MultipartReader {
    private static final int BUFFER_BYTES = 16 << 10;
    private static final byte[] LINE_END = {'\r', '\n'};

    private final InputStream source;
    /** What ends a part: a line end, two hyphens, the boundary. */
    private final byte[] delimiter;

    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int limit;
    /** What stands in the buffer before here is content. */
    private int certain;

    private long takenBytes;
    private long mostBytes;

    /**
     * @param boundary 1 to 70 characters
     * @param mostBytes how much may be taken before {@link #liftLimit} is called
     */
    MultipartReader(InputStream source, String boundary, long mostBytes) {
        this.source = source;
        this.delimiter = ("\r\n--" + boundary).getBytes(UTF_8);
        this.mostBytes = mostBytes;
        // The first boundary may be the body's beginning, without a line end before it: as if there were one.
        System.arraycopy(LINE_END, 0, buffer, 0, LINE_END.length);
        limit = LINE_END.length;
        takenBytes = -LINE_END.length;
    }

    /** From here on any number of bytes may be taken. */
    void liftLimit() {
        mostBytes = Long.MAX_VALUE;
    }

    /** How much of the body has been taken. */
    long takenBytes() {
        return takenBytes;
    }

    /** The length of the boundary that ends the last part and of the line end behind it, which most clients send. */
    int closingBytes() {
        return delimiter.length + "--".length() + LINE_END.length;
    }

    /** Goes past what is before the first part; false if there is no part. */
    boolean first() throws IOException {
        byte[] preamble = new byte[1024];
        while (read(preamble, 0, preamble.length) >= 0) {
            // what is before the first boundary means nothing
        }
        return next();
    }

    /** After the end of a part's content: whether another part follows. */
    boolean next() throws IOException {
        int one = take();
        if (one == '-') {
            if (take() == '-') {
                return false;
            }
            throw malformed();
        }
        while (one == ' ' || one == '\t') {
            one = take();
        }
        if (one != '\r' || take() != '\n') {
            throw malformed();
        }
        return true;
    }

    /** A line of a part's head, without its end; empty for the last. */
    String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int one = take();
        while (one != '\r') {
            line.write(one);
            one = take();
        }
        if (take() != '\n') {
            throw malformed();
        }
        return line.toString(UTF_8);
    }

    /** Reads from a part's content; -1 at its end, past whose boundary the next call of anything reads. */
    int read(byte[] into, int offset, int length) throws IOException {
        while (true) {
            if (position == certain) {
                find();
            }
            if (position < certain) {
                int count = Math.min(length, certain - position);
                System.arraycopy(buffer, position, into, offset, count);
                count(count);
                return count;
            }
            if (limit - position >= delimiter.length) {
                count(delimiter.length);
                certain = position;
                return -1;
            }
            fill();
        }
    }

    /** Finds how much of the buffer is content: all before what is a delimiter, or may become one. */
    private void find() {
        int at = position;
        while (at < limit && !mayBegin(at)) {
            at++;
        }
        certain = at;
    }

    private boolean mayBegin(int at) {
        int length = Math.min(delimiter.length, limit - at);
        for (int i = 0; i < length; i++) {
            if (buffer[at + i] != delimiter[i]) {
                return false;
            }
        }
        return true;
    }

    private int take() throws IOException {
        if (position == limit) {
            fill();
        }
        int one = buffer[position] & 0xFF;
        count(1);
        certain = position;
        return one;
    }

    private void count(int bytes) throws S3BodyException {
        position += bytes;
        takenBytes += bytes;
        if (takenBytes > mostBytes) {
            throw new S3BodyException(S3Error.MAX_POST_PRE_DATA_LENGTH);
        }
    }

    private void fill() throws IOException {
        if (position > 0) {
            System.arraycopy(buffer, position, buffer, 0, limit - position);
            limit -= position;
            certain -= position;
            position = 0;
        }
        int count = source.read(buffer, limit, buffer.length - limit);
        if (count < 0) {
            throw malformed();
        }
        limit += count;
    }

    static S3BodyException malformed() {
        return new S3BodyException(S3Error.MALFORMED_POST_REQUEST);
    }
}
