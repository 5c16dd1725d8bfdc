package io.headgate.namespace;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * How the rates of an account are shared among gateways, purely: from what each of them last told, one at a time works out its own share.
 *
 * <p>What gateways hold never comes to more than the account bears. So nothing is taken from a gateway: it is told a lower target, and
 * gives back what it does not keep any more when it asks next. A gateway that does not ask again holds what it held until its time is
 * over, and a second longer, because a limit is one of any second; then, for a while, its fair part is left to it, to which it falls back.
 */
public final class ShareRules {
    /** Over so long a time a rate is measured. */
    public static final Duration MEASURED_OVER = Duration.ofSeconds(1);

    /** After so long a silence beyond its time a gateway is taken for dead. */
    public static final Duration SILENT = Duration.ofSeconds(5);

    private ShareRules() {}

    /**
     * Another gateway.
     *
     * @param use what it told last; the rates' {@code kept} are what it was given then
     * @param left until its time is over; negative after
     */
    public record Other(AccountUse use, Duration left) {
        boolean isLive() {
            return left.isPositive();
        }

        boolean isDead() {
            return left.plus(SILENT).isNegative();
        }

        private boolean holds() {
            return left.plus(MEASURED_OVER).isPositive();
        }
    }

    /**
     * What the gateway that told {@code mine} is to have.
     *
     * @param others the account's other gateways, the dead ones included
     */
    public static AccountShare share(AccountUse mine, List<Other> others) {
        List<Other> counted = others.stream().filter(other -> !other.isDead()).toList();
        List<Other> live = counted.stream().filter(Other::isLive).toList();
        double loweredTo = live.stream()
                .mapToDouble(other -> other.use().loweredTo())
                .min()
                .orElse(Double.POSITIVE_INFINITY);
        return new AccountShare(
                part(mine, counted, AccountUse::requests, loweredTo),
                part(mine, counted, AccountUse::ingress, Double.POSITIVE_INFINITY),
                part(mine, counted, AccountUse::egress, Double.POSITIVE_INFINITY),
                counted.size() + 1,
                loweredTo,
                sum(live, other -> other.use().requests().sent()),
                live.stream().mapToLong(other -> other.use().reservedBytes()).sum());
    }

    private static double sum(List<Other> others, ToDoubleFunction<Other> figure) {
        return others.stream().mapToDouble(figure).sum();
    }

    private static AccountShare.Part part(
            AccountUse use, List<Other> others, Function<AccountUse, AccountUse.Rate> which, double loweredTo) {
        AccountUse.Rate mine = which.apply(use);
        double ceiling = Math.min(mine.ceiling(), loweredTo);
        if (ceiling == Double.POSITIVE_INFINITY) {
            return new AccountShare.Part(ceiling, ceiling);
        }
        double fair = ceiling / (others.size() + 1);
        double[] wanted = others.stream()
                .filter(Other::isLive)
                .mapToDouble(other -> which.apply(other.use()).wanted())
                .toArray();
        double target = target(mine.wanted(), wanted, fair * (wanted.length + 1));
        double elsewhere = sum(others, other -> {
            double held = which.apply(other.use()).kept();
            return other.isLive() ? held : other.holds() ? Math.max(held, fair) : fair;
        });
        double held = Math.max(mine.kept(), Math.min(target, ceiling - elsewhere));
        return new AccountShare.Part(held, target);
    }

    /**
     * What one of several is to have of {@code whole}: what it wants, if that is no more than what those have who want more than there is
     * for all; of what nobody wants, all have an equal part.
     */
    static double target(double mine, double[] others, double whole) {
        double[] all = Arrays.copyOf(others, others.length + 1);
        all[others.length] = mine;
        Arrays.sort(all);
        double left = whole;
        for (int i = 0; i < all.length; i++) {
            double equal = left / (all.length - i);
            if (all[i] > equal) {
                return Math.min(mine, equal);
            }
            left -= all[i];
        }
        return mine + left / all.length;
    }
}
