package io.headgate.placement;

import io.headgate.placement.AccountState.Admission;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the account of a write, purely: the accounts that no {@link Filter} rejects are narrowed to the wished region if it has
 * any, and one of the rest is drawn, each with the same chance. Of two that are used nearly alike the emptier one is taken, so that
 * accounts that are alike stay so.
 *
 * <p>An account whose breaker waits for a probe is drawn like any other, so that ordinary traffic probes it; except by a write that
 * cannot be sent again, which takes it only if nothing else is left, in any region. Thread-safe.
 */
public final class Placement {
    private static final Filter[] FILTERS = Filter.values();

    /** Accounts whose used bytes differ by no more than this part are kept alike. */
    private static final double NEARLY = 0.10;

    private final Thresholds thresholds;

    public Placement(Thresholds thresholds) {
        this.thresholds = thresholds;
    }

    /** Chooses one of {@code accounts}. The same generator state gives the same choice. */
    public Choice choose(List<AccountState> accounts, Wish wish, RandomGenerator random) {
        List<AccountState> candidates = new ArrayList<>(accounts.size());
        List<Choice.PassedBy> passedBy = new ArrayList<>();
        for (AccountState account : accounts) {
            Filter first = firstRejecting(account, wish);
            if (first == null) {
                candidates.add(account);
            } else if (first.isRate()) {
                passedBy.add(new Choice.PassedBy(account.name(), first));
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
        AccountState drawn = draw(candidates, random);
        return new Choice.Chosen(
                drawn.name(), drawn.admission() == Admission.PROBE_DUE, thresholds.maxUsedBytes(drawn), passedBy);
    }

    /** How much of its limits an account may use. */
    public Thresholds thresholds() {
        return thresholds;
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

    private @Nullable Filter firstRejecting(AccountState account, Wish wish) {
        for (Filter filter : FILTERS) {
            if (filter.rejects(account, wish, thresholds)) {
                return filter;
            }
        }
        return null;
    }

    /** Draws one; and another, which is taken instead if it is as full but for a little, and that little the emptier. */
    private static AccountState draw(List<AccountState> candidates, RandomGenerator random) {
        int count = candidates.size();
        if (count == 1) {
            return candidates.getFirst();
        }
        int first = random.nextInt(count);
        AccountState drawn = candidates.get(first);
        AccountState other = candidates.get((first + 1 + random.nextInt(count - 1)) % count);
        long more = drawn.usedBytes() - other.usedBytes();
        return more > 0 && more <= NEARLY * drawn.usedBytes() ? other : drawn;
    }

    /** Drops what is not preferred, unless nothing is. */
    private static void prefer(List<AccountState> candidates, Predicate<AccountState> preference) {
        if (candidates.stream().anyMatch(preference)) {
            candidates.removeIf(preference.negate());
        }
    }
}
