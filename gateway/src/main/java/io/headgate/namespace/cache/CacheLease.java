package io.headgate.namespace.cache;

import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.cache.CacheState.Phase;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this gateway knows of the cache's state, which holds for a lease from the moment at which it began to read it, and its part in
 * changing it. A change from on to off takes effect everywhere once a lease has passed, as then nobody can hold one on what was before.
 * Thread-safe.
 */
final class CacheLease implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CacheLease.class);

    /** On the state off, whatever leases on others last: warming lasts longer. */
    private static final Duration LEASE_ON_OFF = Duration.ofMillis(500);

    /** Clocks of two machines run at rates that differ by less than this part. */
    private static final int DRIFT_PARTS = 10;

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
    private static final Duration COMPLAINT = Duration.ofSeconds(30);

    private final CacheRegister register;
    private final RedisLink link;
    private final CacheSettings settings;
    private final CacheStatistics statistics;
    private final LongSupplier nanos;
    private final InstantSource clock;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile @Nullable Held held;
    /** Why the register did not answer when it was last asked; null if it did. */
    private volatile @Nullable NamespaceException failure;

    /** Set when the namespace has failed, until the register answers. */
    private volatile boolean doubted;

    private volatile boolean closed;
    private long failedAtNanos;
    private boolean complaining;
    private long complainedAtNanos;

    /**
     * A state with the end of the lease on it. Both clocks must say that it has not come: one that runs on without a pause of the
     * machine, and one that is not set back.
     */
    private record Held(CacheState state, long knownSinceNanos, long untilNanos, long untilMillis) {}

    CacheLease(
            CacheRegister register,
            RedisLink link,
            CacheSettings settings,
            CacheStatistics statistics,
            LongSupplier nanos,
            InstantSource clock) {
        this.register = register;
        this.link = link;
        this.settings = settings;
        this.statistics = statistics;
        this.nanos = nanos;
        this.clock = clock;
        statistics.state(this::generation, this::isUsed);
        this.thread = Thread.ofPlatform().name("cache-lease").daemon().unstarted(this::serve);
    }

    /** Reads the state for the first time, and keeps it from now on. */
    void start() {
        refresh();
        thread.start();
    }

    /** The state, if the lease on it holds now; asks nobody. */
    @Nullable CacheState held() {
        Held known = held;
        return known != null && holds(known) ? known.state : null;
    }

    /** Whether entries of that generation are right now. */
    boolean isOn(long generation) {
        CacheState state = held();
        return state != null && state.phase() == Phase.ON && state.generation() == generation;
    }

    /** Whether that state, but for its phase, is still the current one. */
    boolean holds(CacheState state) {
        CacheState now = held();
        return now != null && now.generation() == state.generation();
    }

    private long generation() {
        Held known = held;
        return known == null ? 0 : known.state.generation();
    }

    /** Whether a look-up would be answered from the cache now. */
    private boolean isUsed() {
        CacheState state = held();
        return state != null && state.phase() == Phase.ON && link.isReadable(state.serverId());
    }

    private boolean holds(Held known) {
        return nanos.getAsLong() - known.untilNanos < 0 && clock.millis() < known.untilMillis;
    }

    /**
     * The state that a write has to heed; waits while the cache is being switched off.
     *
     * @throws NamespaceException if the register does not answer, as the namespace would not either
     */
    CacheState forWrite() {
        while (true) {
            Held known = held;
            if (known == null || !holds(known) || doubted || failure != null) {
                known = refresh();
            }
            if (known.state.phase() != Phase.STOPPING || isQuiet(known)) {
                return known.state;
            }
            awaitChange(known, quietAtNanos(known));
        }
    }

    /** Whether by now nobody holds a lease on what was before the cache was switched off. */
    private boolean isQuiet(Held known) {
        return nanos.getAsLong() - quietAtNanos(known) >= 0;
    }

    private static long quietAtNanos(Held known) {
        return known.knownSinceNanos + withDrift(known.state.lease());
    }

    private static long withDrift(Duration duration) {
        return duration.toNanos() + duration.toNanos() / DRIFT_PARTS;
    }

    /** Waits until something else is known than that, or the time has come. */
    private void awaitChange(Held known, long untilNanos) {
        lock.lock();
        try {
            long left = untilNanos - nanos.getAsLong();
            while (left > 0 && known.equals(held)) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new NamespaceException("interrupted while waiting for the cache to be off", interrupted);
        } finally {
            lock.unlock();
        }
    }

    /** Lets the next write ask the register before it tells the cache anything: the namespace has failed. */
    void doubt() {
        doubted = true;
    }

    /** Switches the cache off for all, unless that has happened since {@code seen}: this gateway's writes cannot tell it. */
    void switchOff(CacheState seen) {
        lock.lock();
        try {
            Held known = held;
            if (known != null && known.state.generation() != seen.generation()) {
                return;
            }
            LOG.warn("The cache is switched off for all gateways: Redis at {} cannot be used: {}", link, link.reason());
            statistics.switchedOff();
            complain();
            register.switchOff(seen.generation());
            refreshLocked(nanos.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    private void complain() {
        complaining = true;
        complainedAtNanos = nanos.getAsLong();
        register.complain(settings.gateway(), COMPLAINT);
    }

    private Held refresh() {
        long asked = nanos.getAsLong();
        lock.lock();
        try {
            return refreshLocked(asked);
        } finally {
            lock.unlock();
        }
    }

    /** @param asked when the caller began to wait: what was found out since then is found out for it too */
    private Held refreshLocked(long asked) {
        NamespaceException reason = failure;
        if (reason != null && failedAtNanos - asked > 0) {
            throw new NamespaceException(String.valueOf(reason.getMessage()), reason);
        }
        Held before = held;
        if (reason == null && !doubted && before != null && before.untilNanos - leaseNanos(before.state) - asked > 0) {
            return before;
        }
        long began = nanos.getAsLong();
        long beganMillis = clock.millis();
        try {
            CacheState state = register.read();
            if (before != null && state.generation() < before.state.generation()) {
                LOG.error("The namespace's database has lost changes of the cache's state; the cache begins anew");
                register.catchUp(before.state.generation());
                state = register.read();
            }
            Held now = held(state, before, began, beganMillis);
            held = now;
            failure = null;
            doubted = false;
            changed.signalAll();
            return now;
        } catch (NamespaceException failed) {
            failure = failed;
            failedAtNanos = nanos.getAsLong();
            throw failed;
        }
    }

    private Held held(CacheState state, @Nullable Held before, long began, long beganMillis) {
        long knownSince = nanos.getAsLong();
        if (before != null
                && before.state.generation() == state.generation()
                && before.state.phase() == state.phase()) {
            knownSince = before.knownSinceNanos;
        } else if (link.isConfigured()) {
            LOG.info(
                    "The cache is {} (generation {})",
                    state.phase().name().toLowerCase(Locale.ROOT),
                    state.generation());
        }
        return new Held(state, knownSince, began + leaseNanos(state), beganMillis + leaseNanos(state) / 1_000_000);
    }

    private static long leaseNanos(CacheState state) {
        return (state.phase() == Phase.OFF ? LEASE_ON_OFF : state.lease()).toNanos();
    }

    private void serve() {
        while (!closed) {
            try {
                advance(refresh());
            } catch (NamespaceException unavailable) {
                LOG.debug("The cache's state could not be read", unavailable);
            } catch (RuntimeException unexpected) {
                LOG.error("The cache's state could not be kept", unexpected);
            }
            pause();
        }
    }

    private void pause() {
        Held known = held;
        long leaseNanos = known == null ? LONGEST_PAUSE.toNanos() : leaseNanos(known.state);
        lock.lock();
        try {
            long left = Math.min(leaseNanos / 3, LONGEST_PAUSE.toNanos());
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException stray) {
            LOG.warn("The keeper of the cache's state was interrupted; nobody should do that", stray);
        } finally {
            lock.unlock();
        }
    }

    /** Does what is next to be done for the state. */
    private void advance(Held known) {
        CacheState state = known.state;
        String server = link.readyServer();
        heedComplaint(server != null);
        switch (state.phase()) {
            case STOPPING -> {
                if (isQuiet(known)) {
                    register.stopped(state.generation());
                    refresh();
                }
            }
            case OFF -> {
                if (server != null) {
                    register.warm(state.generation(), settings.gateway(), server, settings.lease());
                    refresh();
                }
            }
            case WARMING -> {
                long warmAt = known.knownSinceNanos + withDrift(LEASE_ON_OFF.plus(state.longestWrite()));
                if (isAnother(server, state)) {
                    switchOff(state);
                } else if (server != null && nanos.getAsLong() - warmAt >= 0) {
                    register.start(state.generation());
                    refresh();
                }
            }
            case ON -> {
                if (isAnother(server, state)) {
                    switchOff(state);
                }
            }
        }
    }

    /** Whether Redis is another process than the one with the entries: restarted, or failed over. */
    private static boolean isAnother(@Nullable String server, CacheState state) {
        return server != null && !server.equals(state.serverId());
    }

    private void heedComplaint(boolean ready) {
        lock.lock();
        try {
            if (ready && complaining) {
                register.withdraw(settings.gateway());
                complaining = false;
            } else if (!ready
                    && (complaining
                            ? nanos.getAsLong() - complainedAtNanos > COMPLAINT.toNanos() / 3
                            : !link.isConfigured())) {
                complain();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
            if (complaining) {
                register.withdraw(settings.gateway());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (NamespaceException unavailable) {
            LOG.debug("The complaint ends by itself", unavailable);
        }
    }
}
