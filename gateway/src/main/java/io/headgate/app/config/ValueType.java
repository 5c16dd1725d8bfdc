package io.headgate.app.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How the text of a setting becomes a value.
 *
 * @param name for the reference: the kind of value and its bounds
 * @param secret whether the text must not appear in an error
 * @param parser throws {@link IllegalArgumentException} with a message that follows the value: {@code is not ...}
 */
record ValueType<T>(String name, boolean secret, Function<String, T> parser) {
    static ValueType<String> text(String name, String pattern, String expectation) {
        Pattern form = Pattern.compile(pattern);
        return new ValueType<>(name, false, text -> {
            require(form.matcher(text).matches(), expectation);
            return text;
        });
    }

    static ValueType<Secret> secret(int minLength, int maxLength) {
        return new ValueType<>("secret, " + minLength + " to " + maxLength + " characters", true, text -> {
            require(
                    text.length() >= minLength && text.length() <= maxLength,
                    "has " + text.length() + " characters, not " + minLength + " to " + maxLength);
            require(text.chars().allMatch(c -> c > ' ' && c < 0x7F), "has characters other than printable ASCII");
            return new Secret(text);
        });
    }

    /** A secret in Base64, kept as text. */
    static ValueType<Secret> base64Secret(int minLength, int maxLength) {
        ValueType<Secret> plain = secret(minLength, maxLength);
        return new ValueType<>("secret in Base64, " + minLength + " to " + maxLength + " characters", true, text -> {
            try {
                require(Base64.getDecoder().decode(text).length > 0, "is empty");
            } catch (IllegalArgumentException malformed) {
                throw new IllegalArgumentException("is not Base64", malformed);
            }
            return plain.parser().apply(text);
        });
    }

    static ValueType<Boolean> bool() {
        return new ValueType<>("`true` or `false`", false, text -> switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("is not true or false");
        });
    }

    static ValueType<Integer> integer(int min, int max) {
        String bounds = min + " to " + max;
        return new ValueType<>("number, " + bounds, false, text -> {
            require(text.matches("-?[0-9]{1,18}"), "is not a whole number");
            long value = Long.parseLong(text);
            require(value >= min && value <= max, "is not in the range " + bounds);
            return (int) value;
        });
    }

    static ValueType<Double> ratio() {
        return new ValueType<>("ratio, above 0 to 1", false, text -> {
            require(text.matches("[0-9]{0,3}(\\.[0-9]{1,9})?") && !text.isEmpty(), "is not a ratio such as 0.9");
            double value = Double.parseDouble(text);
            require(value > 0 && value <= 1, "is not in the range above 0 to 1");
            return value;
        });
    }

    static ValueType<Long> bytes(String min, String max) {
        return amount("size", "", min, max);
    }

    static ValueType<Long> bytesPerSecond(String min, String max) {
        return amount("size a second", " a second", min, max);
    }

    private static ValueType<Long> amount(String name, String suffix, String min, String max) {
        long least = Units.bytes(min);
        long most = Units.bytes(max);
        String bounds = min + " to " + max + suffix;
        return new ValueType<>(name + ", " + min + " to " + max, false, text -> {
            long value = Units.bytes(text);
            require(value >= least && value <= most, "is not in the range " + bounds);
            return value;
        });
    }

    static ValueType<Long> number(long min, long max) {
        return new ValueType<>("number, " + min + " to " + max, false, text -> {
            require(text.matches("[0-9]{1,18}"), "is not a whole number");
            long value = Long.parseLong(text);
            require(value >= min && value <= max, "is not in the range " + min + " to " + max);
            return value;
        });
    }

    static ValueType<Duration> duration(String min, String max) {
        Duration least = Units.duration(min);
        Duration most = Units.duration(max);
        String bounds = min + " to " + max;
        return new ValueType<>("duration, " + bounds, false, text -> {
            Duration value = Units.duration(text);
            require(value.compareTo(least) >= 0 && value.compareTo(most) <= 0, "is not in the range " + bounds);
            return value;
        });
    }

    static ValueType<HostPort> hostPort() {
        return new ValueType<>("HOST:PORT", false, HostPort::parse);
    }

    /** The URL of a service: scheme, host, perhaps port and path. */
    static ValueType<URI> endpoint() {
        return new ValueType<>("URL, http or https", false, text -> {
            URI url = uri(text);
            require(
                    "http".equals(url.getScheme()) || "https".equals(url.getScheme()),
                    "is not a URL that begins with http:// or https://");
            require(url.getHost() != null && !url.getHost().isEmpty(), "is a URL without a host");
            require(
                    url.getRawUserInfo() == null && url.getRawQuery() == null && url.getRawFragment() == null,
                    "is a URL with more than scheme, host, port and path");
            return url;
        });
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException malformed) {
            throw new IllegalArgumentException("is not a URL", malformed);
        }
    }

    /** A path, taken from the working directory unless it is absolute. */
    static ValueType<Path> path() {
        return new ValueType<>("path", false, text -> {
            require(!text.isEmpty() && text.indexOf('\0') < 0, "is not a path");
            return Path.of(text).toAbsolutePath().normalize();
        });
    }

    static <E extends Enum<E>> ValueType<E> oneOf(Class<E> type) {
        String names = Arrays.stream(type.getEnumConstants())
                .map(ValueType::lower)
                .map(name -> "`" + name + "`")
                .collect(Collectors.joining(", "));
        return new ValueType<>("one of " + names, false, text -> {
            for (E constant : type.getEnumConstants()) {
                if (lower(constant).equals(text)) {
                    return constant;
                }
            }
            throw new IllegalArgumentException("is not one of " + names.replace("`", ""));
        });
    }

    static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
