package io.headgate.s3;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The date formats of S3's headers and documents. */
public final class HttpDates {
    private static final DateTimeFormatter HTTP = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter ISO = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

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
        return HTTP.format(instant);
    }

    /** As in listings: {@code 1994-11-06T08:49:37.000Z}. */
    public static String iso(Instant instant) {
        return ISO.format(instant);
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
