package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.headgate.work.WorkerStatus.State;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class WorkersTest {
    private final MovedClock clock = new MovedClock();

    @Test
    void a_worker_that_waits_for_hours_is_stopped_at_once() {
        AtomicInteger turns = new AtomicInteger();
        Worker patient = worker("patient", () -> {
            turns.incrementAndGet();
            return Turn.idle(Duration.ofHours(5));
        });

        Workers workers = new Workers(clock);
        workers.start(List.of(patient));
        await().until(() -> workers.status().getFirst().state() == State.IDLE);
        workers.close();

        assertThat(workers.status().getFirst().state()).isEqualTo(State.CLOSED);
        assertThat(turns).hasValue(1);
    }

    @Test
    void a_worker_that_hangs_holds_up_neither_the_others_nor_the_stop() {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger turns = new AtomicInteger();
        Worker stuck = worker("stuck", () -> {
            never.await();
            return Turn.BUSY;
        });
        Worker lively = worker("lively", () -> {
            turns.incrementAndGet();
            return Turn.idle(Duration.ofMillis(1));
        });

        Workers workers = new Workers(clock);
        workers.start(List.of(stuck, lively));
        await().until(() -> turns.get() > 5);
        workers.close();

        assertThat(workers.status()).extracting(WorkerStatus::state).containsOnly(State.CLOSED);
    }

    @Test
    void a_worker_that_fails_is_seen_to_and_does_not_stop_the_others() {
        AtomicInteger turns = new AtomicInteger();
        Worker broken = worker("broken", () -> {
            throw new IllegalStateException("no database");
        });
        Worker lively = worker("lively", () -> {
            turns.incrementAndGet();
            return Turn.idle(Duration.ofMillis(1));
        });

        Workers workers = new Workers(clock);
        workers.start(List.of(broken, lively));
        await().until(() -> workers.status().getFirst().state() == State.BACKING_OFF && turns.get() > 2);

        assertThat(workers.status().getFirst().failures()).isEqualTo(1);
        assertThatCode(workers::close).doesNotThrowAnyException();
    }

    private interface Body {
        Turn work() throws Exception;
    }

    private static Worker worker(String name, Body body) {
        return new Worker() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Turn work() throws Exception {
                return body.work();
            }
        };
    }
}
