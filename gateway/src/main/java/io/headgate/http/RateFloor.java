package io.headgate.http;

/**
 * Judges whether a client moves at least so many bytes a second, over the time spent waiting for it alone: a slow handler or a slow
 * account is not the client's fault. Time is divided into spans of waiting; a span that moved too little condemns. Used by one thread.
 */
final class RateFloor {
    private static final double NANOS_PER_SECOND = 1e9;

    private final long minBytesPerSecond;
    private final long spanNanos;
    private long waitedNanos;
    private long movedBytes;

    /** @param minBytesPerSecond 0 never condemns */
    RateFloor(long minBytesPerSecond, long spanNanos) {
        this.minBytesPerSecond = minBytesPerSecond;
        this.spanNanos = spanNanos;
    }

    void moved(long bytes) {
        movedBytes += bytes;
    }

    /** How much more waiting completes the span. */
    long nanosToVerdict() {
        return minBytesPerSecond == 0 ? Long.MAX_VALUE : Math.max(1, spanNanos - waitedNanos);
    }

    /**
     * Adds waiting time and judges if the span is complete.
     *
     * @param bytesUnderWay bytes moved in this span that {@link #moved} has not yet been told of
     * @return whether the client is too slow
     */
    boolean waited(long nanos, long bytesUnderWay) {
        waitedNanos += nanos;
        if (minBytesPerSecond == 0 || waitedNanos < spanNanos) {
            return false;
        }
        boolean tooSlow = movedBytes + bytesUnderWay < minBytesPerSecond * (waitedNanos / NANOS_PER_SECOND);
        waitedNanos = 0;
        // What is under way will be reported once more when it has moved; so it must not count for the next span too.
        movedBytes = -bytesUnderWay;
        return tooSlow;
    }
}
