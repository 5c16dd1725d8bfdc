package io.headgate.namespace.redis;

import io.headgate.namespace.codec.Codec;
import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Keys without NUL, which ends a key in Redis: {@code 00} becomes {@code 01 01} and {@code 01} becomes {@code 01 02}, so they order as they
 * did. What a key begins with is written as the beginning of the key is.
 */
final class KeyCodec {
    private static final byte ESCAPE = 1;
    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long TWO_IN_EACH = 0x0202_0202_0202_0202L;
    private static final long HIGH_BIT_OF_EACH = 0x8080_8080_8080_8080L;

    private KeyCodec() {}

    static byte[] encode(byte[] key) {
        int more = 0;
        for (byte b : key) {
            if (b == 0 || b == ESCAPE) {
                more++;
            }
        }
        if (more == 0) {
            return key;
        }
        byte[] encoded = new byte[key.length + more];
        int at = 0;
        for (byte b : key) {
            if (b == 0 || b == ESCAPE) {
                encoded[at++] = ESCAPE;
                encoded[at++] = (byte) (b + 1);
            } else {
                encoded[at++] = b;
            }
        }
        return encoded;
    }

    /** The first encoded key behind this one. */
    static byte[] next(byte[] encoded) {
        byte[] next = Arrays.copyOf(encoded, encoded.length + 2);
        next[encoded.length] = ESCAPE;
        next[encoded.length + 1] = ESCAPE;
        return next;
    }

    /** Whether a delimiter can be looked for among encoded keys: one that has a byte of the code may be found where there is none. */
    static boolean isFoundEncoded(byte[] delimiter) {
        for (byte b : delimiter) {
            if (b >= 0 && b <= ESCAPE + 1) {
                return false;
            }
        }
        return true;
    }

    /** The same array if it needs no decoding. */
    static byte[] decode(byte[] bytes) {
        return isPlain(bytes, 0, bytes.length) ? bytes : decode(bytes, 0, bytes.length);
    }

    /** As nearly all keys are. */
    private static boolean isPlain(byte[] bytes, int from, int to) {
        int i = plainUntil(bytes, from);
        while (i < to && bytes[i] != ESCAPE) {
            i++;
        }
        return i >= to;
    }

    /** Up to where there is surely no byte of 0 or 1, eight at a time: a little before the first of them, or before the end. */
    static int plainUntil(byte[] bytes, int from) {
        int at = from;
        while (at + Long.BYTES <= bytes.length) {
            long eight = (long) EIGHT_BYTES.get(bytes, at);
            if (((eight - TWO_IN_EACH) & ~eight & HIGH_BIT_OF_EACH) != 0) { // some byte is below two
                break;
            }
            at += Long.BYTES;
        }
        return at;
    }

    static byte[] decode(byte[] bytes, int from, int to) {
        if (isPlain(bytes, from, to)) {
            return Arrays.copyOfRange(bytes, from, to);
        }
        ByteArrayOutputStream key = new ByteArrayOutputStream(to - from);
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (b == ESCAPE) {
                i++;
                if (i == to || bytes[i] < 1 || bytes[i] > 2) {
                    throw Codec.corrupt();
                }
                b = (byte) (bytes[i] - 1);
            }
            key.write(b);
        }
        return key.toByteArray();
    }
}
