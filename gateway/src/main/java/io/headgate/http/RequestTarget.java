package io.headgate.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a request target must be to reach the handler (RFC 9112, section 3.2), and no more: the bytes stay as they were sent. */
final class RequestTarget {
    private RequestTarget() {}

    /**
     * The target in origin form; null if it is none. An absolute form, as sent to proxies, loses its scheme and authority. Refused are
     * the other forms, bytes that belong in no target, percent signs without two digits, and {@code %00}.
     */
    static @Nullable String originForm(String raw) {
        String target = raw.startsWith("/") ? raw : withoutAuthority(raw);
        return target != null && isClean(target) ? target : null;
    }

    /** The authority of an absolute form, which then stands for the Host field (RFC 9112, section 3.2.2); null of other forms. */
    static @Nullable String authority(String raw) {
        int start = authorityStart(raw);
        return start < 0 ? null : raw.substring(start, authorityEnd(raw, start));
    }

    private static @Nullable String withoutAuthority(String raw) {
        int start = authorityStart(raw);
        if (start < 0) {
            return null;
        }
        int end = authorityEnd(raw, start);
        if (end == start) {
            return null;
        }
        String rest = raw.substring(end);
        return rest.startsWith("/") ? rest : "/" + rest;
    }

    private static int authorityStart(String raw) {
        if (raw.startsWith("/")) {
            return -1;
        }
        int colon = raw.indexOf("://");
        if (colon < 0 || colon > 5) {
            return -1;
        }
        String scheme = raw.substring(0, colon).toLowerCase(Locale.ROOT);
        return scheme.equals("http") || scheme.equals("https") ? colon + 3 : -1;
    }

    private static int authorityEnd(String raw, int start) {
        int i = start;
        while (i < raw.length() && raw.charAt(i) != '/' && raw.charAt(i) != '?') {
            i++;
        }
        return i;
    }

    private static boolean isClean(String target) {
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c <= ' ' || c >= 0x7F) {
                return false;
            }
            if (c == '%') {
                if (i + 2 >= target.length()) {
                    return false;
                }
                int high = Character.digit(target.charAt(i + 1), 16);
                int low = Character.digit(target.charAt(i + 2), 16);
                if (high < 0 || low < 0 || (high == 0 && low == 0)) {
                    return false;
                }
            }
        }
        return true;
    }
}
