package io.headgate.placement;

import java.util.HashSet;
import java.util.Set;

/**
 * What a write asks of its account.
 *
 * @param region the preferred region; empty for none
 * @param sizeBytes at least 0
 * @param excluded names of accounts that were tried for this write already, in vain
 * @param replayable whether the write can be sent again to another account when it fails; one that cannot goes to an account that
 *     needs a probe only if no other is eligible
 */
public record Wish(String region, long sizeBytes, Set<String> excluded, boolean replayable) {
    public Wish {
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("size " + sizeBytes);
        }
        excluded = Set.copyOf(excluded);
    }

    /** The same, tried in vain with one account more. */
    public Wish without(String account) {
        Set<String> more = new HashSet<>(excluded);
        more.add(account);
        return new Wish(region, sizeBytes, more, replayable);
    }

    /** A replayable write of that size without a preference. */
    public static Wish ofSize(long sizeBytes) {
        return new Wish("", sizeBytes, Set.of(), true);
    }
}
