package io.headgate.account;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * What an account is doing and holding. Rates cover the last five seconds. Thread-safe; counting does not contend.
 *
 * <p>Of the bytes, the meter knows what this process wrote; {@link #setUsage} replaces that with what the namespace knows, from
 * time to time, since overwrites and other gateways move bytes without passing here.
 */
public final class Meter {
    private final LongSupplier nanoClock;
    private final RollingRate requests;
    private final RollingRate bytesIn;
    private final RollingRate bytesOut;
    private final LongAdder heldBytes = new LongAdder();
    private final LongAdder garbageBytes = new LongAdder();
    /** Exact at every instant, not just when folded: two writes must not both get the last free bytes. */
    private final AtomicLong reservedBytes = new AtomicLong();

    /** @param nanoClock as {@link System#nanoTime} */
    public Meter(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        long now = nanoClock.getAsLong();
        this.requests = new RollingRate(now);
        this.bytesIn = new RollingRate(now);
        this.bytesOut = new RollingRate(now);
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
        return reservedBytes.get();
    }

    /** Bytes waiting for deletion: they take up room until they are gone. */
    public long garbageBytes() {
        return Math.max(0, garbageBytes.sum());
    }

    /** Held, reserved and waiting for deletion. */
    public long usedBytes() {
        return heldBytes() + reservedBytes() + garbageBytes();
    }

    /**
     * Takes over the namespace's figures. A write that commits between the namespace's snapshot and this call is missed until the
     * next one.
     */
    public void setUsage(long heldBytes, long garbageBytes) {
        this.heldBytes.add(heldBytes - this.heldBytes.sum());
        this.garbageBytes.add(garbageBytes - this.garbageBytes.sum());
    }

    /** Held bytes lost their last reference and wait for deletion. */
    public void becameGarbage(long bytes) {
        heldBytes.add(-bytes);
        garbageBytes.add(bytes);
    }

    /** Bytes of a write that failed and may have left something wait for deletion. */
    public void abandoned(long bytes) {
        garbageBytes.add(bytes);
    }

    /** Bytes that waited for deletion are gone. */
    public void garbageDeleted(long bytes) {
        garbageBytes.add(-bytes);
    }

    void request() {
        requests.add(nanoClock.getAsLong(), 1);
    }

    void in(long bytes) {
        bytesIn.add(nanoClock.getAsLong(), bytes);
    }

    void out(long bytes) {
        bytesOut.add(nanoClock.getAsLong(), bytes);
    }

    void reserve(long bytes) {
        reservedBytes.addAndGet(bytes);
    }

    void release(long bytes) {
        reservedBytes.addAndGet(-bytes);
    }

    void commit(long bytes) {
        heldBytes.add(bytes);
        reservedBytes.addAndGet(-bytes);
    }
}
