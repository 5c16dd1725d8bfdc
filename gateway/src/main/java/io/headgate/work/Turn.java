package io.headgate.work;

import java.time.Duration;

/** How a worker's turn ended, and so when its next one begins. */
public sealed interface Turn {
    /** There is more to do at once. */
    record Busy() implements Turn {}

    /** There is nothing to do for so long. */
    record Idle(Duration pause) implements Turn {}

    /** There is more to do, but not now: the worker holds back to keep to its rate, or waits for an account to recover. */
    record Throttled(Duration pause) implements Turn {}

    Turn BUSY = new Busy();

    static Turn idle(Duration wait) {
        return new Idle(wait);
    }

    static Turn throttled(Duration wait) {
        return new Throttled(wait);
    }
}
