package io.headgate.app.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses the texts that are set, and puts defaults for the others. */
final class Values {
    private final Map<String, RawValue> raw;
    private final Origin origin;

    /** @param origin what holds the keys, for errors about missing ones */
    Values(Map<String, RawValue> raw, Origin origin) {
        this.raw = raw;
        this.origin = origin;
    }

    /** The value, or the default; a missing one is an error if there is none. */
    <T> T get(Setting<T> setting) throws ConfigException {
        RawValue value = raw.get(setting.localKey());
        if (value != null) {
            return parse(setting, value);
        }
        String defaultText = setting.defaultText();
        if (defaultText == null) {
            throw origin.error("needs the key " + setting.localKey());
        }
        return setting.type().parser().apply(defaultText);
    }

    /** The value; the default in the place of a wrong one, for who looks at other keys. */
    <T> T getOrDefault(Setting<T> setting, Problems problems) {
        List<T> right = new ArrayList<>();
        problems.check(() -> right.add(get(setting)));
        String defaultText = Objects.requireNonNull(setting.defaultText());
        return right.isEmpty() ? setting.type().parser().apply(defaultText) : right.getFirst();
    }

    /** The value, if it is set. */
    <T> Optional<T> find(Setting<T> setting) throws ConfigException {
        RawValue value = raw.get(setting.localKey());
        return value == null ? Optional.empty() : Optional.of(parse(setting, value));
    }

    OptionalLong findLong(Setting<Long> setting) throws ConfigException {
        Optional<Long> value = find(setting);
        return value.isPresent() ? OptionalLong.of(value.get()) : OptionalLong.empty();
    }

    /** The value of a key that this kind of account must have. */
    <T> T need(Setting<T> setting, HeadgateConfig.AccountType type) throws ConfigException {
        Optional<T> value = find(setting);
        if (value.isEmpty()) {
            throw origin.error("needs the key " + setting.localKey() + " for the type " + ValueType.lower(type));
        }
        return value.get();
    }

    /** Refuses a key that is set and not allowed. */
    void refuseOthers(HeadgateConfig.AccountType type, Set<String> allowedLocalKeys) throws ConfigException {
        for (Map.Entry<String, RawValue> set : raw.entrySet()) {
            if (!allowedLocalKeys.contains(set.getKey())) {
                throw set.getValue().origin().error("is not for accounts of the type " + ValueType.lower(type));
            }
        }
    }

    /** Notes that a key of this list's element is taken, and refuses it if an earlier element has taken it. */
    <K> void unique(Map<K, String> seen, K key, String what, Setting<?> setting) throws ConfigException {
        unique(seen, key, what, setting, key.toString());
    }

    /** As above, for a key that is shown in another way. */
    <K> void unique(Map<K, String> seen, K key, String what, Setting<?> setting, String shown) throws ConfigException {
        String earlier = seen.put(key, origin.text());
        if (earlier != null) {
            throw error(setting, what + " \"" + shown + "\" is taken by " + earlier);
        }
    }

    /** An error about a value that is set, or about what holds it if it is not. */
    ConfigException error(Setting<?> setting, String message) {
        @Nullable RawValue value = raw.get(setting.localKey());
        return value != null ? value.origin().error(message) : origin.error(setting.localKey() + " " + message);
    }

    /**
     * Parses all that is set.
     *
     * @param prefix of the keys
     */
    void check(String prefix, Problems problems) {
        raw.forEach((localKey, value) -> {
            Setting<?> setting = Settings.BY_KEY.get(prefix + localKey);
            if (setting != null) {
                problems.check(() -> parse(setting, value));
            }
        });
    }

    private static <T> T parse(Setting<T> setting, RawValue value) throws ConfigException {
        if (value.broken() != null) {
            throw value.broken();
        }
        try {
            return setting.type().parser().apply(value.text());
        } catch (IllegalArgumentException invalid) {
            String quoted = setting.type().secret() ? "the value" : "\"" + YamlSource.printable(value.shown()) + "\"";
            throw value.origin().error(quoted + " " + invalid.getMessage());
        }
    }
}
