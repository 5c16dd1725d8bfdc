package io.headgate.domain;

import java.util.Locale;
import java.util.Optional;

/**
 * The additional checksums that S3 defines.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html">S3: checking integrity</a>
 */
public enum ChecksumAlgorithm {
    CRC32(4),
    CRC32C(4),
    CRC64NVME(8),
    SHA1(20),
    SHA256(32);

    private final int lengthBytes;
    private final String header;

    ChecksumAlgorithm(int lengthBytes) {
        this.lengthBytes = lengthBytes;
        this.header = "x-amz-checksum-" + name().toLowerCase(Locale.ROOT);
    }

    /** The length of a value in bytes, before base64. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** The header or trailer that carries a value, in lower case, such as {@code x-amz-checksum-crc32}. */
    public String header() {
        return header;
    }

    /** The XML element that carries a value, such as {@code ChecksumCRC32}. */
    public String element() {
        return "Checksum" + name();
    }

    /** Whether the checksum of a whole can be computed from those of its parts. */
    public boolean isCrc() {
        return this == CRC32 || this == CRC32C || this == CRC64NVME;
    }

    /** The algorithm of that name, whatever the case of its letters. */
    public static Optional<ChecksumAlgorithm> named(String name) {
        for (ChecksumAlgorithm algorithm : values()) {
            if (algorithm.name().equalsIgnoreCase(name)) {
                return Optional.of(algorithm);
            }
        }
        return Optional.empty();
    }
}
