package io.headgate.work;

import io.headgate.work.WorkerStatus.State;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The turns of one worker and what came of them. Turned by one thread; the status may be read by any. */
final class WorkerLoop {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerLoop.class);
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);

    private final Worker worker;
    private final InstantSource clock;
    private volatile WorkerStatus status;

    WorkerLoop(Worker worker, InstantSource clock) {
        this.worker = worker;
        this.clock = clock;
        this.status = new WorkerStatus(worker.name(), State.WORKING, clock.instant(), 0, 0, 0, Optional.empty());
    }

    WorkerStatus status() {
        return status;
    }

    /**
     * Takes one turn.
     *
     * @return how long to wait before the next
     */
    Duration turn() throws InterruptedException {
        WorkerStatus before = status;
        if (before.state() != State.WORKING) {
            enter(State.WORKING, before.turns(), before.failures(), before.failuresInARow(), before.lastError());
        }
        try {
            Turn turn = worker.work();
            if (before.failuresInARow() > 0) {
                LOG.info("worker {} works again after {} failures", worker.name(), before.failuresInARow());
            }
            return switch (turn) {
                case Turn.Busy _ -> ended(State.WORKING, Duration.ZERO);
                case Turn.Idle(Duration wait) -> ended(State.IDLE, wait);
                case Turn.Throttled(Duration wait) -> ended(State.THROTTLED, wait);
            };
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Throwable failure) {
            // Even an Error must not end the job for the rest of the process's life.
            return failed(failure);
        }
    }

    void closed() {
        WorkerStatus last = status;
        enter(State.CLOSED, last.turns(), last.failures(), last.failuresInARow(), last.lastError());
    }

    private Duration ended(State state, Duration wait) {
        WorkerStatus last = status;
        enter(state, last.turns() + 1, last.failures(), 0, last.lastError());
        return wait;
    }

    private Duration failed(Throwable failure) {
        WorkerStatus last = status;
        int inARow = last.failuresInARow() + 1;
        Duration wait = backoff(FIRST_BACKOFF, inARow, worker.maxBackoff());
        if (inARow == 1) {
            LOG.warn("worker {} failed; next turn in {}", worker.name(), wait, failure);
        } else {
            LOG.warn(
                    "worker {} failed {} times in a row; next turn in {}: {}",
                    worker.name(),
                    inARow,
                    wait,
                    failure.toString());
        }
        enter(
                State.BACKING_OFF,
                last.turns() + 1,
                last.failures() + 1,
                inARow,
                Optional.of(new WorkerStatus.Failure(failure.toString(), clock.instant())));
        return wait;
    }

    private void enter(State state, long turns, long failures, int inARow, Optional<WorkerStatus.Failure> lastError) {
        WorkerStatus last = status;
        Instant since = state == last.state() ? last.since() : clock.instant();
        status = new WorkerStatus(worker.name(), state, since, turns, failures, inARow, lastError);
    }

    /** {@code first} doubled with each failure in a row after the first, at most {@code longest}. */
    static Duration backoff(Duration first, int failuresInARow, Duration longest) {
        Duration wait = first.multipliedBy(1L << Math.clamp(failuresInARow - 1, 0, 20));
        return wait.compareTo(longest) < 0 ? wait : longest;
    }
}
