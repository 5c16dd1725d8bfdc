package io.headgate.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class HttpDatesTest {
    private static final Instant LAST_OF_YEAR_9999 = Instant.parse("9999-12-31T23:59:59.999Z");

    @Test
    void dates_are_written_as_the_formatters_of_the_jdk_would_write_them() {
        DateTimeFormatter http = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
                .withZone(ZoneOffset.UTC);
        DateTimeFormatter iso = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
                .withZone(ZoneOffset.UTC);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 10_000; i++) {
            Instant instant = Instant.ofEpochMilli(random.nextLong(LAST_OF_YEAR_9999.toEpochMilli() + 1));
            assertThat(HttpDates.http(instant)).isEqualTo(http.format(instant));
            assertThat(HttpDates.iso(instant)).isEqualTo(iso.format(instant));
        }
    }

    @Test
    void a_date_that_was_written_reads_as_the_same_second() {
        Instant instant = Instant.parse("1994-11-06T08:49:37Z");
        assertThat(HttpDates.http(instant)).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
        assertThat(HttpDates.parse("Sun, 06 Nov 1994 08:49:37 GMT")).isEqualTo(Optional.of(instant));
        assertThat(HttpDates.iso(instant.plusMillis(5))).isEqualTo("1994-11-06T08:49:37.005Z");
    }
}
