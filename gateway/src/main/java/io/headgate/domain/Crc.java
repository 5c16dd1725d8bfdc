package io.headgate.domain;

/**
 * Combines the CRCs of two byte strings into that of their concatenation, without the bytes.
 *
 * <p>A CRC whose initial value equals its final exclusive-or is linear in this sense: {@code crc(AB) = crc(A) * x^(8 |B|) +
 * crc(B)} modulo the polynomial. All polynomials here are reflected: the coefficient of x^0 is the highest bit.
 */
public final class Crc {
    private static final Field CRC32 = new Field(0xEDB88320L, 32);
    private static final Field CRC32C = new Field(0x82F63B78L, 32);
    private static final Field CRC64NVME = new Field(Crc64Nvme.REFLECTED_POLYNOMIAL, 64);

    private Crc() {}

    /**
     * The CRC of A followed by B; takes time in the logarithm of B's length.
     *
     * @param algorithm one for which {@link ChecksumAlgorithm#isCrc} holds
     * @param crcOfA big-endian, {@link ChecksumAlgorithm#lengthBytes} long, as S3 encodes it in base64
     * @param crcOfB likewise
     * @param lengthOfBBytes 0 or more
     * @return likewise, a fresh array
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static byte[] combine(ChecksumAlgorithm algorithm, byte[] crcOfA, byte[] crcOfB, long lengthOfBBytes) {
        if (lengthOfBBytes < 0) {
            throw new IllegalArgumentException("length " + lengthOfBBytes);
        }
        Field field = switch (algorithm) {
            case CRC32 -> CRC32;
            case CRC32C -> CRC32C;
            case CRC64NVME -> CRC64NVME;
            case SHA1, SHA256 -> throw new IllegalArgumentException(algorithm + " does not combine");
        };
        int length = algorithm.lengthBytes();
        long shifted = field.times(field.powerOfX8(lengthOfBBytes), fromBytes(crcOfA, length));
        return toBytes(shifted ^ fromBytes(crcOfB, length), length);
    }

    private static long fromBytes(byte[] bytes, int length) {
        if (bytes.length != length) {
            throw new IllegalArgumentException("a CRC of " + bytes.length + " bytes, not " + length);
        }
        long value = 0;
        for (byte b : bytes) {
            value = value << 8 | (b & 0xFF);
        }
        return value;
    }

    /** The low {@code length} bytes of {@code value}, big-endian. */
    static byte[] toBytes(long value, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (value >>> (8 * (length - 1 - i)));
        }
        return bytes;
    }

    /** Polynomials over GF(2) modulo a reflected polynomial of degree {@code width}. */
    private static final class Field {
        private final long polynomial;
        private final long one;
        /** {@code squares[k]} is x^(8 * 2^k). */
        private final long[] squares = new long[Long.SIZE - 1];

        Field(long polynomial, int width) {
            this.polynomial = polynomial;
            this.one = 1L << (width - 1);
            squares[0] = one >>> 8;
            for (int k = 1; k < squares.length; k++) {
                squares[k] = times(squares[k - 1], squares[k - 1]);
            }
        }

        long times(long a, long b) {
            long product = 0;
            for (long bit = one; bit != 0; bit >>>= 1) {
                if ((a & bit) != 0) {
                    product ^= b;
                }
                b = (b >>> 1) ^ (-(b & 1) & polynomial);
            }
            return product;
        }

        /** x^(8n). */
        long powerOfX8(long n) {
            long power = one;
            for (int k = 0; n != 0; k++, n >>>= 1) {
                if ((n & 1) != 0) {
                    power = times(squares[k], power);
                }
            }
            return power;
        }
    }
}
