package io.headgate.s3.auth;

import io.headgate.domain.BlockInputStream;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ChecksumDigest;
import io.headgate.http.RequestHead;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request's content, without its framing, hashed as it is read and verified at its end: length, signatures, Content-MD5 and
 * checksum.
 *
 * <p>All of it is verified by the read that reaches the last byte, before that read returns: after {@link #lengthBytes} bytes have been
 * read, the content is right. Until then nothing is known of the bytes handed out, and nothing of them may be published. The file of a
 * form, whose length is not declared, is verified by the read that finds its end.
 *
 * <p>What is wrong with the content is thrown as an {@link S3BodyException}; every read after that throws it again. Not thread-safe.
 * Closing closes the source.
 */
public final class VerifiedBody extends BlockInputStream {
    private static final int DISCARD_BYTES = 8192;

    private final BodyClaims claims;
    private final InputStream content;
    private final @Nullable AwsChunkedInputStream chunked;
    private final MessageDigest md5 = newMd5();
    private final @Nullable ChecksumDigest checksum;
    /** For a signed payload; {@code null} too if the checksum is a SHA-256 anyway. */
    private final @Nullable ChecksumDigest signedHash;

    private final @Nullable String signedHashHex;

    private long leftBytes;
    private byte @Nullable [] md5Value;
    private byte @Nullable [] checksumValue;
    private @Nullable S3BodyException failure;

    /**
     * @param source the body with HTTP's transfer coding undone
     * @param unasked the checksum to compute if the client sends none, or {@code null} for none
     */
    public VerifiedBody(BodyClaims claims, InputStream source, @Nullable ChecksumAlgorithm unasked) {
        this.claims = claims;
        this.leftBytes = claims.isLengthDeclared() ? claims.lengthBytes() : Long.MAX_VALUE;
        this.chunked = claims.payload().isChunked()
                ? new AwsChunkedInputStream(
                        source,
                        leftBytes,
                        claims.payload() instanceof Payload.SignedChunks signed ? signed.signatures() : null,
                        claims.payload().isTrailed())
                : null;
        this.content = chunked == null ? source : chunked;
        ChecksumAlgorithm algorithm = claims.checksumAlgorithm().orElse(unasked);
        this.checksum = algorithm == null ? null : ChecksumDigest.of(algorithm);
        this.signedHashHex = claims.payload() instanceof Payload.Sha256(String hex) ? hex : null;
        this.signedHash = signedHashHex == null || algorithm == ChecksumAlgorithm.SHA256
                ? null
                : ChecksumDigest.of(ChecksumAlgorithm.SHA256);
    }

    /** The length of the whole content; of a form's file, how much of it has been read. */
    public long lengthBytes() {
        return claims.isLengthDeclared() ? claims.lengthBytes() : Long.MAX_VALUE - leftBytes;
    }

    /**
     * Reads and discards what has not been read, and verifies; needed only by those who may not read to the end, such as of an empty
     * body.
     */
    public void finish() throws IOException {
        if (md5Value == null) {
            byte[] discarded = new byte[(int) Math.min(DISCARD_BYTES, Math.max(1, leftBytes))];
            while (read(discarded, 0, discarded.length) >= 0) {
                // read on
            }
        }
    }

    /**
     * The MD5 of the content, in lower-case hex.
     *
     * @throws IllegalStateException if the content has not been read to its end
     */
    public String md5() {
        return HexFormat.of().formatHex(verified(md5Value));
    }

    /**
     * The checksum that the client sent or, without one, that was asked for.
     *
     * @throws IllegalStateException if the content has not been read to its end
     */
    public Optional<Checksum> checksum() {
        verified(md5Value);
        return checksum == null || checksumValue == null
                ? Optional.empty()
                : Optional.of(Checksum.full(checksum.algorithm(), checksumValue));
    }

    private static byte[] verified(byte @Nullable [] value) {
        if (value == null) {
            throw new IllegalStateException("the body has not been read to its end");
        }
        return value;
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
            if (leftBytes == 0) {
                verifyOnce();
                return -1;
            }
            int count = content.read(bytes, offset, (int) Math.min(length, leftBytes));
            if (count < 0) {
                if (claims.isLengthDeclared()) {
                    throw new S3BodyException(S3Error.INCOMPLETE_BODY);
                }
                verifyOnce();
                return -1;
            }
            hash(bytes, offset, count);
            leftBytes -= count;
            if (leftBytes == 0) {
                verifyOnce();
            }
            return count;
        } catch (S3BodyException wrong) {
            failure = wrong;
            throw wrong;
        }
    }

    private void hash(byte[] bytes, int offset, int count) {
        md5.update(bytes, offset, count);
        if (checksum != null) {
            checksum.update(bytes, offset, count);
        }
        if (signedHash != null) {
            signedHash.update(bytes, offset, count);
        }
    }

    private void verifyOnce() throws IOException {
        if (md5Value != null) {
            return;
        }
        // Also makes the chunked stream verify its last signatures and read its trailer.
        if (content.read() >= 0) {
            throw new S3BodyException(S3Error.INCOMPLETE_BODY);
        }
        byte[] actualMd5 = md5.digest();
        checksumValue = checksum == null ? null : checksum.value();
        verifySignedHash();
        byte[] claimedMd5 = claims.md5();
        if (claimedMd5 != null && !MessageDigest.isEqual(claimedMd5, actualMd5)) {
            throw new S3BodyException(
                    S3Error.BAD_DIGEST, "The Content-MD5 you specified did not match what we received.");
        }
        verifyChecksum();
        md5Value = actualMd5;
    }

    private void verifySignedHash() throws S3BodyException {
        if (signedHashHex == null) {
            return;
        }
        byte[] actual = signedHash == null ? checksumValue : signedHash.value();
        if (actual == null || !SigningKey.matches(actual, signedHashHex)) {
            throw new S3BodyException(S3Error.X_AMZ_CONTENT_SHA256_MISMATCH);
        }
    }

    private void verifyChecksum() throws S3BodyException {
        byte[] claimed = claims.checksum();
        if (claimed == null) {
            claimed = trailingChecksum(claims.checksumAlgorithm().orElse(null));
        }
        if (claimed != null && checksum != null && !MessageDigest.isEqual(claimed, checksumValue)) {
            throw new S3BodyException(
                    S3Error.BAD_DIGEST,
                    "The " + checksum.algorithm() + " you specified did not match the calculated checksum.");
        }
    }

    /** The trailer must hold the checksum that the head announced and nothing else. */
    private byte @Nullable [] trailingChecksum(@Nullable ChecksumAlgorithm announced) throws S3BodyException {
        List<RequestHead.Field> trailers = chunked == null ? List.of() : chunked.trailers();
        if (announced == null && trailers.isEmpty()) {
            return null;
        }
        if (announced == null
                || trailers.size() != 1
                || !trailers.getFirst().name().equals(announced.header())) {
            throw new S3BodyException(
                    S3Error.MALFORMED_TRAILER,
                    S3Error.MALFORMED_TRAILER.message() + " or did not match the x-amz-trailer header");
        }
        byte[] value = BodyClaims.decode(trailers.getFirst().value(), announced.lengthBytes());
        if (value == null) {
            throw new S3BodyException(
                    S3Error.INVALID_REQUEST, "Value for " + announced.header() + " trailing header is invalid.");
        }
        return value;
    }

    @Override
    public void close() throws IOException {
        content.close();
    }

    private static MessageDigest newMd5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("MD5 is part of every Java platform", impossible);
        }
    }
}
