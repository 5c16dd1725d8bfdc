package io.headgate.domain;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Makes blob ids, handing out the slots in turn, so that blob records spread evenly, where none is asked for. Thread-safe. */
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
        return next(stamp, nextSlot.getAndIncrement() & (BlobId.SLOTS - 1));
    }

    /**
     * The same, of a slot.
     *
     * @param slot 0 to {@link BlobId#SLOTS} - 1
     */
    public BlobId next(Instant stamp, int slot) {
        return BlobId.of(stamp.getEpochSecond(), slot, random.getAsLong(), random.getAsLong());
    }
}
