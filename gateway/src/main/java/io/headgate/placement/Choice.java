package io.headgate.placement;

import java.util.List;

/** Where a write goes. */
public sealed interface Choice {
    /**
     * To that account.
     *
     * @param probe whether the account's breaker is open and waits for a probe, which the write would be
     */
    record Chosen(String account, boolean probe) implements Choice {}

    /** Nowhere: every account is rejected. {@code rejections} names every filter of every account, and is empty without accounts. */
    record NoneEligible(List<Rejection> rejections) implements Choice {
        public NoneEligible {
            rejections = List.copyOf(rejections);
        }
    }
}
