package io.headgate.benchmarks;

/**
 * What became of one request.
 *
 * @param intendedNanos when it was to be sent, from the start of the load
 * @param latencyNanos from then to the end of its answer, so that a late start counts
 * @param succeeded whether it was answered as asked
 */
record Sample(Operation operation, long intendedNanos, long latencyNanos, boolean succeeded) {
    /** What was asked. */
    enum Operation {
        PUT,
        GET
    }
}
