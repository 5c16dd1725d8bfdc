package io.headgate.domain;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.zip.Checksum;

/**
 * CRC-64/NVME: polynomial 0xAD93D23594C93659, reflected, initial value and final exclusive-or all ones. Slices the input by 16
 * bytes. Not thread-safe.
 *
 * @see <a href="https://reveng.sourceforge.io/crc-catalogue/17plus.htm#crc.cat.crc-64-nvme">CRC catalogue: CRC-64/NVME</a>
 */
final class Crc64Nvme implements Checksum {
    /** The polynomial, its lowest power in the highest bit. */
    static final long REFLECTED_POLYNOMIAL = 0x9A6C9329AC4BC9B5L;

    private static final VarHandle LITTLE_ENDIAN =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int SLICES = 16;

    /** {@code TABLE[256 * k + b]} is the effect of byte {@code b} that k more bytes follow; flat, to spare an indirection. */
    private static final long[] TABLE = table();

    private long register = -1L;

    private static long[] table() {
        long[] table = new long[256 * SLICES];
        for (int b = 0; b < 256; b++) {
            long r = b;
            for (int bit = 0; bit < 8; bit++) {
                r = (r >>> 1) ^ (-(r & 1) & REFLECTED_POLYNOMIAL);
            }
            table[b] = r;
        }
        for (int i = 256; i < table.length; i++) {
            long r = table[i - 256];
            table[i] = (r >>> 8) ^ table[(int) r & 0xFF];
        }
        return table;
    }

    @Override
    public void update(int b) {
        register = (register >>> 8) ^ TABLE[((int) register ^ b) & 0xFF];
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        long[] t = TABLE;
        long r = register;
        int at = offset;
        int end = offset + length;
        for (; at <= end - SLICES; at += SLICES) {
            long low = r ^ (long) LITTLE_ENDIAN.get(bytes, at);
            long high = (long) LITTLE_ENDIAN.get(bytes, at + 8);
            r = slice8(t, low, 8 * 256) ^ slice8(t, high, 0);
        }
        for (; at < end; at++) {
            r = (r >>> 8) ^ t[((int) r ^ bytes[at]) & 0xFF];
        }
        register = r;
    }

    /** The effect of 8 bytes, the first in the lowest bits; {@code base} is 256 times the number of bytes that follow them. */
    private static long slice8(long[] t, long eight, int base) {
        int low = (int) eight;
        int high = (int) (eight >>> 32);
        return t[base + 7 * 256 + (low & 0xFF)]
                ^ t[base + 6 * 256 + (low >>> 8 & 0xFF)]
                ^ t[base + 5 * 256 + (low >>> 16 & 0xFF)]
                ^ t[base + 4 * 256 + (low >>> 24)]
                ^ t[base + 3 * 256 + (high & 0xFF)]
                ^ t[base + 2 * 256 + (high >>> 8 & 0xFF)]
                ^ t[base + 256 + (high >>> 16 & 0xFF)]
                ^ t[base + (high >>> 24)];
    }

    @Override
    public long getValue() {
        return ~register;
    }

    @Override
    public void reset() {
        register = -1L;
    }
}
