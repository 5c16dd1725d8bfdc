package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * An HMAC-SHA256 key, kept as the two hash states behind its inner and outer pad (RFC 2104, section 4), so that a signature costs
 * two compressions less than with the key itself, and no look-up of an algorithm. Thread-safe: the states are only ever cloned.
 */
final class SigningKey {
    /** The length of a signature in bytes. */
    static final int SIGNATURE_BYTES = 32;

    private static final int BLOCK_BYTES = 64;
    private static final MessageDigest EMPTY = newSha256();

    private final MessageDigest inner = sha256();
    private final MessageDigest outer = sha256();

    SigningKey(byte[] key) {
        byte[] block = Arrays.copyOf(key.length > BLOCK_BYTES ? sha256().digest(key) : key, BLOCK_BYTES);
        for (int i = 0; i < BLOCK_BYTES; i++) {
            block[i] ^= 0x36;
        }
        inner.update(block);
        for (int i = 0; i < BLOCK_BYTES; i++) {
            block[i] ^= 0x36 ^ 0x5C;
        }
        outer.update(block);
    }

    /** The key that a secret gives for a day ({@code yyyyMMdd}) and a region of S3. */
    static SigningKey derive(String secret, String date, String region) {
        byte[] key = ("AWS4" + secret).getBytes(UTF_8);
        for (String step : new String[] {date, region, "s3", "aws4_request"}) {
            key = new SigningKey(key).sign(step.getBytes(UTF_8));
        }
        return new SigningKey(key);
    }

    /** The HMAC of {@code text}. */
    byte[] sign(byte[] text) {
        byte[] signature = new byte[SIGNATURE_BYTES];
        sign(text, text.length, signature);
        return signature;
    }

    /** Puts the HMAC of the first {@code length} bytes of {@code text} into {@code signature}. */
    void sign(byte[] text, int length, byte[] signature) {
        try {
            MessageDigest digest = copy(inner);
            digest.update(text, 0, length);
            digest.digest(signature, 0, SIGNATURE_BYTES);
            digest = copy(outer);
            digest.update(signature, 0, SIGNATURE_BYTES);
            digest.digest(signature, 0, SIGNATURE_BYTES);
        } catch (DigestException impossible) {
            throw new IllegalStateException("the signature has room", impossible);
        }
    }

    /** A SHA-256 of no bytes yet. */
    static MessageDigest sha256() {
        return copy(EMPTY);
    }

    /** The value of a hex digit of either case, or -1. */
    static int hexDigit(int c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        int lower = c | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    /** Whether the 64 hex digits in {@code hex} stand for {@code expected}, in a time that does not tell how far they do. */
    static boolean matches(byte[] expected, byte[] hex, int offset) {
        int difference = 0;
        for (int i = 0; i < SIGNATURE_BYTES; i++) {
            int high = hexDigit(hex[offset + 2 * i]);
            int low = hexDigit(hex[offset + 2 * i + 1]);
            difference |= (high << 4 | low) ^ (expected[i] & 0xFF);
        }
        return difference == 0;
    }

    /** Like {@link #matches(byte[], byte[], int)}; {@code false} too for anything but 64 hex digits. */
    static boolean matches(byte[] expected, String hex) {
        return hex.length() == 2 * SIGNATURE_BYTES && matches(expected, hex.getBytes(US_ASCII), 0);
    }

    private static MessageDigest copy(MessageDigest digest) {
        try {
            return (MessageDigest) digest.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the platform's SHA-256 cannot be cloned", e);
        }
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("SHA-256 is part of every Java platform", impossible);
        }
    }
}
