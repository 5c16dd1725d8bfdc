package io.headgate.placement;

import java.util.List;

/** Where a write goes. */
public sealed interface Choice {
    /**
     * To that account.
     *
     * @param probe whether the account's breaker is open and waits for a probe, which the write would be
     * @param maxUsedBytes how much the account may have in use together with the write; to be held to when its bytes are reserved, as
     *     other writes choose at the same time. {@link Long#MAX_VALUE} for no limit
     * @param passedBy the accounts that a rate alone kept from being chosen
     */
    record Chosen(String account, boolean probe, long maxUsedBytes, List<PassedBy> passedBy) implements Choice {
        public Chosen {
            passedBy = List.copyOf(passedBy);
        }
    }

    /** An account that would have taken the write but for a rate. */
    record PassedBy(String account, Filter rate) {}

    /** Nowhere: every account is rejected. {@code rejections} names every filter of every account, and is empty without accounts. */
    record NoneEligible(List<Rejection> rejections) implements Choice {
        public NoneEligible {
            rejections = List.copyOf(rejections);
        }
    }
}
