package io.headgate.work;

import io.headgate.namespace.Namespace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/**
 * The right to do what only one gateway may do at a time, for as long as it is wanted. {@link Leases} renews it, so that it lasts through
 * a turn however long; a gateway that dies loses it within seconds. Whoever held it may come to an end of a step after that: what needs
 * the lease must stay safe then, and only be done twice. Thread-safe.
 */
public final class Lease {
    static final Duration SPAN = Duration.ofSeconds(10);
    /** Of renewals, and of asking for what another gateway holds. */
    static final Duration INTERVAL = Duration.ofSeconds(3);

    private final Namespace namespace;
    private final String name;
    private final String holder;
    private final InstantSource clock;
    private final BooleanSupplier able;
    /** Guarded by this, as those that follow. */
    private boolean wanted;

    private long terms;
    private long termsTold;
    private Instant notBefore = Instant.MIN;

    private volatile Instant heldUntil = Instant.MIN;

    /**
     * @param name what it is for, the same in all gateways
     * @param holder the id of this run of the gateway
     * @param able whether this gateway can do the work; while it cannot, another one should
     */
    Lease(Namespace namespace, String name, String holder, InstantSource clock, BooleanSupplier able) {
        this.namespace = namespace;
        this.name = name;
        this.holder = holder;
        this.clock = clock;
        this.able = able;
    }

    /** What {@link #acquire} has come to. */
    enum Term {
        /** Another gateway has the lease, or this one cannot do the work. */
        NONE,
        /** The lease is held, and others may have held it since this was asked before: nothing known from then holds. */
        NEW,
        /** The lease is held, and has been without a gap since this was asked before. */
        CONTINUED
    }

    /** Asks for the lease if this gateway does not have it and has not asked of late, and wants it from now on. */
    synchronized Term acquire() {
        if (!able.getAsBoolean()) {
            release();
            return Term.NONE;
        }
        wanted = true;
        if (!isHeld() && !clock.instant().isBefore(notBefore)) {
            renew();
        }
        if (!isHeld()) {
            return Term.NONE;
        }
        boolean isNew = termsTold != terms;
        termsTold = terms;
        return isNew ? Term.NEW : Term.CONTINUED;
    }

    /** The same for work that needs not know whether others did it meanwhile. */
    boolean isAcquired() {
        return acquire() != Term.NONE;
    }

    /** Gives the lease back, if it is held, and wants it no more. */
    synchronized void release() {
        wanted = false;
        if (isHeld()) {
            heldUntil = Instant.MIN;
            Instant now = clock.instant();
            namespace.lease(name, holder, now, now);
        }
    }

    /** Goes on holding it, or asks for it, if it is wanted. */
    synchronized void keep() {
        if (wanted) {
            renew();
        }
    }

    private boolean isHeld() {
        return clock.instant().isBefore(heldUntil);
    }

    private void renew() {
        Instant now = clock.instant();
        Instant until = now.plus(SPAN);
        // Told apart by what was so before: an answer may take so long that another gateway comes and goes meanwhile.
        boolean held = now.isBefore(heldUntil);
        boolean granted = namespace.lease(name, holder, now, until);
        if (granted && !held) {
            terms++;
        }
        heldUntil = granted ? until : Instant.MIN;
        notBefore = granted ? Instant.MIN : now.plus(INTERVAL);
    }

    @Override
    public String toString() {
        return name;
    }
}
