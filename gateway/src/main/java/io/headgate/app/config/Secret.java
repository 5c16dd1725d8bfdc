package io.headgate.app.config;

import org.jspecify.annotations.Nullable;

/** A text that must never be shown: its {@code toString} hides it, so that no log line or record can give it away. */
public final class Secret {
    private final String text;

    public Secret(String text) {
        this.text = text;
    }

    /** The text itself, for whoever has to use it. */
    public String reveal() {
        return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Secret secret && secret.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return "***";
    }
}
