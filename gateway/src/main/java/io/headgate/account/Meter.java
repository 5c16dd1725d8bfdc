package io.headgate.account;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * What an account is doing and holding. Figures of a rate cover the last five seconds, {@link Rate} the last one. Thread-safe.
 *
 * <p>Of the bytes, the meter knows what this process wrote; {@link #setUsage} replaces that with what the namespace knows, from
 * time to time, since overwrites and other gateways move bytes without passing here.
 */
public final class Meter {
    private final LongSupplier nanoClock;
    private final RollingRate requests;
    private final RollingRate bytesIn;
    private final RollingRate bytesOut;
    private final Rate requestRate;
    private final Rate ingressRate;
    private final Rate egressRate;
    private final LongAdder heldBytes = new LongAdder();
    private final LongAdder garbageBytes = new LongAdder();
    private final LongAdder reservedBytes = new LongAdder();
    private final LongAdder committedBytes = new LongAdder();
    private final RateWindow committedLately;
    /** The sum of held, reserved and garbage; one number, so that two writes cannot both get the last free bytes. */
    private final AtomicLong usedBytes = new AtomicLong();

    /**
     * Of an account without limits.
     *
     * @param nanoClock as {@link System#nanoTime}
     */
    public Meter(LongSupplier nanoClock) {
        this(nanoClock, Limits.NONE, () -> Double.POSITIVE_INFINITY);
    }

    /** @param requestCeilingPerSecond what the account bears, at most its limit */
    Meter(LongSupplier nanoClock, Limits limits, DoubleSupplier requestCeilingPerSecond) {
        this.nanoClock = nanoClock;
        this.requestRate = new Rate(nanoClock, requestCeilingPerSecond);
        this.ingressRate = new Rate(nanoClock, () -> Limits.perSecond(limits.ingressBytesPerSecond()));
        this.egressRate = new Rate(nanoClock, () -> Limits.perSecond(limits.egressBytesPerSecond()));
        long now = nanoClock.getAsLong();
        this.requests = new RollingRate(now);
        this.bytesIn = new RollingRate(now);
        this.bytesOut = new RollingRate(now);
        this.committedLately = new RateWindow(now);
    }

    /** Requests, as they are held to the account's limit. */
    public Rate requests() {
        return requestRate;
    }

    /** Bytes into the account, likewise. */
    public Rate ingress() {
        return ingressRate;
    }

    /** Bytes out of the account, likewise. */
    public Rate egress() {
        return egressRate;
    }

    public double requestsPerSecond() {
        return requests.perSecond(nanoClock.getAsLong());
    }

    /** Bytes/s into the account. */
    public double ingressBytesPerSecond() {
        return bytesIn.perSecond(nanoClock.getAsLong());
    }

    /** Bytes/s out of the account. */
    public double egressBytesPerSecond() {
        return bytesOut.perSecond(nanoClock.getAsLong());
    }

    /** Requests since the start. */
    public long requestsTotal() {
        return requests.total();
    }

    /** Bytes into the account since the start, those of broken writes included. */
    public long bytesInTotal() {
        return bytesIn.total();
    }

    /** Bytes out of the account since the start. */
    public long bytesOutTotal() {
        return bytesOut.total();
    }

    /** Bytes of committed blobs. */
    public long heldBytes() {
        return Math.max(0, heldBytes.sum());
    }

    /** Bytes of writes in progress. */
    public long reservedBytes() {
        return Math.max(0, reservedBytes.sum());
    }

    /** Bytes of writes in progress or committed within the last second, which other gateways may not know to be held yet. */
    public long unsettledBytes() {
        return reservedBytes() + committedLately.perSecond(nanoClock.getAsLong());
    }

    /** Bytes waiting for deletion: they take up room until they are gone. */
    public long garbageBytes() {
        return Math.max(0, garbageBytes.sum());
    }

    /** Held, reserved and waiting for deletion. */
    public long usedBytes() {
        return Math.max(0, usedBytes.get());
    }

    /** Bytes that writes of this process have committed since the start. */
    public long committedBytesTotal() {
        return committedBytes.sum();
    }

    /**
     * Takes over the namespace's figures. A write that commits while the namespace is asked may be counted twice until the next call,
     * but is never missed, which could fill the account over its capacity. Called by one thread at a time.
     *
     * @param committedBefore {@link #committedBytesTotal} from before the namespace was asked
     */
    public void setUsage(long heldBytes, long garbageBytes, long committedBefore) {
        long held = heldBytes + committedBytes.sum() - committedBefore - this.heldBytes.sum();
        long garbage = garbageBytes - this.garbageBytes.sum();
        this.heldBytes.add(held);
        this.garbageBytes.add(garbage);
        usedBytes.addAndGet(held + garbage);
    }

    /** Bytes of a write that failed and may have left something wait for deletion. */
    public void abandoned(long bytes) {
        garbageBytes.add(bytes);
        usedBytes.addAndGet(bytes);
    }

    /** Bytes that waited for deletion are gone. */
    public void garbageDeleted(long bytes) {
        garbageBytes.add(-bytes);
        usedBytes.addAndGet(-bytes);
    }

    void request() {
        requestRate.add(1);
        admittedRequest();
    }

    /** A request that {@link #requests} knows already. */
    void admittedRequest() {
        requests.add(nanoClock.getAsLong(), 1);
    }

    void in(long bytes) {
        in(bytes, 0);
    }

    /** @param known how many of them {@link #ingress} knows already */
    void in(long bytes, long known) {
        bytesIn.add(nanoClock.getAsLong(), bytes);
        ingressRate.add(bytes - known);
    }

    void out(long bytes) {
        bytesOut.add(nanoClock.getAsLong(), bytes);
        egressRate.add(bytes);
    }

    /** Reserves the bytes, unless more than {@code maxUsedBytes} would be used then; decided and done in one step. */
    boolean tryReserve(long bytes, long maxUsedBytes) {
        while (true) {
            long used = usedBytes.get();
            if (Math.max(0, used) > maxUsedBytes - bytes) {
                return false;
            }
            if (usedBytes.compareAndSet(used, used + bytes)) {
                reservedBytes.add(bytes);
                return true;
            }
        }
    }

    void release(long bytes) {
        reservedBytes.add(-bytes);
        usedBytes.addAndGet(-bytes);
    }

    /** What was reserved is held: as much is used as before. */
    void commit(long bytes) {
        heldBytes.add(bytes);
        committedBytes.add(bytes);
        committedLately.add(nanoClock.getAsLong(), bytes);
        reservedBytes.add(-bytes);
    }
}
