package io.headgate.blob.s3;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * Where an account's bytes are, and how the service is spoken to.
 *
 * @param endpoint of the service; without it AWS's for the region
 * @param region that requests are signed for
 * @param prefix of the names of all blobs in the bucket; may be empty
 * @param pathStyle whether the bucket is in the path rather than in the host's name
 * @param checksum that guards the bytes of each request
 * @param maxConnections requests under way at once
 * @param stallTimeout how long the service may be silent
 * @param partBytes of a multipart upload; blobs of at most one part are put whole. S3 asks for at least 5 MiB
 */
public record S3Settings(
        Optional<URI> endpoint,
        String region,
        String bucket,
        String prefix,
        boolean pathStyle,
        S3Credentials credentials,
        Checksum checksum,
        int maxConnections,
        Duration stallTimeout,
        int partBytes) {
    /** The usual size of a part. */
    public static final int PART_BYTES = 8 << 20;

    /** A digest that the service compares with the bytes it got. */
    public enum Checksum {
        /** S3's own header, kept with the object. */
        CRC32C,
        /** The older {@code Content-MD5}, for services that do not know the other. */
        MD5
    }
}
