package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.security.MessageDigest;
import java.util.Arrays;

/** A growing text of bytes, for canonical requests. Of each character appended the low 8 bits count. */
final class CanonicalText {
    private static final byte[] UPPER_HEX = "0123456789ABCDEF".getBytes(ISO_8859_1);
    private static final byte[] LOWER_HEX = "0123456789abcdef".getBytes(ISO_8859_1);

    /** RFC 3986, section 2.3. */
    private static final boolean[] UNRESERVED = new boolean[256];

    static {
        for (int c = 0; c < 256; c++) {
            UNRESERVED[c] = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '-'
                    || c == '_'
                    || c == '.'
                    || c == '~';
        }
    }

    private byte[] bytes;
    private int length;

    CanonicalText(int capacity) {
        bytes = new byte[capacity];
    }

    int length() {
        return length;
    }

    /** The text's first {@link #length} bytes; changes with the next append. */
    byte[] bytes() {
        return bytes;
    }

    void truncate(int newLength) {
        length = newLength;
    }

    void append(char c) {
        reserve(1);
        bytes[length++] = (byte) c;
    }

    void append(String text) {
        int count = text.length();
        reserve(count);
        for (int i = 0; i < count; i++) {
            bytes[length + i] = (byte) text.charAt(i);
        }
        length += count;
    }

    void append(CanonicalText other, int begin, int end) {
        reserve(end - begin);
        System.arraycopy(other.bytes, begin, bytes, length, end - begin);
        length += end - begin;
    }

    /**
     * Appends a header's value without white space at the ends and, if {@code collapse}, with each white space inside as one space.
     *
     * @return whether there is white space inside that is not one space
     */
    boolean appendTrimmed(String text, boolean collapse) {
        int begin = 0;
        int end = text.length();
        while (begin < end && isSpace(text.charAt(begin))) {
            begin++;
        }
        while (begin < end && isSpace(text.charAt(end - 1))) {
            end--;
        }
        reserve(end - begin);
        boolean collapsible = false;
        for (int i = begin; i < end; i++) {
            char c = text.charAt(i);
            if (isSpace(c) && (c == '\t' || isSpace(text.charAt(i - 1)))) {
                collapsible = true;
                if (collapse) {
                    if (isSpace(text.charAt(i - 1))) {
                        continue;
                    }
                    c = ' ';
                }
            }
            bytes[length++] = (byte) c;
        }
        return collapsible;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }

    /**
     * Appends a piece of a request target, each byte of it decoded and encoded again, so that it does not matter how the client
     * encoded it. An escape that is malformed stands for itself.
     *
     * @param keepSlash whether {@code /} stays as it is
     * @param plusIsSpace whether {@code +} stands for a space
     */
    void appendEncoded(String raw, int begin, int end, boolean keepSlash, boolean plusIsSpace) {
        reserve(3 * (end - begin));
        for (int i = begin; i < end; i++) {
            int c = raw.charAt(i) & 0xFF;
            if (c == '%' && i + 2 < end) {
                int high = SigningKey.hexDigit(raw.charAt(i + 1));
                int low = SigningKey.hexDigit(raw.charAt(i + 2));
                if (high >= 0 && low >= 0) {
                    c = high << 4 | low;
                    i += 2;
                }
            } else if (c == '+' && plusIsSpace) {
                c = ' ';
            }
            if (UNRESERVED[c] || (c == '/' && keepSlash)) {
                bytes[length++] = (byte) c;
            } else {
                bytes[length++] = '%';
                bytes[length++] = UPPER_HEX[c >> 4];
                bytes[length++] = UPPER_HEX[c & 0xF];
            }
        }
    }

    void appendHex(byte[] value) {
        reserve(2 * value.length);
        putHex(value, bytes, length);
        length += 2 * value.length;
    }

    /** Puts {@code value} in lower-case hex digits into {@code target}. */
    static void putHex(byte[] value, byte[] target, int offset) {
        for (int i = 0; i < value.length; i++) {
            target[offset + 2 * i] = LOWER_HEX[value[i] >> 4 & 0xF];
            target[offset + 2 * i + 1] = LOWER_HEX[value[i] & 0xF];
        }
    }

    byte[] sha256() {
        MessageDigest digest = SigningKey.sha256();
        digest.update(bytes, 0, length);
        return digest.digest();
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, ISO_8859_1);
    }

    private void reserve(int count) {
        if (count > bytes.length - length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
        }
    }
}
