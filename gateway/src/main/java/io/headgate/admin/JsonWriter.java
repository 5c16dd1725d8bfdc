package io.headgate.admin;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes one JSON text in UTF-8 (RFC 8259) into a buffer that grows. Strings come out well-formed whatever they hold: control
 * characters are escaped, a lone surrogate becomes the replacement character. Commas are put by itself. Not thread-safe.
 */
final class JsonWriter {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int REPLACEMENT = 0xFFFD;

    private byte[] buffer;
    private int length;
    private boolean comma;

    JsonWriter(int initialBytes) {
        buffer = new byte[initialBytes];
    }

    JsonWriter beginObject() {
        separate();
        put('{');
        comma = false;
        return this;
    }

    JsonWriter endObject() {
        put('}');
        comma = true;
        return this;
    }

    JsonWriter beginArray() {
        separate();
        put('[');
        comma = false;
        return this;
    }

    JsonWriter endArray() {
        put(']');
        comma = true;
        return this;
    }

    /** The name of an object's next member; {@code name} must need no escape. */
    JsonWriter name(String name) {
        separate();
        put('"');
        ascii(name);
        put('"');
        put(':');
        comma = false;
        return this;
    }

    JsonWriter value(String text) {
        beginString();
        piece(text, 0, text.length());
        return endString();
    }

    JsonWriter value(boolean value) {
        separate();
        ascii(value ? "true" : "false");
        comma = true;
        return this;
    }

    JsonWriter value(long value) {
        separate();
        digits(value);
        comma = true;
        return this;
    }

    JsonWriter nullValue() {
        separate();
        ascii("null");
        comma = true;
        return this;
    }

    /** A number in thousandths, written with three decimals: 1234 becomes {@code 1.234}; not negative. */
    JsonWriter thousandths(long value) {
        separate();
        digits(value / 1000);
        put('.');
        padded((int) (value % 1000), 3);
        comma = true;
        return this;
    }

    /** An instant in UTC with milliseconds, as RFC 3339 writes it; years 1970 to 9999. */
    JsonWriter instant(long epochMillis) {
        separate();
        put('"');
        long days = Math.floorDiv(epochMillis, 86_400_000L);
        int millisOfDay = (int) Math.floorMod(epochMillis, 86_400_000L);
        // From days to a civil date: eras of 400 years that begin on 1 March, so that the leap day comes last.
        long shifted = days + 719_468;
        long era = Math.floorDiv(shifted, 146_097L);
        int dayOfEra = (int) (shifted - era * 146_097);
        int yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        int monthFromMarch = (5 * dayOfYear + 2) / 153;
        int month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
        padded((int) (yearOfEra + era * 400) + (month <= 2 ? 1 : 0), 4);
        put('-');
        padded(month, 2);
        put('-');
        padded(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, 2);
        put('T');
        padded(millisOfDay / 3_600_000, 2);
        put(':');
        padded(millisOfDay / 60_000 % 60, 2);
        put(':');
        padded(millisOfDay / 1_000 % 60, 2);
        put('.');
        padded(millisOfDay % 1_000, 3);
        put('Z');
        put('"');
        comma = true;
        return this;
    }

    /** Begins a string that is given in pieces; a surrogate pair must not be split between two. */
    JsonWriter beginString() {
        separate();
        put('"');
        return this;
    }

    JsonWriter piece(String text, int from, int to) {
        int i = from;
        while (i < to) {
            i = plain(text, i, to);
            if (i < to) {
                i += escaped(text, i, to);
            }
        }
        return this;
    }

    JsonWriter endString() {
        put('"');
        comma = true;
        return this;
    }

    /** Ends the line, so that the next text is one of its own. */
    JsonWriter endLine() {
        put('\n');
        comma = false;
        return this;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(buffer, length);
    }

    /** The buffer itself: the first {@link #length} bytes are written. */
    byte[] buffer() {
        return buffer;
    }

    int length() {
        return length;
    }

    /** Writes characters as long as they need no escape, and returns where it stopped. Local variables, for this is the hot loop. */
    private int plain(String text, int from, int to) {
        require(to - from);
        byte[] bytes = buffer;
        int at = length;
        int i = from;
        while (i < to) {
            char c = text.charAt(i);
            if (c < ' ' || c >= 0x7F || c == '"' || c == '\\') {
                break;
            }
            bytes[at++] = (byte) c;
            i++;
        }
        length = at;
        return i;
    }

    /** Writes the character at {@code i} as what it needs to be, and returns how many of the string's it took. */
    private int escaped(String text, int i, int to) {
        char c = text.charAt(i);
        require(6);
        switch (c) {
            case '"', '\\' -> two(c);
            case '\n' -> two('n');
            case '\r' -> two('r');
            case '\t' -> two('t');
            default -> {
                if (c < ' ' || c == 0x7F) {
                    ascii("\\u00");
                    buffer[length++] = HEX[c >> 4];
                    buffer[length++] = HEX[c & 0xF];
                } else if (!Character.isSurrogate(c)) {
                    utf8(c);
                } else if (Character.isHighSurrogate(c) && i + 1 < to && Character.isLowSurrogate(text.charAt(i + 1))) {
                    utf8(Character.toCodePoint(c, text.charAt(i + 1)));
                    return 2;
                } else {
                    utf8(REPLACEMENT);
                }
            }
        }
        return 1;
    }

    private void two(char c) {
        buffer[length++] = '\\';
        buffer[length++] = (byte) c;
    }

    /** From U+0080 on; room for four bytes must be there. */
    private void utf8(int codePoint) {
        if (codePoint < 0x800) {
            buffer[length++] = (byte) (0xC0 | (codePoint >> 6));
        } else {
            if (codePoint < 0x10000) {
                buffer[length++] = (byte) (0xE0 | (codePoint >> 12));
            } else {
                buffer[length++] = (byte) (0xF0 | (codePoint >> 18));
                buffer[length++] = (byte) (0x80 | ((codePoint >> 12) & 0x3F));
            }
            buffer[length++] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
        }
        buffer[length++] = (byte) (0x80 | (codePoint & 0x3F));
    }

    private void digits(long value) {
        require(20);
        if (value == Long.MIN_VALUE) {
            ascii("-9223372036854775808");
            return;
        }
        long rest = value;
        if (rest < 0) {
            buffer[length++] = '-';
            rest = -rest;
        }
        int width = 1;
        for (long bound = 10; width < 19 && rest >= bound; bound *= 10) {
            width++;
        }
        for (int at = length + width - 1; at >= length; at--) {
            buffer[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += width;
    }

    private void padded(int value, int width) {
        require(width);
        int rest = value;
        for (int at = length + width - 1; at >= length; at--) {
            buffer[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += width;
    }

    private void ascii(String text) {
        int count = text.length();
        require(count);
        byte[] bytes = buffer;
        int at = length;
        for (int i = 0; i < count; i++) {
            bytes[at++] = (byte) text.charAt(i);
        }
        length = at;
    }

    private void separate() {
        if (comma) {
            put(',');
        }
    }

    private void put(char c) {
        require(1);
        buffer[length++] = (byte) c;
    }

    private void require(int bytes) {
        if (buffer.length - length < bytes) {
            buffer = Arrays.copyOf(buffer, Math.max(length + bytes, 2 * buffer.length));
        }
    }
}
