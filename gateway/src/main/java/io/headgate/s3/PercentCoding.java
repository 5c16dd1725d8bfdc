package io.headgate.s3;

import io.headgate.domain.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Percent-encoding of paths, queries and listings (RFC 3986, section 2.1), by bytes of UTF-8. */
public final class PercentCoding {
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private PercentCoding() {}

    /**
     * Decodes a piece of a request target.
     *
     * @param encoded characters U+0000 to U+00FF, each standing for a byte
     * @param plusIsSpace whether {@code +} stands for a space, as in queries; in paths it stands for itself
     * @throws IllegalArgumentException if an escape is incomplete or the bytes are not UTF-8
     */
    public static String decode(String encoded, boolean plusIsSpace) {
        if (needsNoDecoding(encoded, plusIsSpace)) {
            return encoded;
        }
        int length = encoded.length();
        byte[] bytes = new byte[length];
        int count = 0;
        int all = 0;
        for (int i = 0; i < length; i++) {
            char c = encoded.charAt(i);
            if (c == '%') {
                if (i + 2 >= length) {
                    throw new IllegalArgumentException("incomplete escape");
                }
                int high = Character.digit(encoded.charAt(i + 1), 16);
                int low = Character.digit(encoded.charAt(i + 2), 16);
                if (high < 0 || low < 0) {
                    throw new IllegalArgumentException("malformed escape");
                }
                bytes[count] = (byte) (high << 4 | low);
                i += 2;
            } else if (c > 0xFF) {
                throw new IllegalArgumentException("not a byte");
            } else {
                bytes[count] = (byte) (c == '+' && plusIsSpace ? ' ' : c);
            }
            all |= bytes[count++];
        }
        // A negative byte is above 127: the strict decoder is for those alone.
        return all >= 0
                ? new String(bytes, 0, count, StandardCharsets.ISO_8859_1)
                : ObjectKey.decode(Arrays.copyOf(bytes, count));
    }

    private static boolean needsNoDecoding(String encoded, boolean plusIsSpace) {
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%' || c >= 0x80 || (c == '+' && plusIsSpace)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Encodes as listings with {@code encoding-type=url} want it: all but letters, digits and {@code - _ . * /}. AWS sends a space as
     * {@code +}; {@code %20} is what every client undoes alike, those too that leave a {@code +} alone.
     */
    public static String encodeForListing(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        StringBuilder encoded = new StringBuilder(bytes.length + 16);
        for (byte b : bytes) {
            char c = (char) (b & 0xFF);
            boolean plain = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '-'
                    || c == '_'
                    || c == '.'
                    || c == '*'
                    || c == '/';
            if (plain) {
                encoded.append(c);
            } else {
                encoded.append('%').append(HEX[c >> 4]).append(HEX[c & 0xF]);
            }
        }
        return encoded.toString();
    }
}
