package io.headgate.app.config;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Puts environment variables into values, in the place of a name in braces after a dollar; two dollars stand for one before a brace. */
public final class EnvironmentReferences {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final Map<String, String> environment;

    EnvironmentReferences(Map<String, String> environment) {
        this.environment = environment;
    }

    /** @throws ConfigException if a variable is not set or a reference is malformed */
    String resolve(String text, Origin origin) throws ConfigException {
        if (text.indexOf("${") < 0) {
            return text;
        }
        StringBuilder resolved = new StringBuilder(text.length());
        int from = 0;
        for (int at = text.indexOf("${"); at >= 0; at = text.indexOf("${", from)) {
            if (at > from && text.charAt(at - 1) == '$') {
                resolved.append(text, from, at - 1).append("${");
                from = at + 2;
                continue;
            }
            int end = text.indexOf('}', at);
            String name = end < 0 ? "" : text.substring(at + 2, end);
            if (!NAME.matcher(name).matches()) {
                throw origin.error("has a ${ without NAME} after it; write $${ for the characters themselves");
            }
            String value = environment.get(name);
            if (value == null) {
                throw origin.error("refers to the environment variable " + name + ", which is not set");
            }
            resolved.append(text, from, at).append(value);
            from = end + 1;
        }
        return resolved.append(text, from, text.length()).toString();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof EnvironmentReferences that && that.environment.equals(environment);
    }

    @Override
    public int hashCode() {
        return environment.hashCode();
    }

    /** Shows nothing, as the environment holds secrets. */
    @Override
    public String toString() {
        return "the environment";
    }
}
