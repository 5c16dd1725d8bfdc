package io.headgate.domain;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Makes blob ids, handing out the slots in turn so that blob records spread evenly. Thread-safe. */
public final class BlobIds {
    private final LongSupplier random;
    private final AtomicInteger nextSlot;

    /** @param random uniformly distributed 64-bit numbers; thread-safe */
    public BlobIds(LongSupplier random) {
        this.random = random;
        this.nextSlot = new AtomicInteger((int) random.getAsLong());
    }

    /** A new id, stamped with the second of {@code stamp}. */
    public BlobId next(Instant stamp) {
        int slot = nextSlot.getAndIncrement() & (BlobId.SLOTS - 1);
        return BlobId.of(stamp.getEpochSecond(), slot, random.getAsLong(), random.getAsLong());
    }
}
