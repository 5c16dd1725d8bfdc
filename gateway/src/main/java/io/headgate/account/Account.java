package io.headgate.account;

import io.headgate.account.AccountListener.Operation;
import io.headgate.account.AccountListener.Result;
import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.StoreCheck;
import io.headgate.domain.BlobId;
import io.headgate.placement.AccountState;
import io.headgate.placement.Thresholds;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A storage account: its blobs behind a circuit breaker and a meter. All traffic to the account goes through here.
 *
 * <p>What an open breaker means for each operation: a {@link #put} is refused, but for one probe at a time once the breaker is half
 * open, because another account can take it. A {@link #get} passes, because a blob lies on this account alone; but only
 * {@value #MAX_TRIAL_READS} reads at a time may wait for their first bytes, and more are refused at once, so that a dead account
 * holds up a few readers and is not hammered. A {@link #delete} passes, one at a time, because a full account recovers by nothing
 * else. A {@link #list} is refused. Reads and deletes that pass so neither close nor reopen the breaker: they succeed on a disk that
 * takes no writes.
 *
 * <p>Only {@code ACCOUNT_FAULT}s count as failures, those met while reading a blob included. Thread-safe.
 */
public final class Account implements AutoCloseable {
    /** How many reads may wait for their first bytes while the breaker is not closed. */
    public static final int MAX_TRIAL_READS = 16;

    /**
     * What is configured of an account.
     *
     * @param name unique among the accounts
     * @param kind such as {@code local}
     * @param region empty for none
     */
    public record Description(String name, String kind, String region, Limits limits) {}

    /**
     * What other gateways do with the account.
     *
     * @param loweredTo requests/s that it bears, by the lowest of what they have seen; {@link Double#POSITIVE_INFINITY} for nothing
     * @param requestsPerSecond what they send it
     * @param reservedBytes bytes of their writes in progress
     */
    public record Elsewhere(double loweredTo, double requestsPerSecond, long reservedBytes) {
        public static final Elsewhere NOTHING = new Elsewhere(Double.POSITIVE_INFINITY, 0, 0);
    }

    private final Description description;
    private final BlobStore store;
    private final LongSupplier nanoClock;
    private final AccountListener listener;
    private final Meter meter;
    private final CircuitBreaker breaker;
    private final AdaptiveCeiling requestCeiling;
    private final RateWindow throttled;
    private final Semaphore trialReads = new Semaphore(MAX_TRIAL_READS);
    private final Semaphore trialDelete = new Semaphore(1);
    private volatile Elsewhere elsewhere = Elsewhere.NOTHING;
    private volatile boolean draining;
    private volatile boolean readOnly;

    /**
     * @param store closed with the account
     * @param nanoClock as {@link System#nanoTime}
     */
    public Account(
            Description description,
            CircuitBreaker.Settings breaker,
            BlobStore store,
            LongSupplier nanoClock,
            AccountListener listener) {
        this.description = description;
        this.store = store;
        this.nanoClock = nanoClock;
        this.listener = listener;
        this.breaker = new CircuitBreaker(
                breaker, nanoClock, (from, to) -> listener.breakerChanged(description.name(), from, to));
        Limits limits = description.limits();
        this.throttled = new RateWindow(nanoClock.getAsLong());
        this.requestCeiling = new AdaptiveCeiling(Limits.perSecond(limits.requestsPerSecond()));
        this.meter = new Meter(nanoClock, limits, this::requestCeilingPerSecond);
    }

    public String name() {
        return description.name();
    }

    public String kind() {
        return description.kind();
    }

    /** Empty for none. */
    public String region() {
        return description.region();
    }

    public Limits limits() {
        return description.limits();
    }

    public Meter meter() {
        return meter;
    }

    public CircuitBreaker breaker() {
        return breaker;
    }

    /** Whether the account is being emptied: it takes no new blobs, and serves those that it has. */
    public boolean draining() {
        return draining;
    }

    public void setDraining(boolean draining) {
        this.draining = draining;
    }

    /** Whether the account takes no new blobs by an administrator's wish. */
    public boolean readOnly() {
        return readOnly;
    }

    public void setReadOnly(boolean readOnly) {
        this.readOnly = readOnly;
    }

    /** Requests/s that the account is believed to bear: its limit, lower for a while after it throttled, here or at another gateway. */
    public double requestCeilingPerSecond() {
        return Math.min(ownCeilingPerSecond(), elsewhere.loweredTo);
    }

    /** The same, by what this gateway has seen alone. */
    public double ownCeilingPerSecond() {
        return requestCeiling.perSecond(nanoClock.getAsLong());
    }

    /** The same if it is less than the limit, else {@link Double#POSITIVE_INFINITY}. */
    public double loweredToPerSecond() {
        double own = ownCeilingPerSecond();
        return own < Limits.perSecond(description.limits().requestsPerSecond()) ? own : Double.POSITIVE_INFINITY;
    }

    /** Takes over what other gateways have told of the account. */
    public void setElsewhere(Elsewhere told) {
        if (told.loweredTo < elsewhere.loweredTo) {
            requestCeiling.cutElsewhere(nanoClock.getAsLong());
        }
        elsewhere = told;
    }

    /** How many more bytes the account could take by its own account; {@link Long#MAX_VALUE} when it does not know. */
    public long usableBytes() {
        return store.usableBytes();
    }

    /** What placement sees of the account now. */
    public AccountState state() {
        Limits limits = description.limits();
        long usable = store.usableBytes();
        long settled = meter.heldBytes() + meter.garbageBytes();
        long used = meter.usedBytes() + elsewhere.reservedBytes;
        // Whatever was promised, an account holds no more than it has room for beside what is not ours.
        long room = usable == Long.MAX_VALUE ? Long.MAX_VALUE : settled + usable;
        return new AccountState(
                name(),
                region(),
                Math.min(limits.capacityBytes(), room),
                used,
                meter.requests().load(),
                meter.ingress().load(),
                meter.egress().load(),
                draining,
                readOnly,
                usable > 0,
                breaker.admission());
    }

    /**
     * Sets bytes aside for a write, as soon as the account is chosen. Empty if other writes have taken the room since: however many
     * reserve at once, no more than {@code maxUsedBytes} come to be used.
     *
     * @param maxUsedBytes as {@link io.headgate.placement.Choice.Chosen} says; {@link Long#MAX_VALUE} for no limit
     */
    public Optional<Reservation> tryReserve(long bytes, long maxUsedBytes) {
        return hasReserved(bytes, maxUsedBytes)
                ? Optional.of(new Reservation(this, bytes, false, 0))
                : Optional.empty();
    }

    /**
     * The same for a write that follows at once: it also counts against the account's rates from here on. Empty if other writes have
     * taken what there was of them.
     *
     * @param thresholds how much of its limits the account may use
     */
    public Optional<Reservation> tryAdmit(long bytes, long maxUsedBytes, Thresholds thresholds) {
        Rate requests = meter.requests();
        Rate ingress = meter.ingress();
        if (!requests.tryTake(1, thresholds.maxRequestRatio())) {
            return Optional.empty();
        }
        long ahead = thresholds.bytesAhead(bytes, ingress.limitPerSecond());
        if (!ingress.tryTake(ahead, thresholds.maxByteRateRatio())) {
            requests.giveBack(1);
            return Optional.empty();
        }
        if (!hasReserved(bytes, maxUsedBytes)) {
            requests.giveBack(1);
            ingress.giveBack(ahead);
            return Optional.empty();
        }
        return Optional.of(new Reservation(this, bytes, true, ahead));
    }

    private boolean hasReserved(long bytes, long maxUsedBytes) {
        long others = maxUsedBytes == Long.MAX_VALUE ? 0 : elsewhere.reservedBytes;
        return meter.tryReserve(bytes, maxUsedBytes - others);
    }

    /**
     * Stores a blob, as {@link BlobStore#put} does.
     *
     * @param reservation of this account, not yet ended; stays the caller's to commit or close
     * @throws BreakerOpenException if the account was not asked and nothing of {@code body} was read
     */
    public void put(Reservation reservation, BlobId id, long lengthBytes, InputStream body) throws IOException {
        if (!reservation.account().equals(this)) {
            throw new IllegalArgumentException(
                    "a reservation of account " + reservation.account().name());
        }
        CircuitBreaker.Permit permit = breaker.tryAcquire().orElseThrow(() -> rejected(Operation.PUT));
        Request request = new Request(Operation.PUT, permit, reservation.admitted());
        MeteredBody metered = new MeteredBody(
                body, reservation.admittedBytes(), lengthBytes, store.putRequests(lengthBytes) - 1, meter, nanoClock);
        try {
            store.put(id, lengthBytes, metered);
            request.end(Result.OK, metered.waitedNanos());
        } catch (Throwable failure) {
            request.end(metered.failed() ? Result.CALLER : resultOf(failure), metered.waitedNanos());
            throw failure;
        }
    }

    /**
     * Opens a run of a blob for reading, as {@link BlobStore#get} does. To be closed by the caller.
     *
     * @throws BreakerOpenException if the account was not asked
     */
    public ReadableByteChannel get(BlobId id, long offsetBytes, long lengthBytes)
            throws BlobStoreException, BreakerOpenException {
        Optional<CircuitBreaker.Permit> permit = breaker.tryAcquireClosed();
        boolean trial = permit.isEmpty();
        if (trial && !trialReads.tryAcquire()) {
            throw rejected(Operation.GET);
        }
        Request request = new Request(Operation.GET, permit.orElse(null));
        Runnable endOfTrial = trial ? trialReads::release : () -> {};
        try {
            return new MeteredChannel(store.get(id, offsetBytes, lengthBytes), request, meter, nanoClock, endOfTrial);
        } catch (Throwable failure) {
            endOfTrial.run();
            request.end(resultOf(failure), 0);
            throw failure;
        }
    }

    /**
     * Removes a blob, as {@link BlobStore#delete} does.
     *
     * @throws BreakerOpenException if the account was not asked
     */
    public void delete(BlobId id) throws BlobStoreException, BreakerOpenException {
        Optional<CircuitBreaker.Permit> permit = breaker.tryAcquireClosed();
        boolean trial = permit.isEmpty();
        if (trial && !trialDelete.tryAcquire()) {
            throw rejected(Operation.DELETE);
        }
        Request request = new Request(Operation.DELETE, permit.orElse(null));
        try {
            store.delete(id);
            request.end(Result.OK, 0);
        } catch (Throwable failure) {
            request.end(resultOf(failure), 0);
            throw failure;
        } finally {
            if (trial) {
                trialDelete.release();
            }
        }
    }

    /**
     * Lists blobs, as {@link BlobStore#list} does.
     *
     * @throws BreakerOpenException if the account was not asked
     */
    public List<StoredBlob> list(int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit)
            throws BlobStoreException, BreakerOpenException {
        CircuitBreaker.Permit permit = breaker.tryAcquireClosed().orElseThrow(() -> rejected(Operation.LIST));
        Request request = new Request(Operation.LIST, permit);
        try {
            List<StoredBlob> page = store.list(fanOut, from, to, after, limit);
            request.end(Result.OK, 0);
            return page;
        } catch (Throwable failure) {
            request.end(resultOf(failure), 0);
            throw failure;
        }
    }

    /**
     * Writes, reads and deletes a small blob: as the probe of a half-open breaker, so that an account comes back without a client's
     * help, or in the closed state as a check.
     *
     * @param id a fresh id
     * @throws BreakerOpenException if the breaker is open, or another probe is under way
     */
    public void probe(BlobId id) throws BlobStoreException, BreakerOpenException {
        CircuitBreaker.Permit permit = breaker.tryAcquire().orElseThrow(() -> rejected(Operation.PROBE));
        Request request = new Request(Operation.PROBE, permit);
        try {
            store.probe(id);
            request.end(Result.OK, 0);
        } catch (Throwable failure) {
            request.end(resultOf(failure), 0);
            throw failure;
        }
    }

    /**
     * Tries all that is asked of the account's store, whatever the breaker says, which hears nothing of it.
     *
     * @param id a fresh id
     */
    public StoreCheck.Report check(BlobId id, InstantSource clock) {
        meter.request();
        return StoreCheck.run(store, id, clock);
    }

    /** Closes the account's store. */
    @Override
    public void close() {
        store.close();
    }

    @Override
    public String toString() {
        return name();
    }

    private BreakerOpenException rejected(Operation operation) {
        listener.operation(name(), operation, Result.REJECTED, 0);
        return new BreakerOpenException(name());
    }

    /** An unexpected exception is a fault of ours, not the account's. */
    private static Result resultOf(Throwable failure) {
        if (failure instanceof BlobStoreException known) {
            return switch (known.kind()) {
                case ACCOUNT_FAULT -> Result.FAULT;
                case THROTTLED -> Result.THROTTLED;
                case MISSING -> Result.MISSING;
            };
        }
        return Result.CALLER;
    }

    /** One request to the account, from its permit to its outcome. */
    final class Request {
        private final Operation operation;
        private final CircuitBreaker.@Nullable Permit permit;
        private final long startedNanos = nanoClock.getAsLong();

        private Request(Operation operation, CircuitBreaker.@Nullable Permit permit) {
            this(operation, permit, false);
        }

        private Request(Operation operation, CircuitBreaker.@Nullable Permit permit, boolean admitted) {
            this.operation = operation;
            this.permit = permit;
            if (admitted) {
                meter.admittedRequest();
            } else {
                meter.request();
            }
        }

        /** Reports the outcome, once. */
        void end(Result result, long waitedNanos) {
            long now = nanoClock.getAsLong();
            if (permit != null) {
                report(permit, result);
            }
            if (result == Result.THROTTLED) {
                throttled.add(now, 1);
                double sent = Math.max(1, meter.requests().sentPerSecond());
                requestCeiling.throttled(
                        sent + elsewhere.requestsPerSecond, Math.min(1, throttled.perSecond(now) / sent), now);
            }
            listener.operation(name(), operation, result, Math.max(0, now - startedNanos - waitedNanos));
        }

        void fail(Throwable failure, long waitedNanos) {
            end(resultOf(failure), waitedNanos);
        }

        private static void report(CircuitBreaker.Permit permit, Result result) {
            switch (result) {
                case OK, MISSING -> permit.succeeded();
                case FAULT -> permit.failed();
                case THROTTLED, CALLER, REJECTED -> permit.released();
            }
        }
    }
}
