package io.headgate.app.config;

import org.jspecify.annotations.Nullable;

/**
 * The text of a value before it is parsed.
 *
 * @param text with environment variables put in
 * @param shown as written, for errors: without what came from the environment
 * @param broken why there is no text, if there is none; who asks for the value is told the same again
 */
record RawValue(
        String text, String shown, Origin origin, @Nullable ConfigException broken) {
    static RawValue literal(String text, Origin origin) {
        return new RawValue(text, text, origin, null);
    }

    static RawValue broken(Origin origin, ConfigException broken) {
        return new RawValue("", "", origin, broken);
    }
}
