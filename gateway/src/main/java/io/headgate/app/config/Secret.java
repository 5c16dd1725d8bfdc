package io.headgate.app.config;

/** A text that must never be shown: its {@code toString} hides it, so that no log line or record can give it away. */
public record Secret(String value) {
    @Override
    public String toString() {
        return "***";
    }
}
