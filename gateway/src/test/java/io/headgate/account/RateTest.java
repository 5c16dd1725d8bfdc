package io.headgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RateTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final MovedClock clock = new MovedClock();
    private double ceiling = Double.POSITIVE_INFINITY;
    private final Rate rate = new Rate(clock, () -> ceiling);

    private long taken(int tries) {
        long taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += rate.tryTake(1, 1) ? 1 : 0;
        }
        return taken;
    }

    private void grant(double held, double target) {
        rate.grant(new Rate.Grant(held, target, 30, 100, clock.getAsLong() + SECOND));
    }

    @Test
    void without_a_limit_everything_passes() {
        assertThat(taken(10_000)).isEqualTo(10_000);
        assertThat(rate.sentPerSecond()).isEqualTo(10_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void in_no_second_more_passes_than_the_limit_however_writes_arrive(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ceiling = 80;
        List<Long> times = new ArrayList<>();
        long end = clock.getAsLong() + 60 * SECOND;
        while (end - clock.getAsLong() > 0) {
            if (rate.tryTake(1, 1)) {
                times.add(clock.getAsLong());
            }
            // Mostly close together, now and then nothing for up to two seconds.
            clock.move(Duration.ofNanos(random.nextInt(100) == 0 ? random.nextLong(2 * SECOND) : 500_000));
        }
        int first = 0;
        int most = 0;
        for (int last = 0; last < times.size(); last++) {
            while (times.get(last) - times.get(first) >= SECOND) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        assertThat(most).isEqualTo(80);
    }

    @Test
    void a_seconds_worth_comes_in_two_halves_at_the_soonest() {
        ceiling = 100;
        assertThat(taken(1000)).isEqualTo(50);
        clock.moveMillis(260);
        assertThat(taken(1000)).isEqualTo(50);
        clock.moveMillis(260);
        assertThat(taken(1000)).isZero();
        clock.moveMillis(500);
        assertThat(taken(1000)).isEqualTo(50);
    }

    @Test
    void a_steady_load_at_the_limit_passes_whole_and_makes_up_for_a_stall() {
        ceiling = 100;
        long passed = 0;
        for (int i = 0; i < 980; i++) {
            clock.moveMillis(10);
            passed += taken(1);
        }
        assertThat(passed).as("the second is taken for two hundredths longer").isGreaterThanOrEqualTo(955);
        clock.moveMillis(200);
        assertThat(taken(100)).as("what was not sent in the stall").isBetween(17L, 22L);
    }

    @Test
    void what_is_larger_than_the_limit_passes_when_nothing_else_was_sent() {
        ceiling = 10;
        assertThat(rate.tryTake(25, 1)).isTrue();
        assertThat(rate.tryTake(1, 1)).isFalse();
        clock.moveMillis(1030);
        assertThat(rate.tryTake(25, 1)).isTrue();
    }

    @Test
    void what_is_given_back_can_be_taken_again() {
        ceiling = 2;
        assertThat(rate.tryTake(1, 1)).isTrue();
        rate.giveBack(1);
        assertThat(rate.tryTake(1, 1)).isTrue();
    }

    @Test
    void a_grant_is_the_limit_and_one_to_come_down_from_is_left_at_once() {
        ceiling = 100;
        grant(60, 80);
        assertThat(rate.limitPerSecond()).isEqualTo(60);
        grant(60, 20);
        assertThat(rate.limitPerSecond()).isEqualTo(20);
    }

    @Test
    void when_the_ceiling_is_lowered_so_is_the_part_of_it() {
        ceiling = 50;
        grant(60, 60);
        assertThat(rate.limitPerSecond()).isEqualTo(30);
    }

    @Test
    void what_was_sent_within_the_last_second_is_kept_though_the_limit_is_less() {
        ceiling = 100;
        grant(100, 100);
        rate.add(40);
        grant(100, 10);
        assertThat(rate.keptPerSecond(0.8)).isEqualTo(50);
        clock.moveMillis(990);
        assertThat(rate.keptPerSecond(0.8)).isEqualTo(50);
        clock.moveMillis(30);
        grant(50, 10);
        assertThat(rate.keptPerSecond(0.8)).isEqualTo(10);
    }

    @Test
    void when_a_grant_is_not_renewed_its_holder_falls_back_to_its_fair_part_and_does_not_rise_to_it_at_once() {
        ceiling = 100;
        grant(60, 60);
        clock.moveMillis(999);
        assertThat(rate.limitPerSecond()).isEqualTo(60);
        clock.moveMillis(1);
        assertThat(rate.limitPerSecond()).isEqualTo(30);

        grant(5, 5);
        clock.moveMillis(1000);
        assertThat(rate.limitPerSecond()).isEqualTo(5);
        clock.move(Duration.ofSeconds(3));
        assertThat(rate.limitPerSecond()).isEqualTo(30);
    }

    @Test
    void before_its_first_grant_a_gateway_keeps_no_more_than_it_has_sent() {
        ceiling = 100;
        assertThat(rate.keptPerSecond(0.8)).isZero();
        rate.add(40);
        assertThat(rate.keptPerSecond(0.8)).isEqualTo(50);
    }

    @Test
    void demand_is_what_was_sent_and_what_passed_by() {
        ceiling = 10;
        rate.add(10);
        rate.missed(25);
        assertThat(rate.demandPerSecond()).isEqualTo(35);
        clock.moveMillis(1030);
        assertThat(rate.demandPerSecond()).isZero();
        assertThat(rate.missedTotal()).isEqualTo(25);
    }
}
