package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.work.WorkerStatus.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

final class WorkerLoopTest {
    private final MovedClock clock = new MovedClock();
    private final Deque<Callable<Turn>> script = new ArrayDeque<>();
    private final WorkerLoop loop = new WorkerLoop(
            new Worker() {
                @Override
                public String name() {
                    return "scripted";
                }

                @Override
                public Turn work() throws Exception {
                    return script.remove().call();
                }

                @Override
                public Duration maxBackoff() {
                    return Duration.ofSeconds(5);
                }
            },
            clock);

    @Test
    void a_busy_worker_does_not_wait() throws InterruptedException {
        script.add(() -> Turn.BUSY);

        assertThat(loop.turn()).isZero();
        assertThat(loop.status().state()).isEqualTo(State.WORKING);
        assertThat(loop.status().turns()).isEqualTo(1);
    }

    @Test
    void an_idle_and_a_throttled_worker_wait_as_they_asked() throws InterruptedException {
        script.add(() -> Turn.idle(Duration.ofSeconds(7)));
        script.add(() -> Turn.throttled(Duration.ofSeconds(3)));

        assertThat(loop.turn()).isEqualTo(Duration.ofSeconds(7));
        assertThat(loop.status().state()).isEqualTo(State.IDLE);
        assertThat(loop.turn()).isEqualTo(Duration.ofSeconds(3));
        assertThat(loop.status().state()).isEqualTo(State.THROTTLED);
    }

    @Test
    void failures_wait_twice_as_long_each_time_up_to_the_bound_until_a_turn_succeeds() throws InterruptedException {
        Instant start = clock.instant();
        for (int i = 0; i < 5; i++) {
            script.add(() -> {
                throw new IllegalStateException("the database is down");
            });
        }
        script.add(() -> Turn.BUSY);
        script.add(() -> {
            throw new OutOfMemoryError("a small one");
        });

        assertThat(loop.turn()).isEqualTo(Duration.ofSeconds(1));
        assertThat(loop.turn()).isEqualTo(Duration.ofSeconds(2));
        assertThat(loop.turn()).isEqualTo(Duration.ofSeconds(4));
        assertThat(loop.turn()).isEqualTo(Duration.ofSeconds(5));
        assertThat(loop.turn()).isEqualTo(Duration.ofSeconds(5));
        assertThat(loop.status().state()).isEqualTo(State.BACKING_OFF);
        assertThat(loop.status().failuresInARow()).isEqualTo(5);
        assertThat(loop.status().lastError())
                .hasValue(new WorkerStatus.Failure("java.lang.IllegalStateException: the database is down", start));

        clock.move(Duration.ofSeconds(17));
        assertThat(loop.turn()).isZero();
        assertThat(loop.status().failuresInARow()).isZero();
        assertThat(loop.status().failures()).isEqualTo(5);

        assertThat(loop.turn())
                .as("an Error, and the first failure in a row again")
                .isEqualTo(Duration.ofSeconds(1));
        assertThat(loop.status().lastError().orElseThrow().at()).isEqualTo(start.plusSeconds(17));
    }
}
