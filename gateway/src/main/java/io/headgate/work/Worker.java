package io.headgate.work;

import java.time.Duration;

/** A job that is never done. Its turns are called one after the other, so it may keep state between them without locking. */
public interface Worker {
    /** Unique among the workers, for logs and metrics: the job, and the account in brackets if it has one of its own. */
    String name();

    /**
     * Does a bounded piece of the job. Whatever it throws is logged and counted, and the next turn waits longer with each failure in a
     * row; so it must leave its state such that the next turn can go on.
     */
    Turn work() throws Exception;

    /** The longest wait after failures. */
    default Duration maxBackoff() {
        return Duration.ofMinutes(1);
    }
}
