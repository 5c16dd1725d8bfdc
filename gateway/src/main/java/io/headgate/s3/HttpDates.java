package io.headgate.s3;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The date formats of S3's headers and documents. */
public final class HttpDates {
    private static final String[] DAYS = {"Mon, ", "Tue, ", "Wed, ", "Thu, ", "Fri, ", "Sat, ", "Sun, "};
    private static final String[] MONTHS = {
        " Jan ", " Feb ", " Mar ", " Apr ", " May ", " Jun ", " Jul ", " Aug ", " Sep ", " Oct ", " Nov ", " Dec "
    };

    /** RFC 9110, section 5.6.7: one format to write, three to read; ISO 8601 because S3's clients send it in copy conditions. */
    private static final List<DateTimeFormatter> READABLE = List.of(
            DateTimeFormatter.RFC_1123_DATE_TIME,
            DateTimeFormatter.ofPattern("EEEE, dd-MMM-yy HH:mm:ss zzz", Locale.ROOT),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ROOT)
                    .withZone(ZoneOffset.UTC),
            DateTimeFormatter.ISO_DATE_TIME.withZone(ZoneOffset.UTC));

    private HttpDates() {}

    /** As in {@code Last-Modified}: {@code Sun, 06 Nov 1994 08:49:37 GMT}. */
    public static String http(Instant instant) {
        OffsetDateTime time = instant.atOffset(ZoneOffset.UTC);
        return DAYS[time.getDayOfWeek().getValue() - 1] + digits(time.getDayOfMonth(), 2)
                + MONTHS[time.getMonthValue() - 1] + digits(time.getYear(), 4) + " " + clock(time) + " GMT";
    }

    /** As in listings: {@code 1994-11-06T08:49:37.000Z}. */
    public static String iso(Instant instant) {
        OffsetDateTime time = instant.atOffset(ZoneOffset.UTC);
        return digits(time.getYear(), 4) + "-" + digits(time.getMonthValue(), 2) + "-"
                + digits(time.getDayOfMonth(), 2) + "T" + clock(time) + "." + digits(time.getNano() / 1_000_000, 3)
                + "Z";
    }

    // By hand, because a DateTimeFormatter takes as long for a date as the look-up of the version that bears it.

    private static String clock(OffsetDateTime time) {
        return digits(time.getHour(), 2) + ":" + digits(time.getMinute(), 2) + ":" + digits(time.getSecond(), 2);
    }

    private static String digits(int value, int count) {
        String digits = Integer.toString(value);
        return digits.length() < count ? "0".repeat(count - digits.length()) + digits : digits;
    }

    /** Empty if the text is not a date; a condition with such a date is ignored (RFC 9110, section 13.1.3). */
    public static Optional<Instant> parse(String text) {
        for (DateTimeFormatter format : READABLE) {
            try {
                return Optional.of(format.parse(text, Instant::from));
            } catch (DateTimeException notThisFormat) {
                // the next format may fit
            }
        }
        return Optional.empty();
    }
}
