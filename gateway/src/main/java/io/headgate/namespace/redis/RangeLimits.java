package io.headgate.namespace.redis;

/**
 * When ranges are split and joined.
 *
 * @param maxObjects one that has more is split in halves
 * @param maxRequestsPerSecond one that is asked more often is split where half of the requests lie
 * @param joinObjects neighbours that have no more together, and are hardly asked, become one; at most 2,000
 */
public record RangeLimits(long maxObjects, long maxRequestsPerSecond, long joinObjects) {
    /** A range of this size is copied in seconds, and one that is asked so often leaves its master most of its time. */
    public static final RangeLimits DEFAULT = new RangeLimits(500_000, 5_000, 1_000);

    /** @throws IllegalArgumentException if a number is out of its range */
    public RangeLimits {
        if (maxObjects < 2 || maxRequestsPerSecond < 1 || joinObjects < 0 || joinObjects > 2_000) {
            throw new IllegalArgumentException("ranges of %d objects, %d requests/s, joined at %d objects"
                    .formatted(maxObjects, maxRequestsPerSecond, joinObjects));
        }
    }
}
