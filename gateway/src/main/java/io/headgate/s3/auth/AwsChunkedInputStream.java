package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BlockInputStream;
import io.headgate.http.RequestHead;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Undoes the content coding {@code aws-chunked} and verifies the signatures of the chunks and of the trailer.
 *
 * <p>A chunk can have many megabytes, so its bytes are handed out while they are hashed, before the signature over them is checked; a
 * wrong one is reported at the chunk's end. Whoever reads must not publish a byte before the end of the stream was reached without an
 * exception.
 *
 * <p>A read blocks until it has filled the array or reached the end, across chunks. The bytes of a chunk go straight from the source
 * into the caller's array, but for the few that were read together with the chunk's header.
 *
 * <p>Not thread-safe. Closing closes the source.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">S3: chunked upload</a>
 */
final class AwsChunkedInputStream extends BlockInputStream {
    /** Bounds a chunk's header and a line of the trailer; small, so that few bytes of a chunk are read with its header. */
    private static final int MAX_LINE_BYTES = 512;

    private static final int MAX_TRAILER_LINES = 16;
    private static final int MAX_SIZE_DIGITS = 16;

    /** Blank lines that some clients send behind the end. */
    private static final int MAX_EXCESS_BYTES = 4;

    private static final byte[] CHUNK_SIGNATURE = ";chunk-signature=".getBytes(US_ASCII);
    private static final String TRAILER_SIGNATURE = "x-amz-trailer-signature";
    private static final int SIGNATURE_DIGITS = 2 * SigningKey.SIGNATURE_BYTES;

    private final InputStream source;
    private final boolean hasTrailer;
    private final ChunkSignatures.@Nullable Chain signatures;
    private final MessageDigest chunkDigest = SigningKey.sha256();
    private final byte[] chunkHash = new byte[SigningKey.SIGNATURE_BYTES];
    private final byte[] chunkSignature = new byte[SIGNATURE_DIGITS];
    private final List<RequestHead.Field> trailers = new ArrayList<>(1);

    private final byte[] buffer = new byte[MAX_LINE_BYTES];
    private int bufferAt;
    private int bufferEnd;

    /** Content still to come, by the declared length. */
    private long contentLeftBytes;

    private long chunkLeftBytes;
    private boolean beforeFirstChunk = true;
    private boolean ended;

    /**
     * @param decodedLengthBytes how much content there has to be
     * @param signatures {@code null} if the chunks are not signed
     * @param hasTrailer whether a trailer follows the last chunk
     */
    AwsChunkedInputStream(
            InputStream source, long decodedLengthBytes, @Nullable ChunkSignatures signatures, boolean hasTrailer) {
        this.source = source;
        this.contentLeftBytes = decodedLengthBytes;
        this.signatures = signatures == null ? null : signatures.chain();
        this.hasTrailer = hasTrailer;
    }

    /** The trailer's fields but for its signature, in order, values trimmed; complete at the end of the stream. */
    List<RequestHead.Field> trailers() {
        return trailers;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        int done = 0;
        while (done < length && !ended) {
            if (chunkLeftBytes > 0) {
                done += readChunk(bytes, offset + done, length - done);
            } else {
                nextChunk();
            }
        }
        return done == 0 && length > 0 ? -1 : done;
    }

    private int readChunk(byte[] bytes, int offset, int length) throws IOException {
        int wanted = (int) Math.min(length, chunkLeftBytes);
        int count;
        if (bufferAt < bufferEnd) {
            count = Math.min(wanted, bufferEnd - bufferAt);
            System.arraycopy(buffer, bufferAt, bytes, offset, count);
            bufferAt += count;
        } else {
            count = source.read(bytes, offset, wanted);
            if (count < 0) {
                throw incomplete();
            }
        }
        if (signatures != null) {
            chunkDigest.update(bytes, offset, count);
        }
        chunkLeftBytes -= count;
        contentLeftBytes -= count;
        if (chunkLeftBytes == 0) {
            verifyChunk();
        }
        return count;
    }

    private void verifyChunk() throws S3BodyException {
        if (signatures == null) {
            return;
        }
        try {
            chunkDigest.digest(chunkHash, 0, chunkHash.length);
        } catch (DigestException impossible) {
            throw new IllegalStateException("the hash has room", impossible);
        }
        if (!signatures.verifyChunk(chunkHash, chunkSignature)) {
            throw new S3BodyException(S3Error.SIGNATURE_DOES_NOT_MATCH);
        }
    }

    /** Reads on to the content of the next chunk, or to the end of the stream behind the last. */
    private void nextChunk() throws IOException {
        if (!beforeFirstChunk && (!nextLine() || lineEnd != lineBegin)) {
            throw malformed("a chunk is longer than its header says");
        }
        beforeFirstChunk = false;
        if (!nextLine()) {
            throw incomplete();
        }
        parseChunkHeader();
        if (chunkLeftBytes > contentLeftBytes) {
            throw incomplete();
        }
        if (chunkLeftBytes == 0) {
            if (contentLeftBytes > 0) {
                throw incomplete();
            }
            verifyChunk();
            if (hasTrailer) {
                readTrailer();
            }
            expectEnd();
            ended = true;
        }
    }

