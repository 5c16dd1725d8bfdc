package io.headgate.namespace.redis;

import java.util.zip.CRC32C;

/** Where a key of a hashed bucket lies: 16 bits of its checksum, which spread neighbours evenly, as four hexadecimal digits. */
final class KeyHash {
    /** Values that a hash can have. */
    static final int VALUES = 1 << 16;

    private KeyHash() {}

    static byte[] of(byte[] key) {
        CRC32C crc = new CRC32C();
        crc.update(key, 0, key.length);
        return digits((int) (crc.getValue() >>> 16));
    }

    /** Where each of some equal parts begins. */
    static byte[] border(int part, int parts) {
        return part == 0 ? new byte[0] : digits((int) ((long) part * VALUES / parts));
    }

    private static byte[] digits(int hash) {
        byte[] digits = new byte[4];
        for (int i = 0; i < 4; i++) {
            digits[i] = (byte) Character.forDigit((hash >>> (12 - 4 * i)) & 0xF, 16);
        }
        return digits;
    }
}
