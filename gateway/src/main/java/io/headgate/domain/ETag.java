package io.headgate.domain;

/**
 * An entity tag as S3 computes it, without its quotes: the MD5 of the bytes in hex, or for a multipart object the MD5 of the
 * parts' MD5s in hex, a hyphen, and the number of parts. 1 to 100 printable ASCII characters without quotes.
 */
public record ETag(String value) {
    public ETag {
        if (value.isEmpty() || value.length() > 100 || !isPrintable(value)) {
            throw new IllegalArgumentException("not an entity tag");
        }
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

    /** The tag as it stands in headers and XML, in quotes. */
    public String quoted() {
        return '"' + value + '"';
    }

    @Override
    public String toString() {
        return value;
    }
}
