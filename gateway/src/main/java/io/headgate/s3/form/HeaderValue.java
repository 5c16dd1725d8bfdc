package io.headgate.s3.form;

import io.headgate.s3.PercentCoding;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The value of a Content-Type or Content-Disposition header.
 *
 * @param type what stands before the first semicolon, in lower case
 * @param parameters by their names in lower case; the first of each name
 */
record HeaderValue(String type, Map<String, String> parameters) {
    static HeaderValue parse(String text) {
        int end = text.indexOf(';');
        String type = (end < 0 ? text : text.substring(0, end)).strip().toLowerCase(Locale.ROOT);
        Map<String, String> parameters = new HashMap<>();
        int at = end;
        while (at >= 0 && at < text.length()) {
            int equals = text.indexOf('=', at);
            if (equals < 0) {
                break;
            }
            int semicolon = text.indexOf(';', at + 1);
            if (semicolon >= 0 && semicolon < equals) {
                at = semicolon; // a parameter without a value
                continue;
            }
            String name = text.substring(at + 1, equals).strip().toLowerCase(Locale.ROOT);
            StringBuilder value = new StringBuilder();
            at = value(text, equals + 1, value);
            parameters.putIfAbsent(name, value.toString());
        }
        return new HeaderValue(type, parameters);
    }

    /** Appends the value that begins there; where it ends: at a semicolon, or at the end of the text. */
    private static int value(String text, int begin, StringBuilder value) {
        int at = begin;
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
        if (at == text.length() || text.charAt(at) != '"') {
            int end = text.indexOf(';', at);
            value.append(text.substring(at, end < 0 ? text.length() : end).strip());
            return end < 0 ? text.length() : end;
        }
        at++;
        while (at < text.length() && text.charAt(at) != '"') {
            // Of a backslash before anything but a quote browsers mean the backslash: it parts the directories of a
            // path.
            boolean escapes = text.charAt(at) == '\\' && at + 1 < text.length() && text.charAt(at + 1) == '"';
            at += escapes ? 1 : 0;
            value.append(text.charAt(at));
            at++;
        }
        int end = text.indexOf(';', at);
        return end < 0 ? text.length() : end;
    }

    Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /** The name of the uploaded file; {@code filename*} (RFC 8187) before {@code filename}. */
    Optional<String> fileName() {
        String extended = parameters.getOrDefault("filename*", "");
        if (extended.toLowerCase(Locale.ROOT).startsWith("utf-8'")) {
            try {
                return Optional.of(PercentCoding.decode(extended.substring(extended.lastIndexOf('\'') + 1), false));
            } catch (IllegalArgumentException malformed) {
                return parameter("filename");
            }
        }
        return parameter("filename");
    }
}
