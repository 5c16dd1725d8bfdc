package io.headgate.placement;

/**
 * How much of its limits an account may use and still be chosen: ratios above 0, up to 1.
 *
 * @param maxCapacityRatio an account is refused when the write would take it <em>above</em> this share of its capacity
 * @param maxRequestRatio an account is refused <em>from</em> this share of its request rate on
 * @param maxByteRateRatio likewise for bytes/s in, and for bytes/s out
 */
public record Thresholds(double maxCapacityRatio, double maxRequestRatio, double maxByteRateRatio) {
    public static final Thresholds DEFAULT = new Thresholds(0.90, 0.80, 0.80);

    public Thresholds {
        check(maxCapacityRatio);
        check(maxRequestRatio);
        check(maxByteRateRatio);
    }

    /** The most bytes that the account may have in use, with those of the write that is placed; {@link Long#MAX_VALUE} for no limit. */
    long maxUsedBytes(AccountState account) {
        return account.capacityBytes() == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : (long) (maxCapacityRatio * account.capacityBytes());
    }

    /**
     * How many bytes of a write count against the account's rate when it is placed; the others do as they flow, which for a large write
     * is spread over time by its client.
     *
     * @param limitPerSecond of bytes in
     */
    public long bytesAhead(long sizeBytes, double limitPerSecond) {
        return (long) Math.min((double) sizeBytes, maxByteRateRatio * limitPerSecond / 4);
    }

    private static void check(double ratio) {
        if (!(ratio > 0 && ratio <= 1)) {
            throw new IllegalArgumentException("ratio " + ratio);
        }
    }
}
