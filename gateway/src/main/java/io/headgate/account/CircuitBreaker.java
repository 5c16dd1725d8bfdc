package io.headgate.account;

import io.headgate.placement.AccountState.Admission;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps calls away from an account that fails. Closed, it counts failures; so many within a window open it for a period; after that
 * it is half open and lets one call pass as a probe, whose success closes it and whose failure opens it again.
 *
 * <p>Each state is an object of its own and replaced only by compare-and-set from the very object on which the decision was made, so
 * the late result of a call from an earlier state changes nothing. Thread-safe; a call in the closed state takes no lock.
 */
public final class CircuitBreaker {
    /** The kinds of states. */
    public enum Status {
        CLOSED,
        OPEN,
        /** Open for its whole period, and waiting for a probe, or for the outcome of one. */
        HALF_OPEN
    }

    /**
     * When the breaker opens and for how long.
     *
     * @param failures how many failures within {@code window} open it, 1 to 1,000
     * @param open how long it stays open
     * @param probeTimeout after which a probe that has not reported is given up and another may pass
     * @param errorRate a further condition, or {@code null}: at high rates a few failures are noise
     */
    public record Settings(
            int failures,
            Duration window,
            Duration open,
            Duration probeTimeout,
            @Nullable ErrorRate errorRate) {
        /** Three failures within 60 s open it for five minutes. */
        public static final Settings DEFAULT =
                new Settings(3, Duration.ofSeconds(60), Duration.ofMinutes(5), Duration.ofSeconds(60), null);

        public Settings {
            if (failures < 1 || failures > 1000) {
                throw new IllegalArgumentException("failures " + failures + ", must be 1 to 1000");
            }
            if (!window.isPositive() || !open.isPositive() || !probeTimeout.isPositive()) {
                throw new IllegalArgumentException("a duration must be positive");
            }
        }
    }

    /**
     * Once {@code minCalls} calls (at least 1) were made within the window, only failures that are at least {@code ratio} (above 0, up
     * to 1) of them open the breaker; below that many calls the number of failures decides alone.
     */
    public record ErrorRate(int minCalls, double ratio) {
        public ErrorRate {
            if (minCalls < 1 || !(ratio > 0 && ratio <= 1)) {
                throw new IllegalArgumentException("min calls " + minCalls + ", ratio " + ratio);
            }
        }
    }

    private sealed interface State {
        record Closed(FailureWindow counts) implements State {}

        /** Identity matters, not value: compared by {@code ==} only. */
        record Open(long untilNanos, long sinceNanos) implements State {}

        record HalfOpen(long probeExpiresNanos, long sinceNanos) implements State {}
    }

    /** Leave for one call, to be answered with exactly one of its methods; later answers are ignored. */
    public final class Permit {
        private final State grantedIn;

        private Permit(State grantedIn) {
            this.grantedIn = grantedIn;
        }

        /** The account did what it was asked, or gave an answer that shows that it works. */
        public void succeeded() {
            CircuitBreaker.this.succeeded(grantedIn);
        }

        /** The account is at fault. */
        public void failed() {
            CircuitBreaker.this.failed(grantedIn);
        }

        /** The outcome says nothing about the account. A probe that ends so makes way for the next at once. */
        public void released() {
            CircuitBreaker.this.released(grantedIn);
        }
    }

    private final Settings settings;
    private final LongSupplier nanoClock;
    private final BiConsumer<Status, Status> listener;
    private final AtomicReference<State> state;

    /**
     * @param nanoClock as {@link System#nanoTime}
     * @param listener hears each change: the status before and after
     */
    public CircuitBreaker(Settings settings, LongSupplier nanoClock, BiConsumer<Status, Status> listener) {
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.listener = listener;
        this.state = new AtomicReference<>(closed());
    }

