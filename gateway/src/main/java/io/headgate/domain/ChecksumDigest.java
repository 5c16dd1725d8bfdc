package io.headgate.domain;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** Computes a checksum over bytes as they pass. Allocates nothing while updating. Not thread-safe. */
public abstract sealed class ChecksumDigest {
    private final ChecksumAlgorithm algorithm;

    private ChecksumDigest(ChecksumAlgorithm algorithm) {
        this.algorithm = algorithm;
    }

    /** A digest of no bytes yet. */
    public static ChecksumDigest of(ChecksumAlgorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> new Cyclic(algorithm, new CRC32());
            case CRC32C -> new Cyclic(algorithm, new CRC32C());
            case CRC64NVME -> new Cyclic(algorithm, new Crc64Nvme());
            case SHA1 -> new Hash(algorithm, "SHA-1");
            case SHA256 -> new Hash(algorithm, "SHA-256");
        };
    }

    public final ChecksumAlgorithm algorithm() {
        return algorithm;
    }

    /** Appends {@code length} bytes from {@code offset} on. */
    public abstract void update(byte[] bytes, int offset, int length);

    /**
     * The checksum of the bytes so far, {@link ChecksumAlgorithm#lengthBytes} long, big-endian, a fresh array. Afterwards the digest
     * is as new.
     */
    public abstract byte[] value();

    private static final class Cyclic extends ChecksumDigest {
        private final java.util.zip.Checksum crc;

        Cyclic(ChecksumAlgorithm algorithm, java.util.zip.Checksum crc) {
            super(algorithm);
            this.crc = crc;
        }

        @Override
        public void update(byte[] bytes, int offset, int length) {
            crc.update(bytes, offset, length);
        }

        @Override
        public byte[] value() {
            byte[] value = Crc.toBytes(crc.getValue(), algorithm().lengthBytes());
            crc.reset();
            return value;
        }
    }

    private static final class Hash extends ChecksumDigest {
        private final MessageDigest digest;

        Hash(ChecksumAlgorithm algorithm, String name) {
            super(algorithm);
            try {
                this.digest = MessageDigest.getInstance(name);
            } catch (NoSuchAlgorithmException impossible) {
                throw new IllegalStateException(name + " is part of every Java platform", impossible);
            }
        }

        @Override
        public void update(byte[] bytes, int offset, int length) {
            digest.update(bytes, offset, length);
        }

        @Override
        public byte[] value() {
            return digest.digest();
        }
    }
}
