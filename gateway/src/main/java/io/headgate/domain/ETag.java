package io.headgate.domain;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * An entity tag as S3 computes it, without its quotes: the MD5 of the bytes in hex, or for a multipart object the MD5 of the
 * parts' MD5s in hex, a hyphen, and the number of parts. 1 to 100 printable ASCII characters without quotes. Immutable; equal if the values are.
 */
public final class ETag {
    /** The length of an MD5. */
    public static final int MD5_BYTES = 16;

    private final String value;

    /** @throws IllegalArgumentException if it is too long, or has other characters */
    public ETag(String value) {
        if (value.isEmpty() || value.length() > 100 || !isPrintable(value)) {
            throw new IllegalArgumentException("not an entity tag");
        }
        this.value = value;
    }

    /** Of the MD5 that begins there: needs no check. */
    private ETag(byte[] md5, int from, String suffix) {
        String hex = HexFormat.of().formatHex(md5, from, from + MD5_BYTES);
        this.value = suffix.isEmpty() ? hex : hex + suffix;
    }

    /** The tag of an object written in one piece, whose MD5 begins there. */
    public static ETag ofMd5(byte[] bytes, int from) {
        return new ETag(bytes, from, "");
    }

    /** The tag of an object of so many parts; the MD5 of their MD5s begins there. */
    public static ETag ofParts(byte[] bytes, int from, int parts) {
        return new ETag(bytes, from, "-" + parts);
    }

    /** ASCII but space and quotes. Without branches, as a page of a listing has a thousand: each difference is negative out of range. */
    private static boolean isPrintable(String value) {
        int differences = 0;
        for (int i = 0; i < value.length(); i++) {
            int c = value.charAt(i);
            differences |= (c - '!') | ('~' - c) | ((c ^ '"') - 1);
        }
        return differences >= 0;
    }

    public String value() {
        return value;
    }

    /** The tag as it stands in headers and XML, in quotes. */
    public String quoted() {
        return '"' + value + '"';
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ETag tag && tag.value.equals(value);
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
