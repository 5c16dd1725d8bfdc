package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.account.Meter;
import io.headgate.account.Rate;
import io.headgate.namespace.AccountShare;
import io.headgate.namespace.AccountUse;
import io.headgate.namespace.Namespace;
import io.headgate.placement.Thresholds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Keeps what the gateways of a namespace send to an account together within its limits: tells the others what this one does, and takes
 * over what it may do. While it cannot, each rate falls back to its fair part, by itself.
 */
public final class ShareRenewal implements Worker {
    /** How long a share lasts: some renewals may fail. */
    static final Duration LASTING = Duration.ofSeconds(1);

    private static final Duration INTERVAL = Duration.ofMillis(250);
    /** After a share that is not what it is to become. */
    private static final Duration SOON = Duration.ofMillis(100);
    /** What a gateway wants beyond what it has sent and missed lately, as its load may grow. */
    private static final double GROWTH = 1.25;
    /** What all gateways together want of an account though they send nothing, so that their first requests find something. */
    private static final double FLOOR = 0.03;

    private final Namespace namespace;
    private final Accounts accounts;
    private final Thresholds thresholds;
    private final String gateway;
    private final LongSupplier nanoClock;
    private volatile int gateways = 1;
    private boolean soon;

    /**
     * @param gateway the id of this run of the gateway
     * @param nanoClock the accounts' clock
     */
    public ShareRenewal(
            Namespace namespace, Accounts accounts, Thresholds thresholds, String gateway, LongSupplier nanoClock) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.thresholds = thresholds;
        this.gateway = gateway;
        this.nanoClock = nanoClock;
    }

    @Override
    public String name() {
        return "share-renewal";
    }

    /** How many gateways share the accounts, this one included, as far as is known. */
    public int gateways() {
        return gateways;
    }

    /** Of an account that has just come, this gateway uses nothing before it has been given a part: others may be using it. */
    public void hasCome(Account account) {
        long now = nanoClock.getAsLong();
        for (Rate rate : List.of(
                account.meter().requests(),
                account.meter().ingress(),
                account.meter().egress())) {
            double ceiling = rate.ceilingPerSecond();
            if (ceiling < Double.POSITIVE_INFINITY) {
                rate.grant(new Rate.Grant(0, 0, ceiling / gateways, ceiling, now));
            }
        }
    }

    @Override
    public Turn work() {
        // What is used from here on is within what is told, and what is held ends no later than the others think.
        long endsNanos = nanoClock.getAsLong() + LASTING.toNanos();
        List<Account> all = accounts.all();
        List<AccountUse> uses = all.stream().map(this::use).toList();
        List<AccountShare> shares = namespace.shareAccounts(gateway, uses, LASTING);
        boolean settled = true;
        for (int i = 0; i < all.size(); i++) {
            settled &= take(all.get(i), shares.get(i), endsNanos);
        }
        gateways = shares.stream().mapToInt(AccountShare::gateways).max().orElse(1);
        soon = !settled && !soon;
        return Turn.idle(soon ? SOON : INTERVAL);
    }

    @Override
    public Duration maxBackoff() {
        return Duration.ofMillis(500);
    }

    private AccountUse use(Account account) {
        Meter meter = account.meter();
        return new AccountUse(
                account.name(),
                rate(meter.requests(), account.ownCeilingPerSecond(), thresholds.maxRequestRatio()),
                rate(meter.ingress(), meter.ingress().ceilingPerSecond(), thresholds.maxByteRateRatio()),
                rate(meter.egress(), meter.egress().ceilingPerSecond(), thresholds.maxByteRateRatio()),
                account.loweredToPerSecond(),
                meter.unsettledBytes());
    }

    private AccountUse.Rate rate(Rate rate, double ceiling, double ratio) {
        double least = ceiling == Double.POSITIVE_INFINITY ? 0 : FLOOR * ceiling / gateways;
        double wanted = Math.max(least, GROWTH * rate.demandPerSecond() / ratio);
        return new AccountUse.Rate(ceiling, rate.keptPerSecond(ratio), wanted, rate.sentPerSecond());
    }

    /** Whether the share is what it is to be. */
    private static boolean take(Account account, AccountShare share, long endsNanos) {
        account.setElsewhere(new Account.Elsewhere(
                share.othersLoweredTo(), share.othersRequestsPerSecond(), share.othersReservedBytes()));
        List<AccountShare.Part> parts = new ArrayList<>();
        give(account.meter().requests(), share.requests(), share.gateways(), endsNanos, parts);
        give(account.meter().ingress(), share.ingress(), share.gateways(), endsNanos, parts);
        give(account.meter().egress(), share.egress(), share.gateways(), endsNanos, parts);
        return parts.stream().allMatch(part -> Math.abs(part.held() - part.target()) <= 0.01 * part.target());
    }

    private static void give(
            Rate rate, AccountShare.Part part, int gateways, long endsNanos, List<AccountShare.Part> given) {
        double ceiling = rate.ceilingPerSecond();
        if (ceiling < Double.POSITIVE_INFINITY) {
            rate.grant(new Rate.Grant(part.held(), part.target(), ceiling / gateways, ceiling, endsNanos));
            given.add(part);
        }
    }
}
