package io.headgate.work;

import java.time.Instant;
import java.util.Optional;

/**
 * What a worker is doing.
 *
 * @param since when it came into this state
 * @param turns how many turns have ended, failed ones included
 * @param failures how many of them failed
 * @param failuresInARow how many of the latest
 * @param lastError of the latest turn that failed
 */
public record WorkerStatus(
        String name,
        State state,
        Instant since,
        long turns,
        long failures,
        int failuresInARow,
        Optional<Failure> lastError) {

    /** What a worker may be doing. */
    public enum State {
        WORKING,
        /** Waiting, with nothing to do. */
        IDLE,
        /** Waiting, with something to do. */
        THROTTLED,
        /** Waiting, because its latest turn failed. */
        BACKING_OFF,
        CLOSED
    }

    /** What went wrong and when. */
    public record Failure(String message, Instant at) {}
}
