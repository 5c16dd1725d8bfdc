package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.benchmarks.Sample.Operation;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private static final Duration PATIENCE = Duration.ofMillis(500);

    @Test
    void a_percentile_is_the_least_value_that_the_share_does_not_exceed() {
        long[] oneToHundred = LongStream.rangeClosed(1, 100).toArray();
        assertThat(Summary.percentile(oneToHundred, 0.50)).isEqualTo(50);
        assertThat(Summary.percentile(oneToHundred, 0.99)).isEqualTo(99);
        assertThat(Summary.percentile(oneToHundred, 1)).isEqualTo(100);
        assertThat(Summary.percentile(new long[] {1, 2, 3}, 0.50)).isEqualTo(2);
        assertThat(Summary.percentile(new long[] {1, 2, 3}, 0.99)).isEqualTo(3);
        assertThat(Summary.percentile(new long[] {7}, 0.01)).isEqualTo(7);
        assertThat(Summary.percentile(new long[0], 0.99)).isZero();
    }

    @Test
    void every_whole_percent_of_a_hundred_values_is_its_own_value() {
        long[] oneToHundred = LongStream.rangeClosed(1, 100).toArray();
        for (int percent = 1; percent <= 100; percent++) {
            assertThat(Summary.percentile(oneToHundred, percent / 100.0)).isEqualTo(percent);
        }
    }

    @Test
    void a_share_of_nothing_or_of_more_than_all_is_refused() {
        assertThatThrownBy(() -> Summary.percentile(new long[] {1}, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Summary.percentile(new long[] {1}, 1.01)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_median_does_not_need_an_order() {
        long[] values = {9, 1, 5};
        assertThat(Summary.median(values)).isEqualTo(5);
        assertThat(values).containsExactly(9, 1, 5);
    }

    @Test
    void an_answer_is_in_time_to_the_last_nanosecond_of_the_patience_and_only_if_it_is_good() {
        Summary summary = Summary.of(
                List.of(
                        put(0, PATIENCE.toNanos(), true),
                        put(0, PATIENCE.toNanos() + 1, true),
                        put(0, 1, false),
                        put(0, 2, true)),
                PATIENCE);
        assertThat(summary).isEqualTo(new Summary(4, 3, 2, 2, PATIENCE.toNanos() + 1, PATIENCE.toNanos() + 1));
        assertThat(summary.inTimeRatio()).isEqualTo(0.5);
    }

    @Test
    void a_request_counts_in_the_second_in_which_it_was_to_be_sent() {
        List<Summary> seconds = Summary.perSecond(
                List.of(
                        put(999_999_999, 5_000_000_000L, true),
                        put(1_000_000_000, 1, true),
                        put(1_999_999_999, 3, true),
                        new Sample(Operation.GET, 0, 1, true)),
                Operation.PUT,
                3,
                PATIENCE);
        assertThat(seconds).extracting(Summary::sent).containsExactly(1, 2, 0);
        assertThat(seconds).extracting(Summary::inTime).containsExactly(0, 2, 0);
        assertThat(seconds).extracting(Summary::p99Nanos).containsExactly(5_000_000_000L, 3L, 0L);
        assertThat(seconds.get(2).inTimeRatio()).isEqualTo(1);
    }

    private static Sample put(long intendedNanos, long latencyNanos, boolean succeeded) {
        return new Sample(Operation.PUT, intendedNanos, latencyNanos, succeeded);
    }
}
