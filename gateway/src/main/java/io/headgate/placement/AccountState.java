package io.headgate.placement;

/**
 * What placement sees of an account, at one instant.
 *
 * @param region empty for none
 * @param capacityBytes the most bytes that the account can hold, at least 0; {@link Long#MAX_VALUE} for no limit
 * @param usedBytes held, reserved and waiting for deletion
 * @param requests requests/s against their limit, lowered while the account throttles
 * @param ingress bytes/s into the account
 * @param egress bytes/s out of the account
 * @param draining being emptied
 * @param readOnly set by an administrator
 * @param available whether the account can be written at all, as far as it knows itself (its disk is there and not full)
 * @param admission what the account's circuit breaker would say
 */
public record AccountState(
        String name,
        String region,
        long capacityBytes,
        long usedBytes,
        Load requests,
        Load ingress,
        Load egress,
        boolean draining,
        boolean readOnly,
        boolean available,
        Admission admission) {

    /** What a circuit breaker says to the next write. */
    public enum Admission {
        /** It passes. */
        CLOSED,
        /** It passes as the probe that closes the breaker or opens it again; one write at a time can. */
        PROBE_DUE,
        /** It is refused. */
        OPEN
    }

    /**
     * A rate against its limit, both per second: as far as it is this gateway's.
     *
     * @param current of the last second, or twice that of its last quarter if that is more
     * @param quarter that of the last quarter of a second, of which twice as much counts
     * @param limit {@link Double#POSITIVE_INFINITY} for none
     */
    public record Load(double current, double quarter, double limit) {
        /** No load and no limit. */
        public static final Load NONE = new Load(0, Double.POSITIVE_INFINITY);

        /** Of which nothing came lately. */
        public Load(double current, double limit) {
            this(current, 0, limit);
        }

        /** Whether the rate has reached {@code ratio} of the limit, to the nearest whole number; that is one at least, unless it is nothing. */
        boolean reaches(double ratio) {
            double most = ratio * limit;
            return most <= 0 || current >= Math.max(1, Math.rint(most));
        }

        /** Whether the rate has reached it, or would exceed it with that much more; one that stands at nothing takes anything. */
        boolean exceeds(double ratio, long more) {
            double most = ratio * limit;
            return reaches(ratio) || (current > 0 && (current + more > most || 2 * (quarter + more) >= most + 2));
        }
    }
}
