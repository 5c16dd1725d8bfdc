package io.headgate.placement;

import io.headgate.placement.AccountState.Admission;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Chooses the account of a write, purely: the accounts that no {@link Filter} rejects are narrowed to the wished region if it has
 * any, and one of the rest is drawn, each with the same chance.
 *
 * <p>An account whose breaker waits for a probe is drawn like any other, so that ordinary traffic probes it; except by a write that
 * cannot be sent again, which takes it only if nothing else is left, in any region. Thread-safe.
 */
public final class Placement {
    private static final Filter[] FILTERS = Filter.values();

    private final Thresholds thresholds;

    public Placement(Thresholds thresholds) {
        this.thresholds = thresholds;
    }

    /** Chooses one of {@code accounts}. The same generator state gives the same choice. */
    public Choice choose(List<AccountState> accounts, Wish wish, RandomGenerator random) {
        List<AccountState> candidates = new ArrayList<>(accounts.size());
        for (AccountState account : accounts) {
            if (isEligible(account, wish)) {
                candidates.add(account);
            }
        }
        if (candidates.isEmpty()) {
            return new Choice.NoneEligible(explain(accounts, wish));
        }
        if (!wish.replayable()) {
            prefer(candidates, account -> account.admission() == Admission.CLOSED);
        }
        if (!wish.region().isEmpty()) {
            prefer(candidates, account -> account.region().equals(wish.region()));
        }
        AccountState drawn =
                candidates.size() == 1 ? candidates.getFirst() : candidates.get(random.nextInt(candidates.size()));
        return new Choice.Chosen(
                drawn.name(), drawn.admission() == Admission.PROBE_DUE, thresholds.maxUsedBytes(drawn));
    }

    /** Every filter that rejects an account, for every account, in the order given; an eligible account has none. */
    public List<Rejection> explain(List<AccountState> accounts, Wish wish) {
        List<Rejection> rejections = new ArrayList<>();
        for (AccountState account : accounts) {
            for (Filter filter : FILTERS) {
                if (filter.rejects(account, wish, thresholds)) {
                    rejections.add(new Rejection(account.name(), filter, filter.detail(account, wish)));
                }
            }
        }
        return rejections;
    }

    private boolean isEligible(AccountState account, Wish wish) {
        for (Filter filter : FILTERS) {
            if (filter.rejects(account, wish, thresholds)) {
                return false;
            }
        }
        return true;
    }

    /** Drops what is not preferred, unless nothing is. */
    private static void prefer(List<AccountState> candidates, Predicate<AccountState> preference) {
        if (candidates.stream().anyMatch(preference)) {
            candidates.removeIf(preference.negate());
        }
    }
}
