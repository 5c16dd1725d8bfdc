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

    private static boolean isPrintable(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c <= ' ' || c >= 127 || c == '"') {
                return false;
            }
        }
        return true;
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
