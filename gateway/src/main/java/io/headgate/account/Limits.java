package io.headgate.account;

/** The ceilings of an account, each at least 1; {@link #UNLIMITED} for none. */
public record Limits(
        long capacityBytes, long requestsPerSecond, long ingressBytesPerSecond, long egressBytesPerSecond) {
    public static final long UNLIMITED = Long.MAX_VALUE;

    public static final Limits NONE = new Limits(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED);

    public Limits {
        if (capacityBytes < 1 || requestsPerSecond < 1 || ingressBytesPerSecond < 1 || egressBytesPerSecond < 1) {
            throw new IllegalArgumentException("a limit is at least 1");
        }
    }

    static double perSecond(long limit) {
        return limit == UNLIMITED ? Double.POSITIVE_INFINITY : limit;
    }
}
