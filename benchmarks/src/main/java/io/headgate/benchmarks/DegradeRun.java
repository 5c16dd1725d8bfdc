package io.headgate.benchmarks;

import io.headgate.account.AccountListener;
import io.headgate.account.CircuitBreaker.Status;
import io.headgate.benchmarks.FaultyAccount.Fault;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * One run: a gateway under load, one of whose accounts degrades for the middle third.
 *
 * @param samples every request
 * @param transitions what the breakers did, in the order of time
 * @param failedPuts how many puts the degraded account failed, each of which went on to another account
 * @param failedProbes how many probes of the background worker it failed
 */
record DegradeRun(
        boolean breakerOn, List<Sample> samples, List<Transition> transitions, long failedPuts, long failedProbes) {
    /** As in production but for the times, so that opening and closing show within a minute. */
    static final Map<String, String> ON = Map.of(
            "HEADGATE_BREAKER_WINDOW", "10s",
            "HEADGATE_BREAKER_OPEN", "5s",
            "HEADGATE_BREAKER_PROBE_TIMEOUT", "5s",
            "HEADGATE_BREAKER_STALL_TIMEOUT", "30s");

    /** So many failures within so short a time cannot come about. */
    private static final Map<String, String> OFF = Map.of(
            "HEADGATE_BREAKER_FAILURES", "1000",
            "HEADGATE_BREAKER_WINDOW", "1s",
            "HEADGATE_BREAKER_STALL_TIMEOUT", "30s");

    private static final Duration WARM_UP = Duration.ofSeconds(2);

    /** @param atNanos from the start of the load */
    record Transition(long atNanos, String account, Status from, Status to) {}

    /** Counts from the moment that it is told to. */
    private static final class Recorder implements AccountListener {
        private final ConcurrentLinkedQueue<Transition> transitions = new ConcurrentLinkedQueue<>();
        private final LongAdder failedPuts = new LongAdder();
        private final LongAdder failedProbes = new LongAdder();
        private volatile long startNanos;
        private volatile boolean on;

        void start(long nanos) {
            startNanos = nanos;
            on = true;
        }

        @Override
        public void operation(String account, Operation operation, Result result, long accountNanos) {
            if (on && result == Result.FAULT) {
                switch (operation) {
                    case PUT -> failedPuts.increment();
                    case PROBE -> failedProbes.increment();
                    case GET, DELETE, LIST -> {
                        // not asked of another account
                    }
                }
            }
        }

        @Override
        public void breakerChanged(String account, Status from, Status to) {
            if (on) {
                transitions.add(new Transition(System.nanoTime() - startNanos, account, from, to));
            }
        }
    }

    static DegradeRun of(Fault fault, boolean breakerOn, int requestsPerSecond, Duration length)
            throws IOException, InterruptedException {
        Recorder recorder = new Recorder();
        try (Scratch scratch = Scratch.create();
                LocalGateway gateway = new LocalGateway(scratch.path(), breakerOn ? ON : OFF, recorder);
                SmallObjects client = new SmallObjects(gateway.address(), Instant.now())) {
            client.store();
            OpenLoad.run(client, requestsPerSecond, WARM_UP, System.nanoTime());
            int requests = OpenLoad.requests(requestsPerSecond, length);
            OpenLoad.Client degrading = (operation, number) -> {
                if (number == requests / 3) {
                    gateway.faulty().degrade(fault);
                } else if (number == requests / 3 * 2) {
                    gateway.faulty().recover();
                }
                return client.send(operation, number);
            };
            long start = System.nanoTime();
            recorder.start(start);
            List<Sample> samples = OpenLoad.run(degrading, requestsPerSecond, length, start);
            List<Transition> transitions = new ArrayList<>(recorder.transitions);
            transitions.sort(Comparator.comparingLong(Transition::atNanos));
            return new DegradeRun(
                    breakerOn, samples, transitions, recorder.failedPuts.sum(), recorder.failedProbes.sum());
        }
    }

    /** The requests that were to be sent from {@code from} on and before {@code to}. */
    List<Sample> between(Duration from, Duration to, Sample.Operation operation) {
        return samples.stream()
                .filter(sample -> sample.operation() == operation
                        && sample.intendedNanos() >= from.toNanos()
                        && sample.intendedNanos() < to.toNanos())
                .toList();
    }
}
