package io.headgate.s3.auth;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * When a request was signed.
 *
 * @param text as it stands in the string to sign: {@code yyyyMMdd'T'HHmmss'Z'}
 */
record Timestamp(String text, Instant instant) {
    private static final DateTimeFormatter BASIC =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final int BASIC_LENGTH = 16;

    /** The day in UTC, {@code yyyyMMdd}. */
    String date() {
        return text.substring(0, 8);
    }

    /** Parses {@code yyyyMMdd'T'HHmmss'Z'}; {@code null} for anything else. */
    static @Nullable Timestamp parse(String text) {
        if (text.length() != BASIC_LENGTH || text.charAt(8) != 'T' || text.charAt(15) != 'Z') {
            return null;
        }
        int date = digits(text, 0, 8);
        int time = digits(text, 9, 15);
        if (date < 0 || time < 0) {
            return null;
        }
        try {
            LocalDateTime local = LocalDateTime.of(
                    date / 10_000, date / 100 % 100, date % 100, time / 10_000, time / 100 % 100, time % 100);
            return new Timestamp(text, local.toInstant(ZoneOffset.UTC));
        } catch (DateTimeException outOfRange) {
            return null;
        }
    }

    /** Like {@link #parse}, but takes HTTP's preferred date format too, as the Date header has it. */
    static @Nullable Timestamp parseHeader(String text) {
        Timestamp basic = parse(text);
        if (basic != null) {
            return basic;
        }
        try {
            Instant instant = DateTimeFormatter.RFC_1123_DATE_TIME.parse(text, Instant::from);
            String formatted = BASIC.format(instant);
            return formatted.length() == BASIC_LENGTH ? new Timestamp(formatted, instant) : null;
        } catch (DateTimeException notADate) {
            return null;
        }
    }

    private static int digits(String text, int begin, int end) {
        int value = 0;
        for (int i = begin; i < end; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = 10 * value + digit;
        }
        return value;
    }
}
