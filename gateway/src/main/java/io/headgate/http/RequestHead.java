package io.headgate.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request as the client sent it.
 *
 * @param method as sent, such as {@code GET}
 * @param target the raw request target in origin form, undecoded: {@code /path?query}
 * @param fields in the order of arrival; names in lower case, values trimmed, bytes above 127 as the characters U+0080 to U+00FF
 * @param remoteAddress the address of the peer, without port
 */
public record RequestHead(String method, String target, List<Field> fields, String remoteAddress) {
    /** A header or trailer field. */
    public record Field(String name, String value) {
        public Field {
            name = name.toLowerCase(Locale.ROOT);
        }
    }

    public RequestHead {
        fields = List.copyOf(fields);
    }

    /** The target up to the first {@code ?}. */
    public String rawPath() {
        int question = target.indexOf('?');
        return question < 0 ? target : target.substring(0, question);
    }

    /** The target after the first {@code ?}; empty if there is none. */
    public String rawQuery() {
        int question = target.indexOf('?');
        return question < 0 ? "" : target.substring(question + 1);
    }

    /** The value of the first field of that lower-case name. */
    public @Nullable String header(String name) {
        for (Field field : fields) {
            if (field.name().equals(name)) {
                return field.value();
            }
        }
        return null;
    }

    /** The values of all fields of that lower-case name. */
    public List<String> headers(String name) {
        List<String> values = new ArrayList<>(1);
        for (Field field : fields) {
            if (field.name().equals(name)) {
                values.add(field.value());
            }
        }
        return values;
    }
}
