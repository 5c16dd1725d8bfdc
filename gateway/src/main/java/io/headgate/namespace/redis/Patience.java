package io.headgate.namespace.redis;

import java.time.Duration;

/**
 * With what fails for a while. What has failed for so long that it is not expected to come back soon is given up: then one caller after the
 * other finds out whether it is back, and the rest do not wait for it. Thread-safe.
 */
final class Patience {
    private static final long PROBE_NANOS = Duration.ofMillis(500).toNanos();

    private final long patienceNanos;
    private boolean failing;
    private long failingSinceNanos;
    private long probedNanos;

    /** @param patience how long it may fail before it is given up */
    Patience(Duration patience) {
        patienceNanos = patience.toNanos();
    }

    synchronized void succeeded() {
        failing = false;
    }

    synchronized void failed() {
        if (!failing) {
            failing = true;
            failingSinceNanos = System.nanoTime();
        }
    }

    synchronized boolean isGivenUp() {
        return failing && System.nanoTime() - failingSinceNanos >= patienceNanos;
    }

    /** Whether the caller may try; otherwise it is given up, and another is trying. */
    synchronized boolean mayTry() {
        if (!isGivenUp()) {
            return true;
        }
        long now = System.nanoTime();
        if (now - probedNanos < PROBE_NANOS) {
            return false;
        }
        probedNanos = now;
        return true;
    }
}
