package io.headgate.app.config;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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

    /** The value, if it is set. */
    <T> Optional<T> find(Setting<T> setting) throws ConfigException {
        RawValue value = raw.get(setting.localKey());
        return value == null ? Optional.empty() : Optional.of(parse(setting, value));
    }

    OptionalLong findLong(Setting<Long> setting) throws ConfigException {
        Optional<Long> value = find(setting);
        return value.isPresent() ? OptionalLong.of(value.get()) : OptionalLong.empty();
    }

    /** An error about a value that is set, or about what holds it if it is not. */
    ConfigException error(Setting<?> setting, String message) {
        @Nullable RawValue value = raw.get(setting.localKey());
        return value != null ? value.origin().error(message) : origin.error(setting.localKey() + " " + message);
    }

    private static <T> T parse(Setting<T> setting, RawValue value) throws ConfigException {
        try {
            return setting.type().parser().apply(value.text());
        } catch (IllegalArgumentException invalid) {
            String quoted = setting.type().secret() ? "the value" : "\"" + YamlSource.printable(value.shown()) + "\"";
            throw value.origin().error(quoted + " " + invalid.getMessage());
        }
    }
}
