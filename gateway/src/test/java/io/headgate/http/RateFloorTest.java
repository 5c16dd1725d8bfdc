package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a client is too slow. */
final class RateFloorTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final RateFloor floor = new RateFloor(100, 10 * SECOND);

    @Test
    void a_client_is_not_judged_before_the_span_is_over() {
        assertThat(floor.waited(10 * SECOND - 1, 0)).isFalse();
        assertThat(floor.nanosToVerdict()).isEqualTo(1);
    }

    @Test
    void a_client_that_moved_less_than_the_rate_over_a_span_is_too_slow() {
        floor.moved(999);
        assertThat(floor.waited(10 * SECOND, 0)).isTrue();
    }

    @Test
    void a_client_that_moved_as_much_as_the_rate_is_not_too_slow() {
        floor.moved(1000);
        assertThat(floor.waited(10 * SECOND, 0)).isFalse();
    }

    @Test
    void what_was_moved_fast_earlier_does_not_excuse_a_later_span() {
        floor.moved(1_000_000_000);
        assertThat(floor.waited(10 * SECOND, 0)).isFalse();
        assertThat(floor.waited(5 * SECOND, 0)).isFalse();
        assertThat(floor.waited(5 * SECOND, 0)).isTrue();
    }

    @Test
    void bytes_under_way_count_once() {
        assertThat(floor.waited(10 * SECOND, 1000)).isFalse();
        floor.moved(1000);
        assertThat(floor.waited(10 * SECOND, 0)).isTrue();
    }

    @Test
    void without_a_rate_nobody_is_too_slow() {
        RateFloor none = new RateFloor(0, SECOND);
        assertThat(none.waited(1000 * SECOND, 0)).isFalse();
        assertThat(none.nanosToVerdict()).isEqualTo(Long.MAX_VALUE);
    }
}
