package io.headgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.account.CircuitBreaker.ErrorRate;
import io.headgate.account.CircuitBreaker.Permit;
import io.headgate.account.CircuitBreaker.Settings;
import io.headgate.account.CircuitBreaker.Status;
import io.headgate.placement.AccountState.Admission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

final class CircuitBreakerTest {
    private final MovedClock clock = new MovedClock();
    private final List<String> changes = Collections.synchronizedList(new ArrayList<>());
    private final CircuitBreaker breaker = breaker(Settings.DEFAULT);

    private CircuitBreaker breaker(Settings settings) {
        return new CircuitBreaker(settings, clock, (from, to) -> changes.add(from + ">" + to));
    }

    private Permit permit() {
        return breaker.tryAcquire().orElseThrow();
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            permit().failed();
        }
    }

    @Test
    void two_failures_leave_it_closed_and_the_third_opens_it() {
        fail(2);
        assertThat(breaker.status()).isEqualTo(Status.CLOSED);
        fail(1);
        assertThat(breaker.status()).isEqualTo(Status.OPEN);
        assertThat(breaker.admission()).isEqualTo(Admission.OPEN);
        assertThat(breaker.tryAcquire()).isEmpty();
        assertThat(changes).containsExactly("CLOSED>OPEN");
    }

    @Test
    void it_tells_for_how_long_it_has_not_been_closed_whatever_probes_were_made() {
        assertThat(breaker.openFor()).isEmpty();
        fail(3);
        clock.moveMillis(400_000);
        fail(1);
        clock.moveMillis(400_000);
        Permit probe = permit();
        assertThat(breaker.openFor()).contains(Duration.ofMillis(800_000));
        probe.released();
        assertThat(breaker.openFor()).contains(Duration.ofMillis(800_000));
        permit().succeeded();
        assertThat(breaker.openFor()).isEmpty();
    }

    @Test
    void three_failures_spread_over_more_than_the_window_leave_it_closed() {
        for (int i = 0; i < 20; i++) {
            fail(1);
            clock.moveMillis(30_001);
        }
        assertThat(breaker.status()).isEqualTo(Status.CLOSED);
    }

    @Test
    void three_failures_within_the_window_open_it_after_any_number_of_earlier_ones() {
        for (int earlier = 0; earlier < 7; earlier++) {
            fail(1);
            clock.moveMillis(61_000);
        }
        fail(1);
        clock.moveMillis(30_000);
        fail(1);
        clock.moveMillis(30_000);
        assertThat(breaker.status()).isEqualTo(Status.CLOSED);
        fail(1);
        assertThat(breaker.status()).isEqualTo(Status.OPEN);
    }

    @Test
    void successes_and_outcomes_that_say_nothing_do_not_count() {
        for (int i = 0; i < 100; i++) {
            permit().succeeded();
            permit().released();
        }
        fail(2);
        permit().succeeded();
        assertThat(breaker.status()).isEqualTo(Status.CLOSED);
        fail(1);
        assertThat(breaker.status()).isEqualTo(Status.OPEN);
    }

    @Test
    void it_stays_open_for_its_period_and_then_admits_one_probe() {
        fail(3);
        clock.move(Duration.ofMinutes(5).minusNanos(1));
        assertThat(breaker.tryAcquire()).isEmpty();
        clock.move(Duration.ofNanos(1));
        assertThat(breaker.status()).isEqualTo(Status.HALF_OPEN);
        assertThat(breaker.admission()).isEqualTo(Admission.PROBE_DUE);
        assertThat(breaker.tryAcquire()).isPresent();
        assertThat(breaker.admission()).isEqualTo(Admission.OPEN);
        assertThat(breaker.tryAcquire()).isEmpty();
        assertThat(changes).containsExactly("CLOSED>OPEN", "OPEN>HALF_OPEN");
    }

    @Test
    void a_probe_that_succeeds_closes_it_with_a_clean_slate() {
        fail(3);
        clock.move(Duration.ofMinutes(5));
        permit().succeeded();
        assertThat(breaker.status()).isEqualTo(Status.CLOSED);
        assertThat(breaker.tryAcquire()).isPresent();
        assertThat(breaker.tryAcquire()).as("not a single probe").isPresent();
        fail(2);
        assertThat(breaker.status()).isEqualTo(Status.CLOSED);
        assertThat(changes).containsExactly("CLOSED>OPEN", "OPEN>HALF_OPEN", "HALF_OPEN>CLOSED");
    }

    @Test
    void a_probe_that_fails_opens_it_for_another_period() {
        fail(3);
        clock.move(Duration.ofMinutes(5));
        fail(1);
        assertThat(breaker.status()).isEqualTo(Status.OPEN);
        clock.move(Duration.ofMinutes(5).minusNanos(1));
        assertThat(breaker.tryAcquire()).isEmpty();
        clock.move(Duration.ofNanos(1));
        assertThat(breaker.admission()).isEqualTo(Admission.PROBE_DUE);
        assertThat(breaker.tryAcquire()).isPresent();
        assertThat(changes).containsExactly("CLOSED>OPEN", "OPEN>HALF_OPEN", "HALF_OPEN>OPEN", "OPEN>HALF_OPEN");
    }

    @Test
    void a_probe_whose_outcome_says_nothing_makes_way_for_the_next() {
        fail(3);
        clock.move(Duration.ofMinutes(5));
        permit().released();
        assertThat(breaker.admission()).isEqualTo(Admission.PROBE_DUE);
        permit().succeeded();
        assertThat(breaker.status()).isEqualTo(Status.CLOSED);
    }

    @Test
    void a_probe_that_never_reports_is_given_up_and_its_late_result_changes_nothing() {
        fail(3);
        clock.move(Duration.ofMinutes(5));
        Permit lost = permit();
        clock.move(Duration.ofSeconds(60).minusNanos(1));
        assertThat(breaker.tryAcquire()).isEmpty();
        clock.move(Duration.ofNanos(1));
        assertThat(breaker.admission()).isEqualTo(Admission.PROBE_DUE);
        Permit second = permit();
        lost.succeeded();
        lost.failed();
        lost.released();
        assertThat(breaker.status()).isEqualTo(Status.HALF_OPEN);
        assertThat(breaker.tryAcquire()).isEmpty();
        second.succeeded();
        assertThat(breaker.status()).isEqualTo(Status.CLOSED);
    }

    @Test
    void late_results_from_before_it_opened_change_nothing() {
        List<Permit> slow = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            slow.add(permit());
        }
        fail(3);
        slow.get(0).succeeded();
        slow.get(1).failed();
        assertThat(breaker.status()).isEqualTo(Status.OPEN);
        clock.move(Duration.ofMinutes(5));
        Permit probe = permit();
        slow.get(2).succeeded();
        slow.get(3).failed();
        assertThat(breaker.status()).isEqualTo(Status.HALF_OPEN);
        probe.succeeded();
        slow.subList(4, 10).forEach(Permit::failed);
        assertThat(breaker.status()).isEqualTo(Status.CLOSED);
        fail(2);
        assertThat(breaker.status()).isEqualTo(Status.CLOSED);
    }

    @Test
    void calls_that_must_not_probe_pass_a_closed_breaker_only() {
        assertThat(breaker.tryAcquireClosed()).isPresent();
        fail(3);
        assertThat(breaker.tryAcquireClosed()).isEmpty();
        clock.move(Duration.ofMinutes(5));
        assertThat(breaker.tryAcquireClosed()).isEmpty();
        permit().succeeded();
        assertThat(breaker.tryAcquireClosed()).isPresent();
    }

    @Test
    void of_many_callers_at_once_one_gets_the_probe() throws Exception {
        for (int round = 0; round < 200; round++) {
            fail(3);
            clock.move(Duration.ofMinutes(5));
            List<Future<Boolean>> tries = new ArrayList<>();
            try (ExecutorService callers = Executors.newFixedThreadPool(8)) {
                for (int i = 0; i < 8; i++) {
                    tries.add(callers.submit(() -> breaker.tryAcquire().isPresent()));
                }
            }
            int granted = 0;
            for (Future<Boolean> granting : tries) {
                granted += granting.get() ? 1 : 0;
            }
            assertThat(granted).isEqualTo(1);
            clock.move(Duration.ofSeconds(60));
            permit().succeeded();
        }
    }

    @Test
    void failures_at_once_open_it_once() throws Exception {
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            permits.add(permit());
        }
        try (ExecutorService callers = Executors.newFixedThreadPool(8)) {
            permits.forEach(permit -> callers.execute(permit::failed));
        }
        assertThat(breaker.status()).isEqualTo(Status.OPEN);
        assertThat(changes).containsExactly("CLOSED>OPEN");
    }

    @Test
    void with_an_error_rate_a_few_failures_among_many_calls_leave_it_closed() {
        CircuitBreaker tolerant = breaker(new Settings(
                3, Duration.ofSeconds(60), Duration.ofMinutes(5), Duration.ofSeconds(60), new ErrorRate(20, 0.5)));
        for (int i = 0; i < 97; i++) {
            tolerant.tryAcquire().orElseThrow().succeeded();
        }
        for (int i = 0; i < 96; i++) {
            tolerant.tryAcquire().orElseThrow().failed();
        }
        assertThat(tolerant.status()).isEqualTo(Status.CLOSED);
        tolerant.tryAcquire().orElseThrow().failed();
        assertThat(tolerant.status()).isEqualTo(Status.OPEN);
    }

    @Test
    void with_an_error_rate_and_few_calls_the_number_of_failures_decides() {
        CircuitBreaker tolerant = breaker(new Settings(
                3, Duration.ofSeconds(60), Duration.ofMinutes(5), Duration.ofSeconds(60), new ErrorRate(20, 0.9)));
        for (int i = 0; i < 10; i++) {
            tolerant.tryAcquire().orElseThrow().succeeded();
        }
        for (int i = 0; i < 3; i++) {
            tolerant.tryAcquire().orElseThrow().failed();
        }
        assertThat(tolerant.status()).isEqualTo(Status.OPEN);
    }

    @Test
    void the_error_rate_forgets_calls_that_left_the_window() {
        CircuitBreaker tolerant = breaker(new Settings(
                3, Duration.ofSeconds(60), Duration.ofMinutes(5), Duration.ofSeconds(60), new ErrorRate(5, 0.5)));
        for (int i = 0; i < 1000; i++) {
            tolerant.tryAcquire().orElseThrow().succeeded();
        }
        clock.move(Duration.ofSeconds(61));
        for (int i = 0; i < 3; i++) {
            tolerant.tryAcquire().orElseThrow().failed();
        }
        assertThat(tolerant.status()).isEqualTo(Status.OPEN);
    }
}
