package io.headgate.s3;

/** Numbers as clients may write them. */
public final class Decimal {
    /** Any number of so many digits is a {@code long}. */
    private static final int MAX_DIGITS = 18;

    private Decimal() {}

    /**
     * Reads an optional minus and up to {@value #MAX_DIGITS} digits: unlike the JDK, which also takes a plus and the digits of every other
     * script, and would let two spellings pass for one number.
     *
     * @throws NumberFormatException if the text is anything else
     */
    public static long parse(String text) {
        int first = text.startsWith("-") ? 1 : 0;
        int digits = text.length() - first;
        if (digits < 1 || digits > MAX_DIGITS) {
            throw new NumberFormatException("not a number of 1 to " + MAX_DIGITS + " digits");
        }
        for (int i = first; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                throw new NumberFormatException("not a digit at " + i);
            }
        }
        return Long.parseLong(text);
    }
}
