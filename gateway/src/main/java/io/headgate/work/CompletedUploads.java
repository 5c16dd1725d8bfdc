package io.headgate.work;

import io.headgate.namespace.Namespace;
import java.time.Duration;
import java.time.InstantSource;

/** Forgets uploads completed long ago, which are kept to answer a repeated Complete. Of all gateways one does it at a time. */
public final class CompletedUploads implements Worker {
    private static final int BATCH = 1000;

    private final Namespace namespace;
    private final InstantSource clock;
    private final Lease lease;
    private final Duration remember;
    private final Duration interval;

    /** @param remember for how long a repeated Complete is answered as the first */
    public CompletedUploads(Namespace namespace, InstantSource clock, Lease lease, Duration remember) {
        this.namespace = namespace;
        this.clock = clock;
        this.lease = lease;
        this.remember = remember;
        this.interval = remember.dividedBy(24);
    }

    @Override
    public String name() {
        return "completed-uploads";
    }

    @Override
    public Turn work() {
        if (!lease.isAcquired()) {
            return Turn.idle(Lease.INTERVAL);
        }
        int forgotten = namespace.forgetCompletedUploads(clock.instant().minus(remember), BATCH);
        return forgotten == BATCH ? Turn.BUSY : Turn.idle(interval);
    }
}
