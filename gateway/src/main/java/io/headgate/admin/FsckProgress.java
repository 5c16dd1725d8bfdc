package io.headgate.admin;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Of many lines that tell how far a check is, one now and then: a check that is short tells none. For one thread. */
public final class FsckProgress implements Consumer<String> {
    static final Duration INTERVAL = Duration.ofSeconds(5);

    private final LongSupplier nanoClock;
    private final Consumer<String> out;
    private long toldAtNanos;

    /** @param nanoClock as {@link System#nanoTime} */
    public FsckProgress(LongSupplier nanoClock, Consumer<String> out) {
        this.nanoClock = nanoClock;
        this.out = out;
        this.toldAtNanos = nanoClock.getAsLong();
    }

    @Override
    public void accept(String line) {
        long now = nanoClock.getAsLong();
        if (now - toldAtNanos >= INTERVAL.toNanos()) {
            toldAtNanos = now;
            out.accept(line);
        }
    }
}
