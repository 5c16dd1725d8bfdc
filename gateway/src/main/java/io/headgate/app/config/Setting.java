package io.headgate.app.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration.
 *
 * @param key its path in the file: {@code placement.max_capacity_ratio}; {@code users[].id} in each element of a list
 * @param defaultText the value when nothing is set, as one would write it; {@code null} if there is none
 * @param absentMeaning what no value means, for the reference; {@code required} if there must be one
 * @param meaning for the reference
 */
record Setting<T>(String key, ValueType<T> type, @Nullable String defaultText, String absentMeaning, String meaning) {
    static final String REQUIRED = "required";

    static <T> Setting<T> of(String key, ValueType<T> type, String defaultText, String meaning) {
        return new Setting<>(key, type, defaultText, "", meaning);
    }

    static <T> Setting<T> optional(String key, ValueType<T> type, String absentMeaning, String meaning) {
        return new Setting<>(key, type, null, absentMeaning, meaning);
    }

    static <T> Setting<T> required(String key, ValueType<T> type, String meaning) {
        return new Setting<>(key, type, null, REQUIRED, meaning);
    }

    boolean inList() {
        return key.contains("[]");
    }

    /** The list that holds it, for a key of a list's elements. */
    String list() {
        return key.substring(0, key.indexOf("[]"));
    }

    /** The key within a list's element, or the whole key. */
    String localKey() {
        return inList() ? key.substring(key.indexOf("[].") + 3) : key;
    }

    /** The environment variable that sets it; keys in lists have none of their own. */
    String environmentVariable() {
        return "HEADGATE_" + key.replace('.', '_').toUpperCase(Locale.ROOT);
    }
}
