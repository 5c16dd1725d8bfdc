package io.headgate.app.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and durations as people write them. */
final class Units {
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,19}(?:\\.[0-9]{1,9})?) ?([A-Za-z]{0,3})");
    private static final Map<String, Long> SIZE_UNITS = Map.ofEntries(
            Map.entry("", 1L),
            Map.entry("B", 1L),
            Map.entry("kB", 1_000L),
            Map.entry("KB", 1_000L),
            Map.entry("MB", 1_000_000L),
            Map.entry("GB", 1_000_000_000L),
            Map.entry("TB", 1_000_000_000_000L),
            Map.entry("PB", 1_000_000_000_000_000L),
            Map.entry("KiB", 1L << 10),
            Map.entry("MiB", 1L << 20),
            Map.entry("GiB", 1L << 30),
            Map.entry("TiB", 1L << 40),
            Map.entry("PiB", 1L << 50),
            Map.entry("EB", 1_000_000_000_000_000_000L),
            Map.entry("EiB", 1L << 60));

    private static final Pattern DURATION = Pattern.compile(
            "(?:([0-9]{1,5})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,8})m)?(?:([0-9]{1,9})s)?(?:([0-9]{1,9})ms)?");
    private static final long[] MILLIS = {86_400_000, 3_600_000, 60_000, 1_000, 1};

    private Units() {}

    /**
     * Bytes: a number, decimals allowed, and a unit: none, {@code B}, {@code kB} to {@code EB} (powers of 1,000), {@code KiB} to
     * {@code EiB} (powers of 1,024).
     *
     * @throws IllegalArgumentException if it is anything else, or not a whole number of bytes, or above 2^63 - 1
     */
    static long bytes(String text) {
        Matcher matcher = SIZE.matcher(text);
        Long unit = matcher.matches() ? SIZE_UNITS.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("is not a size such as 65536, 64KiB, 7.5GB or 5PiB");
        }
        try {
            return new BigDecimal(matcher.group(1))
                    .multiply(BigDecimal.valueOf(unit))
                    .longValueExact();
        } catch (ArithmeticException inexact) {
            throw new IllegalArgumentException("is not a whole number of bytes below 8EiB", inexact);
        }
    }

    /**
     * A duration of one or more numbers with the units {@code d}, {@code h}, {@code m}, {@code s}, {@code ms}, the greatest first:
     * {@code 60s}, {@code 1h30m}.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (text.isEmpty() || !matcher.matches()) {
            throw new IllegalArgumentException("is not a duration such as 250ms, 60s, 5m, 1h30m or 7d");
        }
        long millis = 0;
        for (int i = 0; i < MILLIS.length; i++) {
            String number = matcher.group(i + 1);
            if (number != null) {
                millis += Long.parseLong(number) * MILLIS[i];
            }
        }
        return Duration.ofMillis(millis);
    }
}
