package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BlockInputStream;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ChecksumDigest;
import io.headgate.http.RequestHead;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A client's body on its way to another gateway: what the client's signatures say of it is verified and taken off, and the content is
 * framed anew as {@link Payload.Relayed} reads it. The end of the frame comes only when all of it was right, so whoever reads the frame
 * to its end has the very content that the client sent. Digests that are not signatures (Content-MD5, checksums) are left to the reader.
 *
 * <p>What is wrong with the body is thrown as an {@link S3BodyException}; every read after that throws it again. Nothing is read from the
 * client before the first read. Not thread-safe. Closing closes the source.
 */
public final class RelayedBody extends BlockInputStream {
    /** What a frame adds to its content: up to eight digits, and two line ends. */
    private static final int FRAME_BYTES = 12;

    private static final int SIZE_DIGITS = 8;
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(US_ASCII);

    private final InputStream content;
    private final @Nullable AwsChunkedInputStream chunked;
    private final long lengthBytes;
    private final boolean trailed;
    private final @Nullable String signedHashHex;
    private final @Nullable ChecksumDigest signedHash;

    private long leftBytes;
    private byte[] pending = new byte[0];
    private int pendingAt;
    private boolean ended;
    private @Nullable IOException failure;

    private RelayedBody(Payload payload, long lengthBytes, InputStream source) {
        this.lengthBytes = lengthBytes;
        this.leftBytes = lengthBytes;
        this.trailed = payload.isTrailed();
        this.chunked = payload.isChunked()
                ? new AwsChunkedInputStream(
                        source,
                        lengthBytes,
                        payload instanceof Payload.SignedChunks signed ? signed.signatures() : null,
                        trailed)
                : null;
        this.content = chunked == null ? source : chunked;
        this.signedHashHex = payload instanceof Payload.Sha256(String hex) ? hex : null;
        this.signedHash = signedHashHex == null ? null : ChecksumDigest.of(ChecksumAlgorithm.SHA256);
    }

    /**
     * The body of a request; empty if its head announces none, which is for the operation to judge.
     *
     * @param contentLengthBytes the declared Content-Length
     * @param source the body with HTTP's transfer coding undone
     * @throws S3Exception MissingContentLength if there is a body whose length is not declared, InvalidRequest if it is malformed
     */
    public static Optional<RelayedBody> of(
            RequestHead head, Payload payload, OptionalLong contentLengthBytes, InputStream source) {
        boolean announced = contentLengthBytes.isPresent() || head.header("transfer-encoding") != null;
        if (!announced && !payload.isChunked()) {
            return Optional.empty();
        }
        return Optional.of(new RelayedBody(payload, BodyClaims.length(head, payload, contentLengthBytes), source));
    }

    /** A body that this gateway makes itself. */
    public static RelayedBody of(byte[] content) {
        return new RelayedBody(new Payload.Unsigned(), content.length, new ByteArrayInputStream(content));
    }

    /** The length of the content, without its framing. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** Whether a trailer of the client's comes along. */
    public boolean isTrailed() {
        return trailed;
    }

    /** Whether the end of the frame has been read, so that all of the body was right. */
    public boolean isEnded() {
        return ended && pendingAt == pending.length;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (failure != null) {
            throw failure;
        }
        if (length == 0) {
            return 0;
        }
        try {
            if (pendingAt == pending.length && !ended) {
                if (leftBytes > 0 && length > FRAME_BYTES) {
                    return readFrame(bytes, offset, length);
                }
                refill();
            }
        } catch (IOException wrong) {
            failure = wrong;
            throw wrong;
        }
        int count = Math.min(length, pending.length - pendingAt);
        System.arraycopy(pending, pendingAt, bytes, offset, count);
        pendingAt += count;
        return count == 0 ? -1 : count;
    }

    /** A whole frame into the reader's own array, so that the content is copied no more than once. */
    private int readFrame(byte[] bytes, int offset, int length) throws IOException {
        int contentAt = offset + SIZE_DIGITS + 2;
        int count = content.read(bytes, contentAt, (int) Math.min(length - FRAME_BYTES, leftBytes));
        if (count < 0) {
            throw new S3BodyException(S3Error.INCOMPLETE_BODY);
        }
        leftBytes -= count;
        if (signedHash != null) {
            signedHash.update(bytes, contentAt, count);
        }
        for (int i = 0; i < SIZE_DIGITS; i++) {
            bytes[offset + i] = DIGITS[(count >>> (4 * (SIZE_DIGITS - 1 - i))) & 0xF];
        }
        lineEnd(bytes, offset + SIZE_DIGITS);
        lineEnd(bytes, contentAt + count);
        return count + FRAME_BYTES;
    }

    private static void lineEnd(byte[] bytes, int at) {
        bytes[at] = '\r';
        bytes[at + 1] = '\n';
    }

    /** For a reader whose array is too small for a frame, and for the end. */
    private void refill() throws IOException {
        if (leftBytes > 0) {
            byte[] frame = new byte[2 * FRAME_BYTES];
            int count = readFrame(frame, 0, frame.length);
            pending = Arrays.copyOf(frame, count);
        } else {
            pending = end();
            ended = true;
        }
        pendingAt = 0;
    }

    /** Verifies what is verified at the end, and frames the end. */
    private byte[] end() throws IOException {
        // Also makes the chunked stream verify its last signatures and read its trailer.
        if (content.read() >= 0) {
            throw new S3BodyException(S3Error.INCOMPLETE_BODY);
        }
        if (signedHash != null && signedHashHex != null && !SigningKey.matches(signedHash.value(), signedHashHex)) {
            throw new S3BodyException(S3Error.X_AMZ_CONTENT_SHA256_MISMATCH);
        }
        StringBuilder end = new StringBuilder("0\r\n");
        List<RequestHead.Field> trailers = chunked == null ? List.of() : chunked.trailers();
        for (RequestHead.Field trailer : trailers) {
            end.append(trailer.name()).append(':').append(trailer.value()).append("\r\n");
        }
        return end.append("\r\n").toString().getBytes(ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        content.close();
    }
}
