package io.headgate.account;

/**
 * The rate of requests that an account is believed to bear: its configured limit, cut when the account throttles and raised steadily
 * after that (additive increase, multiplicative decrease). Thread-safe.
 */
final class AdaptiveCeiling {
    private static final double DECREASE = 0.7;
    /** When it throttles few: it is near what it bears, and met requests that came closer together than they were sent. */
    private static final double DECREASE_BY_FEW = 0.97;

    /** So many of a second's requests are few. */
    private static final double FEW = 0.2;
    /** Share of the rate that was throttled, regained each second. */
    private static final double INCREASE_PER_SECOND = 0.02;
    /** Requests in flight together are throttled together: one cut answers them all. */
    private static final long CUT_INTERVAL_NANOS = 1_000_000_000;
    /** Below this rate in requests/s a ceiling would starve the account rather than relieve it. */
    private static final double FLOOR = 10;

    /** {@code perSecond} at the instant {@code sinceNanos}, growing by {@code increasePerSecond}. */
    private record Cut(double perSecond, double increasePerSecond, long sinceNanos) {
        double at(long nowNanos) {
            return perSecond + increasePerSecond * Math.max(0, nowNanos - sinceNanos) / 1e9;
        }
    }

    private final double limit;
    /** Guarded by this. */
    private long cutElsewhereNanos;

    private boolean cutElsewhere;
    private volatile Cut cut = new Cut(Double.POSITIVE_INFINITY, 0, 0);

    /** @param limit requests/s */
    AdaptiveCeiling(double limit) {
        this.limit = limit;
    }

    double perSecond(long nowNanos) {
        return Math.min(limit, cut.at(nowNanos));
    }

    /** Another gateway has lowered the rate of all: that answers what is in flight here, too. */
    synchronized void cutElsewhere(long nowNanos) {
        cutElsewhere = true;
        cutElsewhereNanos = nowNanos;
    }

    /**
     * The account throttled while it was sent {@code currentPerSecond} requests.
     *
     * @param share how many of the last second's requests it throttled, 0 to 1
     */
    synchronized void throttled(double currentPerSecond, double share, long nowNanos) {
        if (cutElsewhere && nowNanos - cutElsewhereNanos < CUT_INTERVAL_NANOS) {
            return;
        }
        Cut last = cut;
        if (last.increasePerSecond > 0 && nowNanos - last.sinceNanos < CUT_INTERVAL_NANOS) {
            return;
        }
        double from = Math.max(Math.min(currentPerSecond, perSecond(nowNanos)), Math.min(FLOOR, limit));
        double decrease = share < FEW ? DECREASE_BY_FEW : DECREASE;
        cut = new Cut(Math.max(decrease * from, Math.min(FLOOR, limit)), INCREASE_PER_SECOND * from, nowNanos);
    }
}
