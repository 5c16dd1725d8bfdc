package io.headgate.conformance;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;

/** S3's checksum algorithms, computed here apart from the SDK. */
enum Algorithm {
    CRC32(ChecksumAlgorithm.CRC32),
    CRC32C(ChecksumAlgorithm.CRC32_C),
    CRC64NVME(ChecksumAlgorithm.CRC64_NVME),
    SHA1(ChecksumAlgorithm.SHA1),
    SHA256(ChecksumAlgorithm.SHA256);

    private static final long CRC64_NVME_POLYNOMIAL = 0x9a6c9329ac4bc9b5L;
    private static final long[] CRC64_NVME_TABLE = crc64Table();

    private final ChecksumAlgorithm sdk;

    Algorithm(ChecksumAlgorithm sdk) {
        this.sdk = sdk;
    }

    ChecksumAlgorithm sdk() {
        return sdk;
    }

    /** The header or trailer that carries it. */
    String header() {
        return "x-amz-checksum-" + name().toLowerCase(Locale.ROOT);
    }

    /** The element that carries it in XML. */
    String element() {
        return "Checksum" + name();
    }

    String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(digest(bytes));
    }

    byte[] digest(byte[] bytes) {
        return switch (this) {
            case CRC32 -> crc(new CRC32(), bytes);
            case CRC32C -> crc(new CRC32C(), bytes);
            case CRC64NVME -> crc64(bytes);
            case SHA1 -> hash("SHA-1", bytes);
            case SHA256 -> hash("SHA-256", bytes);
        };
    }

    private static byte[] crc(Checksum checksum, byte[] bytes) {
        checksum.update(bytes);
        return ByteBuffer.allocate(4).putInt((int) checksum.getValue()).array();
    }

    private static byte[] crc64(byte[] bytes) {
        long crc = -1;
        for (byte b : bytes) {
            crc = CRC64_NVME_TABLE[(int) (crc ^ b) & 0xff] ^ (crc >>> 8);
        }
        return ByteBuffer.allocate(8).putLong(~crc).array();
    }

    private static long[] crc64Table() {
        long[] table = new long[256];
        for (int i = 0; i < table.length; i++) {
            long crc = i;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 1 ? (crc >>> 1) ^ CRC64_NVME_POLYNOMIAL : crc >>> 1;
            }
            table[i] = crc;
        }
        return table;
    }

    static byte[] hash(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
