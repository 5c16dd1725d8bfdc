package io.headgate.work;

import io.headgate.namespace.Namespace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases of this gateway, renewed while they are wanted. They are few: one for the moves of blobs, one for the sweeps, and one for
 * each account whose garbage is being deleted. Thread-safe.
 */
public final class Leases implements Worker, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Leases.class);

    private final Namespace namespace;
    private final String holder;
    private final InstantSource clock;
    private final Map<String, Lease> all = new ConcurrentHashMap<>();

    /** @param holder the id of this run of the gateway */
    public Leases(Namespace namespace, String holder, InstantSource clock) {
        this.namespace = namespace;
        this.holder = holder;
        this.clock = clock;
    }

    /**
     * The lease of that name: who asks twice shares it.
     *
     * @param name what it is for, the same in all gateways
     */
    public Lease of(String name) {
        return of(name, () -> true);
    }

    /** The same for work that this gateway cannot always do: while it cannot, it leaves the lease to others. */
    Lease of(String name, BooleanSupplier able) {
        return all.computeIfAbsent(name, _ -> new Lease(namespace, name, holder, clock, able));
    }

    /** Gives a lease back whose work this gateway does not do any more. */
    void forget(String name) {
        Lease lease = all.remove(name);
        if (lease != null) {
            lease.release();
        }
    }

    @Override
    public String name() {
        return "leases";
    }

    @Override
    public Turn work() {
        RuntimeException failed = null;
        for (Lease lease : all.values()) {
            failed = attempted(lease::keep, failed);
        }
        if (failed != null) {
            throw failed;
        }
        return Turn.idle(Lease.INTERVAL);
    }

    @Override
    public Duration maxBackoff() {
        return Lease.INTERVAL;
    }

    /** Gives all back, so that other gateways need not wait. To be called when the workers have ended. */
    @Override
    public void close() {
        RuntimeException failed = null;
        for (Lease lease : all.values()) {
            failed = attempted(lease::release, failed);
        }
        if (failed != null) {
            LOG.warn("leases end by themselves, as they could not be given back: {}", failed.toString());
        }
    }

    private static @Nullable RuntimeException attempted(Runnable step, @Nullable RuntimeException earlier) {
        try {
            step.run();
            return earlier;
        } catch (RuntimeException failed) {
            return earlier == null ? failed : earlier;
        }
    }
}
