package io.headgate.work;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.domain.BlobId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A store that does what the real one behind it does, until it is told to fail. */
public final class FaultyStore implements BlobStore {
    /** What goes wrong. */
    public enum Fault {
        NONE,
        FAILS,
        /** Takes some of a blob's bytes, then fails. */
        FAILS_LATE,
        THROTTLES,
        /** Takes some of a blob's bytes, then throttles. */
        THROTTLES_LATE,
        /** Takes no bytes, but gives and deletes them. */
        FULL,
        /** Gives other bytes than it was given. */
        GARBLES,
        /** Each call hangs until the fault is taken back. */
        STALLS
    }

    private final BlobStore real;
    private final Set<BlobId> undeletable = ConcurrentHashMap.newKeySet();
    private final AtomicInteger puts = new AtomicInteger();
    private final AtomicInteger stalled = new AtomicInteger();
    private volatile CountDownLatch flowing = new CountDownLatch(0);
    private volatile Fault fault = Fault.NONE;

    public FaultyStore(BlobStore real) {
        this.real = real;
    }

    public void set(Fault next) {
        fault = next;
        if (next == Fault.STALLS) {
            flowing = new CountDownLatch(1);
        } else {
            flowing.countDown();
        }
    }

    /** Deleting this blob fails, whatever the store's state. */
    public void makeUndeletable(BlobId blob) {
        undeletable.add(blob);
    }

    public void makeDeletable(BlobId blob) {
        undeletable.remove(blob);
    }

    /** How many puts it was asked for. */
    public int puts() {
        return puts.get();
    }

    /** How many calls hang. */
    public int stalledCalls() {
        return stalled.get();
    }

    @Override
    public void put(BlobId id, long lengthBytes, InputStream body) throws IOException {
        puts.incrementAndGet();
        check(true);
        if (fault == Fault.FAILS_LATE) {
            body.readNBytes((int) lengthBytes / 2 + 1);
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "input/output error in the midst");
        }
        if (fault == Fault.THROTTLES_LATE) {
            body.readNBytes((int) lengthBytes / 2 + 1);
            throw new BlobStoreException(Kind.THROTTLED, "slow down in the midst");
        }
        real.put(id, lengthBytes, body);
    }

    @Override
    public ReadableByteChannel get(BlobId id, long offsetBytes, long lengthBytes) throws BlobStoreException {
        check(false);
        ReadableByteChannel channel = real.get(id, offsetBytes, lengthBytes);
        return fault == Fault.GARBLES ? garbled(channel) : channel;
    }

    @Override
    public void delete(BlobId id) throws BlobStoreException {
        check(false);
        if (undeletable.contains(id)) {
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "blob " + id + " cannot be deleted");
        }
        real.delete(id);
    }

    @Override
    public List<StoredBlob> list(int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit)
            throws BlobStoreException {
        check(false);
        return real.list(fanOut, from, to, after, limit);
    }

    @Override
    public void probe(BlobId id) throws BlobStoreException {
        check(true);
        real.probe(id);
    }

    @Override
    public long usableBytes() {
        return fault == Fault.FULL ? 0 : real.usableBytes();
    }

    @Override
    public void close() {
        set(Fault.NONE);
        real.close();
    }

    private static ReadableByteChannel garbled(ReadableByteChannel channel) {
        return new ReadableByteChannel() {
            @Override
            public int read(ByteBuffer into) throws IOException {
                int from = into.position();
                int read = channel.read(into);
                if (read > 0) {
                    into.put(from, (byte) ~into.get(from));
                }
                return read;
            }

            @Override
            public boolean isOpen() {
                return channel.isOpen();
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    private void check(boolean writes) throws BlobStoreException {
        switch (fault) {
            case NONE -> {}
            case FAILS_LATE, THROTTLES_LATE, GARBLES -> {}
            case FAILS -> throw new BlobStoreException(Kind.ACCOUNT_FAULT, "input/output error");
            case THROTTLES -> throw new BlobStoreException(Kind.THROTTLED, "slow down");
            case FULL -> {
                if (writes) {
                    throw new BlobStoreException(Kind.ACCOUNT_FAULT, "no space left on device");
                }
            }
            case STALLS -> stall();
        }
    }

    private void stall() throws BlobStoreException {
        stalled.incrementAndGet();
        try {
            flowing.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "interrupted", interrupted);
        } finally {
            stalled.decrementAndGet();
        }
    }
}
