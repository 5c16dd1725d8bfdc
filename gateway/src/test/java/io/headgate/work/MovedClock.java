package io.headgate.work;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands until it is moved. */
public final class MovedClock implements InstantSource {
    private volatile Instant now = Instant.parse("2026-03-01T12:00:00.700Z");
    private volatile long nanos = 1_000_000_000_000L;

    @Override
    public Instant instant() {
        return now;
    }

    public long nanoTime() {
        return nanos;
    }

    public synchronized void move(Duration by) {
        now = now.plus(by);
        nanos += by.toNanos();
    }
}
