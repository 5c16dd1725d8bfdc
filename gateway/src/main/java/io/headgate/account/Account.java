package io.headgate.account;

import io.headgate.account.AccountListener.Operation;
import io.headgate.account.AccountListener.Result;
import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import io.headgate.placement.AccountState;
import io.headgate.placement.AccountState.Load;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
    /** After how long without progress an account is given up on by default. */
    public static final Duration STALL_TIMEOUT = Duration.ofSeconds(15);

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

    private final Description description;
    private final BlobStore store;
    private final LongSupplier nanoClock;
    private final AccountListener listener;
    private final Meter meter;
    private final CircuitBreaker breaker;
    private final AdaptiveCeiling requestCeiling;
    private final Semaphore trialReads = new Semaphore(MAX_TRIAL_READS);
    private final Semaphore trialDelete = new Semaphore(1);
    private final Duration stallTimeout;
    private final Set<Call> calls = ConcurrentHashMap.newKeySet();
    private volatile boolean draining;
    private volatile boolean readOnly;

    /** An account with the {@link #STALL_TIMEOUT}. */
    public Account(
            Description description,
            CircuitBreaker.Settings breaker,
            BlobStore store,
            LongSupplier nanoClock,
            AccountListener listener) {
        this(description, breaker, STALL_TIMEOUT, store, nanoClock, listener);
    }

    /**
     * @param stallTimeout how long the account may take from one piece of a body to the next, to answer, or to yield the next bytes;
     *     the time for which it waits for the body or the reader does not count
     * @param store closed with the account
     * @param nanoClock as {@link System#nanoTime}
     */
    public Account(
            Description description,
            CircuitBreaker.Settings breaker,
            Duration stallTimeout,
            BlobStore store,
            LongSupplier nanoClock,
            AccountListener listener) {
        this.stallTimeout = stallTimeout;
        this.description = description;
        this.store = store;
        this.nanoClock = nanoClock;
        this.listener = listener;
        this.meter = new Meter(nanoClock);
        this.breaker = new CircuitBreaker(
                breaker, nanoClock, (from, to) -> listener.breakerChanged(description.name(), from, to));
        this.requestCeiling = new AdaptiveCeiling(ceiling(description.limits().requestsPerSecond()));
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

    /** Requests/s that the account is believed to bear: its limit, lower for a while after it throttled. */
    public double requestCeilingPerSecond() {
        return requestCeiling.perSecond(nanoClock.getAsLong());
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
        // Whatever was promised, an account holds no more than it has room for beside what is not ours.
        long room = usable == Long.MAX_VALUE ? Long.MAX_VALUE : settled + usable;
        return new AccountState(
                name(),
                region(),
                Math.min(limits.capacityBytes(), room),
                settled + meter.reservedBytes(),
                new Load(meter.requestsPerSecond(), requestCeilingPerSecond()),
                new Load(meter.ingressBytesPerSecond(), ceiling(limits.ingressBytesPerSecond())),
                new Load(meter.egressBytesPerSecond(), ceiling(limits.egressBytesPerSecond())),
                draining,
                readOnly,
                usable > 0,
                breaker.admission());
    }

    /** Sets bytes aside for a write: to be done as soon as the account is chosen. */
    public Reservation reserve(long bytes) {
        return new Reservation(this, bytes);
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
        Call call = begin(Operation.PUT, permit);
        MeteredBody metered = new MeteredBody(body, meter, call);
        try {
            store.put(id, lengthBytes, metered);
        } catch (Throwable failure) {
            if (metered.failed()) {
                call.end(Result.CALLER);
            } else {
                call.failed(failure);
            }
            throw failure;
        }
        call.end(Result.OK);
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
        Call call = begin(Operation.GET, permit.orElse(null));
        Runnable endOfTrial = trial ? trialReads::release : () -> {};
        try {
            ReadableByteChannel source = store.get(id, offsetBytes, lengthBytes);
            call.pause();
            return new MeteredChannel(source, call, meter, endOfTrial);
        } catch (Throwable failure) {
            endOfTrial.run();
            call.failed(failure);
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
        Call call = begin(Operation.DELETE, permit.orElse(null));
        try {
            store.delete(id);
            call.end(Result.OK);
        } catch (Throwable failure) {
            call.failed(failure);
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
        Call call = begin(Operation.LIST, permit);
        try {
            List<StoredBlob> page = store.list(fanOut, from, to, after, limit);
            call.end(Result.OK);
            return page;
        } catch (Throwable failure) {
            call.failed(failure);
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
        Call call = begin(Operation.PROBE, permit);
        try {
            store.probe(id);
            call.end(Result.OK);
        } catch (Throwable failure) {
            call.failed(failure);
            throw failure;
        }
    }

    /** Interrupts the calls that the account has kept waiting for longer than the stall time-out, which then fail as its faults. */
    void interruptStalled() {
        long now = nanoClock.getAsLong();
        for (Call call : calls) {
            call.interruptIfStalled(now);
        }
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

    private static double ceiling(long limit) {
        return limit == Limits.UNLIMITED ? Double.POSITIVE_INFINITY : limit;
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

    private Call begin(Operation operation, CircuitBreaker.@Nullable Permit permit) {
        meter.request();
        Call call = new Call(operation, permit);
        calls.add(call);
        return call;
    }

    /**
     * One request to the account, from its permit to its outcome. Its thread is now in the account, now outside, waiting for the body
     * or the reader: {@link #pause} and {@link #resume} say so.
     */
    final class Call {
        private final Operation operation;
        private final CircuitBreaker.@Nullable Permit permit;
        private long accountNanos;

        // Guarded by this: the thread is interrupted only while it is in the account
        private @Nullable Thread inAccount = Thread.currentThread();
        private long sinceNanos = nanoClock.getAsLong();
        private boolean stalled;
        private boolean ended;

        private Call(Operation operation, CircuitBreaker.@Nullable Permit permit) {
            this.operation = operation;
            this.permit = permit;
        }

        /** The thread leaves the account. */
        synchronized void pause() {
            if (inAccount != null) {
                inAccount = null;
                accountNanos += nanoClock.getAsLong() - sinceNanos;
            }
        }

        /** A thread is in the account again. */
        synchronized void resume() {
            inAccount = Thread.currentThread();
            sinceNanos = nanoClock.getAsLong();
        }

        private synchronized void interruptIfStalled(long nowNanos) {
            if (inAccount != null && nowNanos - sinceNanos >= stallTimeout.toNanos()) {
                stalled = true;
                inAccount.interrupt();
            }
        }

        /**
         * Reports the outcome of a call that threw {@code failure}.
         *
         * @throws BlobStoreException if it did so because it was interrupted for taking too long
         */
        void failed(Throwable failure) throws BlobStoreException {
            pause();
            if (hasStalled()) {
                end(Result.FAULT);
                throw new BlobStoreException(
                        BlobStoreException.Kind.ACCOUNT_FAULT,
                        "Account " + name() + " made no progress for " + stallTimeout.toSeconds() + " s",
                        failure);
            }
            end(resultOf(failure));
        }

        private synchronized boolean hasStalled() {
            return stalled;
        }

        /** Reports the outcome; only the first counts. */
        void end(Result result) {
            pause();
            if (!endOnce()) {
                return;
            }
            calls.remove(this);
            if (permit != null) {
                report(permit, result);
            }
            if (result == Result.THROTTLED) {
                requestCeiling.throttled(meter.requestsPerSecond(), nanoClock.getAsLong());
            }
            listener.operation(name(), operation, result, accountNanos);
        }

        private synchronized boolean endOnce() {
            if (ended) {
                return false;
            }
            ended = true;
            if (stalled) {
                Thread.interrupted(); // ours, and answered
            }
            return true;
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