    /** Leave for one call, or empty if the breaker is open or a probe is under way. */
    public Optional<Permit> tryAcquire() {
        while (true) {
            State current = state.get();
            switch (current) {
                case State.Closed _ -> {
                    return Optional.of(new Permit(current));
                }
                case State.Open(long untilNanos, long _)
                when !isPast(untilNanos) -> {
                    return Optional.empty();
                }
                case State.HalfOpen(long probeExpiresNanos, long _)
                when !isPast(probeExpiresNanos) -> {
                    return Optional.empty();
                }
                case State.Open _, State.HalfOpen _ -> {
                    State probing = new State.HalfOpen(after(settings.probeTimeout()), since(current));
                    if (change(current, probing)) {
                        return Optional.of(new Permit(probing));
                    }
                }
            }
        }
    }

    /** Leave for one call in the closed state only: for calls that must not serve as a probe. */
    public Optional<Permit> tryAcquireClosed() {
        State current = state.get();
        return current instanceof State.Closed ? Optional.of(new Permit(current)) : Optional.empty();
    }

    /** Whether {@link #tryAcquire} would give leave, and whether for a probe. Changes nothing. */
    public Admission admission() {
        return switch (state.get()) {
            case State.Closed _ -> Admission.CLOSED;
            case State.Open(long untilNanos, long _) -> isPast(untilNanos) ? Admission.PROBE_DUE : Admission.OPEN;
            case State.HalfOpen(long probeExpiresNanos, long _) ->
                isPast(probeExpiresNanos) ? Admission.PROBE_DUE : Admission.OPEN;
        };
    }

    /** The status now. An open breaker whose period is over counts as half open. */
    public Status status() {
        return switch (state.get()) {
            case State.Closed _ -> Status.CLOSED;
            case State.Open(long untilNanos, long _) -> isPast(untilNanos) ? Status.HALF_OPEN : Status.OPEN;
            case State.HalfOpen _ -> Status.HALF_OPEN;
        };
    }

    /** How long ago it opened and has not closed since; empty while it is closed. */
    public Optional<Duration> openFor() {
        State current = state.get();
        return current instanceof State.Closed
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(nanoClock.getAsLong() - since(current)));
    }

    /** When a breaker in this state left the closed one; now if it does so. */
    private long since(State current) {
        return switch (current) {
            case State.Closed _ -> nanoClock.getAsLong();
            case State.Open(long _, long sinceNanos) -> sinceNanos;
            case State.HalfOpen(long _, long sinceNanos) -> sinceNanos;
        };
    }

    private void succeeded(State grantedIn) {
        switch (grantedIn) {
            case State.Closed(FailureWindow counts) -> counts.success(nanoClock.getAsLong());
            case State.HalfOpen _ -> change(grantedIn, closed());
            case State.Open _ -> throw new IllegalStateException("an open breaker gives no leave");
        }
    }

    private void failed(State grantedIn) {
        boolean opens = switch (grantedIn) {
            case State.Closed(FailureWindow counts) -> counts.failure(nanoClock.getAsLong());
            case State.HalfOpen _ -> true;
            case State.Open _ -> throw new IllegalStateException("an open breaker gives no leave");
        };
        if (opens) {
            change(grantedIn, new State.Open(after(settings.open()), since(grantedIn)));
        }
    }

    private void released(State grantedIn) {
        if (grantedIn instanceof State.HalfOpen) {
            change(grantedIn, new State.HalfOpen(nanoClock.getAsLong(), since(grantedIn)));
        }
    }

    private State closed() {
        return new State.Closed(new FailureWindow(settings, nanoClock.getAsLong()));
    }

    @SuppressWarnings("ReferenceEquality") // the state as it was granted, not one like it
    private boolean change(State from, State to) {
        if (!state.compareAndSet(from, to)) {
            return false;
        }
        Status before = plainStatus(from);
        Status after = plainStatus(to);
        if (before != after) {
            listener.accept(before, after);
        }
        return true;
    }

    private static Status plainStatus(State state) {
        return switch (state) {
            case State.Closed _ -> Status.CLOSED;
            case State.Open _ -> Status.OPEN;
            case State.HalfOpen _ -> Status.HALF_OPEN;
        };
    }

    private boolean isPast(long nanos) {
        return nanoClock.getAsLong() - nanos >= 0;
    }

    private long after(Duration duration) {
        return nanoClock.getAsLong() + duration.toNanos();
    }
}