    private void parseChunkHeader() throws S3BodyException {
        int at = lineBegin;
        long size = 0;
        for (; at < lineEnd && buffer[at] != ';'; at++) {
            int digit = SigningKey.hexDigit(buffer[at]);
            if (digit < 0 || at - lineBegin == MAX_SIZE_DIGITS || size >> 58 != 0) {
                throw malformed("a chunk's size is malformed");
            }
            size = size << 4 | digit;
        }
        if (at == lineBegin) {
            throw malformed("a chunk's size is missing");
        }
        chunkLeftBytes = size;
        if (signatures == null) {
            return;
        }
        int digitsAt = at + CHUNK_SIGNATURE.length;
        boolean signed = lineEnd - digitsAt == SIGNATURE_DIGITS;
        for (int i = 0; signed && i < CHUNK_SIGNATURE.length; i++) {
            signed = buffer[at + i] == CHUNK_SIGNATURE[i];
        }
        if (!signed) {
            throw malformed("a chunk's signature is missing or malformed");
        }
        System.arraycopy(buffer, digitsAt, chunkSignature, 0, SIGNATURE_DIGITS);
    }

    /** Reads the lines behind the last chunk, up to a blank one; if it is signed, up to its signature, blank ones or not. */
    private void readTrailer() throws IOException {
        CanonicalText signed = new CanonicalText(128);
        for (int lines = 0; nextLine(); lines++) {
            if (lines == MAX_TRAILER_LINES) {
                throw malformedTrailer("it is too long");
            }
            if (lineEnd == lineBegin) {
                if (signatures == null) {
                    return;
                }
                continue;
            }
            String line = new String(buffer, lineBegin, lineEnd - lineBegin, ISO_8859_1);
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw malformedTrailer("a line has no name");
            }
            RequestHead.Field field = new RequestHead.Field(
                    line.substring(0, colon).strip(), line.substring(colon + 1).strip());
            if (field.name().equals(TRAILER_SIGNATURE)) {
                verifyTrailer(signed, field.value());
                return;
            }
            trailers.add(field);
            signed.append(field.name());
            signed.append(':');
            signed.append(field.value());
            signed.append('\n');
        }
        if (signatures != null) {
            throw malformedTrailer("its signature is missing");
        }
    }

    private void verifyTrailer(CanonicalText signed, String signature) throws S3BodyException {
        if (signatures != null && !signatures.verifyTrailer(signed.sha256(), signature)) {
            throw new S3BodyException(S3Error.SIGNATURE_DOES_NOT_MATCH);
        }
    }

    /** Nothing but a few line ends may follow; some clients send one too few, others one too many. */
    private void expectEnd() throws IOException {
        for (int excess = 0; bufferAt < bufferEnd || fill(); excess++) {
            byte b = buffer[bufferAt++];
            if ((b != '\r' && b != '\n') || excess == MAX_EXCESS_BYTES) {
                throw malformed("bytes follow the last chunk");
            }
        }
    }

    private int lineBegin;
    private int lineEnd;

    /**
     * Finds the next line in the buffer, from {@code lineBegin} up to and without its line end at {@code lineEnd}. The source's end
     * ends a line too; {@code false} if there is none.
     */
    private boolean nextLine() throws IOException {
        int scanned = bufferAt;
        while (true) {
            for (; scanned < bufferEnd; scanned++) {
                if (buffer[scanned] == '\n') {
                    setLine(scanned);
                    bufferAt = scanned + 1;
                    return true;
                }
            }
            int pending = bufferEnd - bufferAt;
            if (!fill()) {
                if (pending == 0) {
                    return false;
                }
                setLine(bufferEnd);
                bufferAt = bufferEnd;
                return true;
            }
            scanned = bufferAt + pending;
        }
    }

    private void setLine(int end) {
        lineBegin = bufferAt;
        lineEnd = end > bufferAt && buffer[end - 1] == '\r' ? end - 1 : end;
    }

    /** Reads more into the buffer behind what is there; {@code false} at the source's end. */
    private boolean fill() throws IOException {
        System.arraycopy(buffer, bufferAt, buffer, 0, bufferEnd - bufferAt);
        bufferEnd -= bufferAt;
        bufferAt = 0;
        if (bufferEnd == buffer.length) {
            throw malformed("a line is longer than " + MAX_LINE_BYTES + " bytes");
        }
        int count = source.read(buffer, bufferEnd, buffer.length - bufferEnd);
        if (count < 0) {
            return false;
        }
        bufferEnd += count;
        return true;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }

    private static S3BodyException incomplete() {
        return new S3BodyException(
                S3Error.INCOMPLETE_BODY,
                "You did not provide the number of bytes specified by the x-amz-decoded-content-length HTTP header");
    }

    private static S3BodyException malformed(String what) {
        return new S3BodyException(S3Error.INVALID_REQUEST, "The aws-chunked body is malformed: " + what);
    }

    private static S3BodyException malformedTrailer(String what) {
        return new S3BodyException(S3Error.MALFORMED_TRAILER, S3Error.MALFORMED_TRAILER.message() + ": " + what);
    }
}
