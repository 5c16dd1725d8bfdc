package io.headgate.s3.auth;

/**
 * How a request's body is signed and framed.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">S3: signature calculations, transferring
 *     the payload in multiple chunks</a>
 */
public sealed interface Payload {
    /** {@code UNSIGNED-PAYLOAD}: the body as it is. */
    record Unsigned() implements Payload {}

    /** The body as it is, its SHA-256 signed with the head. {@code hex}: 64 hex digits of either case. */
    record Sha256(String hex) implements Payload {}

    /** {@code STREAMING-AWS4-HMAC-SHA256-PAYLOAD}, {@code …-TRAILER}: aws-chunked, each chunk and the trailer signed. */
    record SignedChunks(ChunkSignatures signatures, boolean hasTrailer) implements Payload {}

    /** {@code STREAMING-UNSIGNED-PAYLOAD-TRAILER}: aws-chunked without signatures, with a trailer. */
    record UnsignedChunks() implements Payload {}

    /**
     * As {@link RelayedBody} frames it: verified where it arrived, then aws-chunked without signatures. {@code hasTrailer}: whether the
     * client sends a trailer, which comes along.
     */
    record Relayed(boolean hasTrailer) implements Payload {}

    /** Whether the body is framed as {@code aws-chunked}. */
    default boolean isChunked() {
        return switch (this) {
            case Unsigned() -> false;
            case Sha256(String ignored) -> false;
            case SignedChunks(ChunkSignatures ignored, boolean alsoIgnored) -> true;
            case UnsignedChunks() -> true;
            case Relayed(boolean ignored) -> true;
        };
    }

    /** Whether a trailer follows the content. */
    default boolean isTrailed() {
        return switch (this) {
            case Unsigned() -> false;
            case Sha256(String ignored) -> false;
            case SignedChunks(ChunkSignatures ignored, boolean hasTrailer) -> hasTrailer;
            case UnsignedChunks() -> true;
            case Relayed(boolean hasTrailer) -> hasTrailer;
        };
    }
}
