package io.headgate.domain;

import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Makes blob ids, handing out the slots in turn so that blob records spread evenly. Thread-safe. */
public final class BlobIds {
    private final InstantSource clock;
    private final LongSupplier random;
    private final AtomicInteger nextSlot;

    /** @param random uniformly distributed 64-bit numbers; thread-safe */
    public BlobIds(InstantSource clock, LongSupplier random) {
        this.clock = clock;
        this.random = random;
        this.nextSlot = new AtomicInteger((int) random.getAsLong());
    }

    /** A new id, stamped with the clock's current second. */
    public BlobId next() {
        int slot = nextSlot.getAndIncrement() & (BlobId.SLOTS - 1);
        return BlobId.of(clock.instant().getEpochSecond(), slot, random.getAsLong(), random.getAsLong());
    }
}
