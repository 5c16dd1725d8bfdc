package io.headgate.region;

import java.util.concurrent.atomic.LongAdder;

/** Counts what goes to a region. Thread-safe. */
final class TrafficMeter {
    final LongAdder requests = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder misdirected = new LongAdder();
    final LongAdder sentBytes = new LongAdder();
    final LongAdder receivedBytes = new LongAdder();
    final LongAdder answers = new LongAdder();
    final LongAdder answerNanos = new LongAdder();

    Traffic read(String region) {
        return new Traffic(
                region,
                requests.sum(),
                failures.sum(),
                misdirected.sum(),
                sentBytes.sum(),
                receivedBytes.sum(),
                answers.sum(),
                answerNanos.sum());
    }
}
