package io.headgate.domain;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An object's key: 1 to 1,024 bytes of UTF-8, any character included (NUL too). Keys order by their UTF-8 bytes, unsigned, as S3
 * lists them; Java's own string order differs beyond the basic multilingual plane.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html">S3: object keys</a>
 */
public final class ObjectKey implements Comparable<ObjectKey> {
    /** The longest key, in bytes of UTF-8. */
    public static final int MAX_BYTES = 1024;

    /** What a lenient decoder puts in the place of malformed bytes; a key may also hold it. */
    private static final char REPLACEMENT = '\uFFFD';

    private final String value;

    /**
     * @throws IllegalArgumentException if {@code value} is empty, too long, or not well-formed (a lone surrogate, which an encoder
     *     would silently turn into {@code ?}, so that two keys would become one)
     */
    public ObjectKey(String value) {
        this(value, utf8Length(value));
    }

    /** @param value well-formed, of so many bytes of UTF-8 */
    private ObjectKey(String value, int utf8Bytes) {
        if (utf8Bytes == 0) {
            throw new IllegalArgumentException("A key has at least one character");
        }
        if (utf8Bytes > MAX_BYTES) {
            throw new IllegalArgumentException("A key has at most " + MAX_BYTES + " bytes of UTF-8");
        }
        this.value = value;
    }

    /**
     * The key of those bytes.
     *
     * @throws IllegalArgumentException if they are none, too many, or malformed
     */
    public static ObjectKey of(byte[] utf8) {
        return new ObjectKey(decode(utf8), utf8.length); // what was decoded is well-formed
    }

    public String value() {
        return value;
    }

    /** The key's UTF-8 encoding, a fresh array. */
    public byte[] bytes() {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Decodes UTF-8 strictly.
     *
     * @throws IllegalArgumentException if {@code utf8} is malformed
     */
    public static String decode(byte[] utf8) {
        String lenient = new String(utf8, StandardCharsets.UTF_8);
        if (lenient.indexOf(REPLACEMENT)
                < 0) { // nothing was malformed; a decoder that reports costs more, and listings decode thousands
            return lenient;
        }
        try {
            CharBuffer decoded = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(utf8));
            return decoded.toString();
        } catch (CharacterCodingException malformed) {
            throw new IllegalArgumentException("A key is well-formed UTF-8", malformed);
        }
    }

    private static int utf8Length(String value) {
        int bytes = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x80) {
                bytes += 1;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (!Character.isSurrogate(c)) {
                bytes += 3;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                throw new IllegalArgumentException("A key is well-formed Unicode; this one has a lone surrogate");
            }
        }
        return bytes;
    }

    @Override
    public int compareTo(ObjectKey other) {
        return Arrays.compareUnsigned(bytes(), other.bytes());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ObjectKey key && key.value.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return value;
    }
}
