package io.headgate.work;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Who should give how much to whom, so that accounts are equally full. Pure.
 *
 * <p>Bytes stay in their region, which buckets prefer for a reason. Within a region each account should hold its part of all live bytes:
 * by its capacity, or an equal one if any of them has no capacity. Garbage does not count, as it goes by itself.
 */
final class BalancePlan {
    private final List<Share> shares;
    private final double tolerance;

    /**
     * An account that takes blobs.
     *
     * @param capacityBytes {@link Long#MAX_VALUE} for no limit
     */
    record Fill(String account, String region, long capacityBytes, long liveBytes) {}

    /** What an account has and should have. */
    private record Share(Fill fill, double targetBytes, boolean inBalancedRegion) {
        double excess() {
            return fill.liveBytes() - targetBytes;
        }
    }

    /**
     * What one account can give to others of its region.
     *
     * @param excessBytes that it may give at most
     * @param roomBytes what others may take of that at most, by their names
     */
    record Step(String from, long excessBytes, Map<String, Long> roomBytes) {}

    private BalancePlan(List<Share> shares, double tolerance) {
        this.shares = shares;
        this.tolerance = tolerance;
    }

    /**
     * The plan as things are.
     *
     * @param tolerance by which part of what it should hold an account may hold more or less
     */
    static BalancePlan of(List<Fill> fills, double tolerance) {
        Map<String, List<Fill>> regions = new TreeMap<>();
        fills.forEach(fill ->
                regions.computeIfAbsent(fill.region(), _ -> new ArrayList<>()).add(fill));
        List<Share> shares = new ArrayList<>();
        for (List<Fill> region : regions.values()) {
            boolean byCapacity = region.stream().allMatch(fill -> fill.capacityBytes() != Long.MAX_VALUE);
            double weights = region.stream()
                    .mapToDouble(fill -> byCapacity ? fill.capacityBytes() : 1)
                    .sum();
            double bytes = region.stream().mapToDouble(Fill::liveBytes).sum();
            List<Share> ofRegion = region.stream()
                    .map(fill -> new Share(fill, bytes * (byCapacity ? fill.capacityBytes() : 1) / weights, false))
                    .toList();
            boolean balanced =
                    ofRegion.stream().allMatch(share -> Math.abs(share.excess()) <= tolerance * share.targetBytes());
            ofRegion.forEach(share -> shares.add(new Share(share.fill(), share.targetBytes(), balanced)));
        }
        return new BalancePlan(shares, tolerance);
    }

    boolean isBalanced() {
        return shares.stream().allMatch(Share::inBalancedRegion);
    }

    /** How much is to move in all. */
    long remainingBytes() {
        return Math.round(shares.stream()
                .filter(share -> !share.inBalancedRegion())
                .mapToDouble(share -> Math.max(0, share.excess()))
                .sum());
    }

    /**
     * What to do next.
     *
     * @param current goes on giving while it has more than it should
     * @param without accounts that have nothing to give that fits
     */
    Optional<Step> next(String current, Set<String> without) {
        Share most = null;
        for (Share share : shares) {
            String name = share.fill().account();
            if (share.inBalancedRegion() || share.excess() < 1 || without.contains(name)) {
                continue;
            }
            if (name.equals(current)) {
                return Optional.of(step(share));
            }
            if (most == null || share.excess() / share.targetBytes() > most.excess() / most.targetBytes()) {
                most = share;
            }
        }
        return Optional.ofNullable(most).map(this::step);
    }

    /** Nobody gives or takes beyond half the tolerance, so a large blob finds its place, and nothing comes back. */
    private Step step(Share from) {
        Map<String, Long> room = new HashMap<>();
        for (Share share : shares) {
            if (share.fill().region().equals(from.fill().region()) && share.excess() < 0) {
                room.put(share.fill().account(), (long) (slack(share) - share.excess()));
            }
        }
        return new Step(from.fill().account(), (long) (from.excess() + slack(from)), Map.copyOf(room));
    }

    private double slack(Share share) {
        return share.targetBytes() * tolerance / 2;
    }
}
