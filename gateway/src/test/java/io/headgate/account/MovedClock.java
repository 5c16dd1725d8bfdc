package io.headgate.account;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A nanosecond clock that stands until it is moved. It begins shortly before it overflows, as the system's may. */
final class MovedClock implements LongSupplier {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000_000);

    @Override
    public long getAsLong() {
        return nanos.get();
    }

    void move(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    void moveMillis(long millis) {
        move(Duration.ofMillis(millis));
    }
}
