package io.headgate.admin;

import java.util.List;

/** Writes a request's target into the log without what would let its reader act as the client. */
final class RedactedTarget {
    /** Longer targets are cut, for the log alone. */
    static final int MAX_CHARACTERS = 4096;

    private static final List<String> SECRET_PARAMETERS = List.of(
            "signature",
            "x-amz-copy-source-server-side-encryption-customer-key",
            "x-amz-credential",
            "x-amz-security-token",
            "x-amz-server-side-encryption-customer-key",
            "x-amz-signature");

    private static final int LONGEST_SECRET = 53;
    private static final String HIDDEN = "***";

    private RedactedTarget() {}

    /** Writes the target as the next string of {@code json}. */
    static void write(JsonWriter json, String target) {
        json.beginString();
        int end = Math.min(target.length(), MAX_CHARACTERS);
        int at = target.indexOf('?');
        if (at < 0 || at >= end) {
            json.piece(target, 0, end);
        } else {
            json.piece(target, 0, at + 1);
            parameters(json, target, at + 1, end);
        }
        if (end < target.length()) {
            json.piece("...", 0, 3);
        }
        json.endString();
    }

    private static void parameters(JsonWriter json, String target, int from, int end) {
        int start = from;
        while (start < end) {
            int next = target.indexOf('&', start);
            int stop = next < 0 || next >= end ? end : next + 1;
            int equals = target.indexOf('=', start);
            if (equals >= 0 && equals < stop && isSecret(target, start, equals)) {
                json.piece(target, start, equals + 1);
                json.piece(HIDDEN, 0, HIDDEN.length());
                json.piece("&", 0, next < 0 || next >= end ? 0 : 1);
            } else {
                json.piece(target, start, stop);
            }
            start = stop;
        }
    }

    private static boolean isSecret(String target, int from, int to) {
        char first = target.charAt(from);
        boolean candidate = first == 'x' || first == 'X' || first == 's' || first == 'S' || first == '%';
        // A name is compared decoded, where each character may take three.
        if (!candidate || to - from > 3 * LONGEST_SECRET) {
            return false;
        }
        int percent = target.indexOf('%', from);
        if (percent >= 0 && percent < to) {
            String name = decoded(target, from, to);
            return isSecretName(name, 0, name.length());
        }
        return isSecretName(target, from, to);
    }

    private static boolean isSecretName(String text, int from, int to) {
        for (String secret : SECRET_PARAMETERS) {
            if (secret.length() == to - from && text.regionMatches(true, from, secret, 0, secret.length())) {
                return true;
            }
        }
        return false;
    }

    private static String decoded(String target, int from, int to) {
        StringBuilder decoded = new StringBuilder(to - from);
        for (int i = from; i < to; i++) {
            char c = target.charAt(i);
            if (c == '%' && i + 2 < to && isHex(target.charAt(i + 1)) && isHex(target.charAt(i + 2))) {
                decoded.append((char) Integer.parseInt(target, i + 1, i + 3, 16));
                i += 2;
            } else {
                decoded.append(c);
            }
        }
        return decoded.toString();
    }

    private static boolean isHex(char c) {
        return Character.digit(c, 16) >= 0 && c < 0x80;
    }
}
