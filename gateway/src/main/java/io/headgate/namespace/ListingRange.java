package io.headgate.namespace;

import java.util.Arrays;

/**
 * Where a listing begins and ends among keys ordered by their bytes, and which keys roll up. Pure and immutable; not to be compared.
 *
 * <p>A walk over it sees only keys from {@link #start} on, and before {@link #end}. When {@link #commonPrefixLength} rolls a key up,
 * the walk goes on from that prefix's {@link #successor}, so keys that roll up together cost one step, however many they are.
 */
public final class ListingRange {
    /** Greater than every key, because no UTF-8 has such a byte. */
    private static final byte[] MAXIMUM = {(byte) 0xFF};

    private final byte[] prefix;
    private final byte[] delimiter;
    private final byte[] start;
    private final byte[] end;

    /** The arguments are those of {@link ObjectQuery}. */
    public ListingRange(String prefix, String delimiter, String after) {
        this.prefix = encode(prefix);
        this.delimiter = encode(delimiter);
        this.end = successor(this.prefix, this.prefix.length);
        byte[] afterBytes = encode(after);
        if (after.isEmpty() || Arrays.compareUnsigned(afterBytes, this.prefix) < 0) {
            this.start = this.prefix;
        } else {
            int rolledUp = startsWith(afterBytes, this.prefix) ? commonPrefixLength(afterBytes) : 0;
            this.start = rolledUp > 0 ? successor(afterBytes, rolledUp) : next(afterBytes);
        }
    }

    /** The first key that can be listed, or what sorts before it; included. The array is not to be changed. */
    public byte[] start() {
        return start;
    }

    /** What sorts after the last key that can be listed; excluded. The array is not to be changed. */
    public byte[] end() {
        return end;
    }

    /** The delimiter's bytes, none for no roll-up. The array is not to be changed. */
    public byte[] delimiter() {
        return delimiter;
    }

    /** What all keys begin with, after which the delimiter is looked for. The array is not to be changed. */
    public byte[] prefix() {
        return prefix;
    }

    /** How many bytes the prefix has, after which the delimiter is looked for. */
    public int prefixLength() {
        return prefix.length;
    }

    /** How many bytes of a key of the range are its common prefix, delimiter included; 0 if it does not roll up. */
    public int commonPrefixLength(byte[] key) {
        if (delimiter.length == 0) {
            return 0;
        }
        int last = key.length - delimiter.length;
        for (int i = prefix.length; i <= last; i++) {
            if (Arrays.equals(key, i, i + delimiter.length, delimiter, 0, delimiter.length)) {
                return i + delimiter.length;
            }
        }
        return 0;
    }

    /** The least byte string greater than everything that begins with the first {@code length} bytes. */
    public static byte[] successor(byte[] bytes, int length) {
        for (int i = length - 1; i >= 0; i--) {
            if (bytes[i] != (byte) 0xFF) {
                byte[] successor = Arrays.copyOf(bytes, i + 1);
                successor[i]++;
                return successor;
            }
        }
        return MAXIMUM;
    }

    /** The least byte string greater than {@code bytes}. */
    public static byte[] next(byte[] bytes) {
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    private static boolean startsWith(byte[] bytes, byte[] prefix) {
        return bytes.length >= prefix.length && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }

    /**
     * UTF-8, but a lone surrogate, which no key has, becomes the three bytes that UTF-8 forbids for it instead of a question mark:
     * so it matches no key.
     */
    private static byte[] encode(String text) {
        byte[] bytes = new byte[3 * text.length()];
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            int c = text.codePointAt(i);
            if (c < 0x80) {
                bytes[length++] = (byte) c;
            } else if (c < 0x800) {
                bytes[length++] = (byte) (0xC0 | (c >> 6));
                bytes[length++] = continuation(c);
            } else if (c < 0x10000) {
                bytes[length++] = (byte) (0xE0 | (c >> 12));
                bytes[length++] = continuation(c >> 6);
                bytes[length++] = continuation(c);
            } else {
                bytes[length++] = (byte) (0xF0 | (c >> 18));
                bytes[length++] = continuation(c >> 12);
                bytes[length++] = continuation(c >> 6);
                bytes[length++] = continuation(c);
                i++;
            }
        }
        return Arrays.copyOf(bytes, length);
    }

    private static byte continuation(int bits) {
        return (byte) (0x80 | (bits & 0x3F));
    }
}
