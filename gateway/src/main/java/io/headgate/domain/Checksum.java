package io.headgate.domain;

import java.util.Base64;

/**
 * A checksum of an object's or a part's bytes.
 *
 * @param base64 the value in base64; for a composite checksum of n parts with the suffix {@code -n}
 */
public record Checksum(ChecksumAlgorithm algorithm, Type type, String base64) {
    /** What a checksum covers. */
    public enum Type {
        /** The bytes from first to last. */
        FULL_OBJECT,
        /** The concatenated checksums of the parts. */
        COMPOSITE
    }

    /** The checksum of whole bytes with the value {@code raw}. */
    public static Checksum full(ChecksumAlgorithm algorithm, byte[] raw) {
        return new Checksum(algorithm, Type.FULL_OBJECT, Base64.getEncoder().encodeToString(raw));
    }
}
