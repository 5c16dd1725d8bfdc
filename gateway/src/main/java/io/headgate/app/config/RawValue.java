package io.headgate.app.config;

/**
 * The text of a value before it is parsed.
 *
 * @param text with environment variables put in
 * @param shown as written, for errors: without what came from the environment
 */
record RawValue(String text, String shown, Origin origin) {
    static RawValue literal(String text, Origin origin) {
        return new RawValue(text, text, origin);
    }
}
