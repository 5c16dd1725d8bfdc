package io.headgate.s3.auth;

/**
 * What the signatures of a body's chunks and of its trailer build on. Immutable.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">S3: chunked upload</a>
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html">S3: trailing headers</a>
 */
public final class ChunkSignatures {
    private static final String CHUNK = "AWS4-HMAC-SHA256-PAYLOAD";
    private static final String TRAILER = "AWS4-HMAC-SHA256-TRAILER";
    private static final byte[] SHA256_OF_NOTHING = SigningKey.sha256().digest();
    private static final int HEX_DIGITS = 2 * SigningKey.SIGNATURE_BYTES;

    private final SigningKey key;
    private final String timestamp;
    private final String scope;
    private final byte[] seed;

    /** @param seed the signature of the head */
    ChunkSignatures(SigningKey key, RequestSignature head, byte[] seed) {
        this.key = key;
        this.timestamp = head.signedAt().text();
        this.scope = head.scope().text();
        this.seed = seed.clone();
    }

    /** Starts with the seed. */
    Chain chain() {
        return new Chain();
    }

    /** The signatures of one body, each of which covers the one before. Not thread-safe. */
    final class Chain {
        /** The string to sign, of which only the signature before and the hash change from chunk to chunk. */
        private final CanonicalText toSign = new CanonicalText(320);

        private final int previousAt;
        private final int hashAt;
        private final byte[] signature = seed.clone();

        private Chain() {
            begin(CHUNK);
            previousAt = toSign.length() - HEX_DIGITS - 1;
            toSign.appendHex(SHA256_OF_NOTHING);
            toSign.append('\n');
            hashAt = toSign.length();
            toSign.appendHex(SHA256_OF_NOTHING);
        }

        private void begin(String algorithm) {
            toSign.truncate(0);
            toSign.append(algorithm);
            toSign.append('\n');
            toSign.append(timestamp);
            toSign.append('\n');
            toSign.append(scope);
            toSign.append('\n');
            toSign.appendHex(signature);
            toSign.append('\n');
        }

        /**
         * Whether the next chunk is signed right.
         *
         * @param hash the SHA-256 of its bytes
         * @param hex the 64 hex digits of its signature
         */
        boolean verifyChunk(byte[] hash, byte[] hex) {
            CanonicalText.putHex(signature, toSign.bytes(), previousAt);
            CanonicalText.putHex(hash, toSign.bytes(), hashAt);
            key.sign(toSign.bytes(), toSign.length(), signature);
            return SigningKey.matches(signature, hex, 0);
        }

        /** Whether the trailer behind the last chunk is signed right; ends the chain. */
        boolean verifyTrailer(byte[] hash, String hex) {
            begin(TRAILER);
            toSign.appendHex(hash);
            key.sign(toSign.bytes(), toSign.length(), signature);
            return SigningKey.matches(signature, hex);
        }
    }
}
