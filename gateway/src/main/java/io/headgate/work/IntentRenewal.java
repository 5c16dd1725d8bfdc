package io.headgate.work;

import io.headgate.namespace.WriteIntents;
import java.time.Duration;

/** Keeps this gateway's intents from expiring while writes are under way, and closes those that are over. */
public final class IntentRenewal implements Worker {
    private final WriteIntents intents;
    private final Duration interval;

    /** @param lease as the intents have it; renewed four times in it, so that three renewals may fail */
    public IntentRenewal(WriteIntents intents, Duration lease) {
        this.intents = intents;
        this.interval = lease.dividedBy(4);
    }

    @Override
    public String name() {
        return "intent-renewal";
    }

    @Override
    public Turn work() {
        intents.renew();
        return Turn.idle(interval);
    }

    /** A renewal that failed is tried again well before the lease is over. */
    @Override
    public Duration maxBackoff() {
        return interval.dividedBy(4);
    }
}
