package io.headgate.account;

import io.headgate.placement.AccountState.Load;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A rate of an account, of requests or of bytes, as far as it is this gateway's: what was sent within the last second, and how much may
 * be. Alone, a gateway may use the whole ceiling of the account. In a fleet it has a grant, and all the grants together are within the
 * ceiling; when one is not renewed in time, the gateway falls back to its fair part. Thread-safe.
 */
public final class Rate {
    /**
     * So long after the end of its grant a gateway does not go beyond what it last held: then the others know that it is silent, and have
     * given up what they held of its fair part.
     */
    static final long REST_NANOS = 3_000_000_000L;

    private final LongSupplier nanoClock;
    private final DoubleSupplier ceilingPerSecond;
    private final RateWindow sent;
    private final RateWindow missed;
    private final LongAdder missedTotal = new LongAdder();
    private volatile @Nullable Grant grant;

    /**
     * A part of an account's ceiling, for a while.
     *
     * @param heldPerSecond what nobody else uses
     * @param targetPerSecond what this gateway is to come down to, if that is less
     * @param fairPerSecond an equal part
     * @param ceilingPerSecond the whole of which it is a part
     * @param endsNanos by the gateway's monotonic clock
     */
    public record Grant(
            double heldPerSecond,
            double targetPerSecond,
            double fairPerSecond,
            double ceilingPerSecond,
            long endsNanos) {
        double perSecond(long nowNanos) {
            double mine = Math.min(heldPerSecond, targetPerSecond);
            if (nowNanos - endsNanos < 0) {
                return mine;
            }
            return nowNanos - endsNanos < REST_NANOS ? Math.min(mine, fairPerSecond) : fairPerSecond;
        }
    }

    /**
     * @param nanoClock as {@link System#nanoTime}
     * @param ceilingPerSecond what the account bears, {@link Double#POSITIVE_INFINITY} for no limit
     */
    Rate(LongSupplier nanoClock, DoubleSupplier ceilingPerSecond) {
        this.nanoClock = nanoClock;
        this.ceilingPerSecond = ceilingPerSecond;
        this.sent = new RateWindow(nanoClock.getAsLong());
        this.missed = new RateWindow(nanoClock.getAsLong());
    }

    /** What the account bears of all gateways together. */
    public double ceilingPerSecond() {
        return ceilingPerSecond.getAsDouble();
    }

    /** How much of that is this gateway's. */
    public double limitPerSecond() {
        double ceiling = ceilingPerSecond();
        Grant part = grant;
        if (part == null) {
            return ceiling;
        }
        double mine = part.perSecond(nanoClock.getAsLong());
        // The ceiling may have been lowered since: so is every part of it.
        return part.ceilingPerSecond > ceiling ? mine * ceiling / part.ceilingPerSecond : mine;
    }

    /** What placement sees. */
    public Load load() {
        return sent.load(nanoClock.getAsLong(), limitPerSecond());
    }

    /** Sent within the last second. */
    public double sentPerSecond() {
        return sent.perSecond(nanoClock.getAsLong());
    }

    /** Sent within the last second, or not sent because the limit was reached. */
    public double demandPerSecond() {
        long now = nanoClock.getAsLong();
        return sent.perSecond(now) + missed.perSecond(now);
    }

    /**
     * How much of the limit this gateway uses or may come to use before it asks again, if writes may take it to {@code ratio} of the limit:
     * what was sent within the last second is not to be had for another.
     */
    public double keptPerSecond(double ratio) {
        double sent = sentPerSecond() / ratio;
        // Without a grant yet it has no claim but by what it sent.
        return grant == null ? sent : Math.max(limitPerSecond(), sent);
    }

    /** What was not sent because the limit was reached, since the start. */
    public long missedTotal() {
        return missedTotal.sum();
    }

    /** A write passed the account by because this rate was too high. */
    public void missed(long amount) {
        missedTotal.add(amount);
        missed.add(nanoClock.getAsLong(), amount);
    }

    /** From now on this gateway has a part in the ceiling. */
    public void grant(Grant part) {
        grant = part;
    }

    void add(long amount) {
        sent.add(nanoClock.getAsLong(), amount);
    }

    /** Counts the amount as sent if {@code ratio} of the limit allows it; decided and done in one step. */
    boolean tryTake(long amount, double ratio) {
        return sent.tryAdd(nanoClock.getAsLong(), amount, ratio * limitPerSecond());
    }

    /** What was taken is not sent after all. */
    void giveBack(long amount) {
        sent.add(nanoClock.getAsLong(), -amount);
    }
}
