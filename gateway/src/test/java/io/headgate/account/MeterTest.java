package io.headgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

final class MeterTest {
    private final MovedClock clock = new MovedClock();
    private final Meter meter = new Meter(clock);

    @Test
    void a_rate_is_the_mean_of_the_last_five_seconds() {
        for (int second = 0; second < 20; second++) {
            for (int i = 0; i < 100; i++) {
                meter.request();
                clock.moveMillis(10);
            }
        }
        assertThat(meter.requestsPerSecond()).isEqualTo(100);
        clock.moveMillis(2500);
        assertThat(meter.requestsPerSecond()).isEqualTo(50);
        clock.moveMillis(2500);
        assertThat(meter.requestsPerSecond()).isZero();
        assertThat(meter.requestsTotal()).isEqualTo(2000);
    }

    @Test
    void a_rate_comes_back_after_a_long_silence() {
        for (int pause = 0; pause < 40; pause++) {
            meter.in(1000);
            clock.moveMillis(250);
            assertThat(meter.ingressBytesPerSecond()).isEqualTo(200);
            clock.move(Duration.ofMinutes(pause));
            clock.move(Duration.ofSeconds(6));
        }
        assertThat(meter.egressBytesPerSecond()).isZero();
    }

    @Test
    void counting_from_many_threads_loses_nothing() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int t = 0; t < 4; t++) {
                threads.submit(() -> {
                    for (int i = 0; i < 50_000; i++) {
                        meter.out(2);
                        if (i % 100 == 0) {
                            clock.moveMillis(1);
                        }
                    }
                });
            }
        }
        assertThat(meter.bytesOutTotal()).isEqualTo(400_000);
        clock.moveMillis(250);
        assertThat(meter.egressBytesPerSecond()).isEqualTo(80_000);
    }

    @Test
    void bytes_are_used_until_they_are_gone() {
        meter.setUsage(700, 350, 0);
        assertThat(meter.heldBytes()).isEqualTo(700);
        assertThat(meter.garbageBytes()).isEqualTo(350);
        assertThat(meter.usedBytes()).isEqualTo(1050);
        meter.garbageDeleted(350);
        meter.abandoned(7);
        assertThat(meter.usedBytes()).isEqualTo(707);
        meter.setUsage(10, 20, 0);
        assertThat(meter.usedBytes()).isEqualTo(30);
    }

    @Test
    void a_write_that_commits_while_the_namespace_is_asked_for_the_usage_is_not_missed() {
        assertThat(meter.tryReserve(100, 1000)).isTrue();
        meter.commit(100);
        long before = meter.committedBytesTotal();
        assertThat(meter.tryReserve(40, 1000)).isTrue();
        meter.commit(40);
        meter.setUsage(100, 0, before);
        assertThat(meter.heldBytes()).isEqualTo(140);
        assertThat(meter.usedBytes()).isEqualTo(140);
        assertThat(meter.reservedBytes()).isZero();
    }

    @Test
    void the_ceiling_is_cut_once_a_second_and_never_to_nothing() {
        AdaptiveCeiling ceiling = new AdaptiveCeiling(1000);
        assertThat(ceiling.perSecond(clock.getAsLong())).isEqualTo(1000);
        ceiling.throttled(500, 1, clock.getAsLong());
        ceiling.throttled(500, 1, clock.getAsLong());
        assertThat(ceiling.perSecond(clock.getAsLong())).isEqualTo(350);
        for (int i = 0; i < 100; i++) {
            clock.moveMillis(1000);
            ceiling.throttled(0, 1, clock.getAsLong());
        }
        assertThat(ceiling.perSecond(clock.getAsLong())).isEqualTo(10);
        clock.move(Duration.ofHours(10));
        assertThat(ceiling.perSecond(clock.getAsLong())).isEqualTo(1000);
    }

    @Test
    void an_account_that_throttles_few_requests_is_cut_by_little_and_by_much_if_it_goes_on() {
        AdaptiveCeiling ceiling = new AdaptiveCeiling(1000);
        ceiling.throttled(1010, 0.01, clock.getAsLong());
        assertThat(ceiling.perSecond(clock.getAsLong())).isEqualTo(970);
        clock.moveMillis(2000);
        assertThat(ceiling.perSecond(clock.getAsLong())).isEqualTo(1000);
        ceiling.throttled(1000, 0.5, clock.getAsLong());
        assertThat(ceiling.perSecond(clock.getAsLong())).isEqualTo(700);
    }
}
