package io.headgate.benchmarks;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.domain.BlobId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An account that works as the one behind it until it is told to degrade. Thread-safe. */
final class FaultyAccount implements BlobStore {
    /** How an account degrades. */
    enum Fault {
        /** Each call fails at once, reads too. */
        ERRORS,
        /** Each write, deletion and probe takes a second and then fails; each read takes a second longer. */
        SLOW
    }

    private static final Duration DELAY = Duration.ofSeconds(1);

    private final BlobStore real;
    private volatile @Nullable Fault fault;

    FaultyAccount(BlobStore real) {
        this.real = real;
    }

    /** From now on; calls that have begun end as they would have. */
    void degrade(Fault how) {
        fault = how;
    }

    /** From now on; calls that have begun end as they would have. */
    void recover() {
        fault = null;
    }

    @Override
    public void put(BlobId id, long lengthBytes, InputStream body) throws IOException {
        failIfDegraded();
        real.put(id, lengthBytes, body);
    }

    @Override
    public ReadableByteChannel get(BlobId id, long offsetBytes, long lengthBytes) throws BlobStoreException {
        switch (fault) {
            case null -> {}
            case ERRORS -> throw failure();
            case SLOW -> delay();
        }
        return real.get(id, offsetBytes, lengthBytes);
    }

    @Override
    public void delete(BlobId id) throws BlobStoreException {
        failIfDegraded();
        real.delete(id);
    }

    @Override
    public List<StoredBlob> list(int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit)
            throws BlobStoreException {
        failIfDegraded();
        return real.list(fanOut, from, to, after, limit);
    }

    @Override
    public void probe(BlobId id) throws BlobStoreException {
        failIfDegraded();
        real.probe(id);
    }

    @Override
    public long usableBytes() {
        return real.usableBytes();
    }

    @Override
    public void close() {
        real.close();
    }

    private void failIfDegraded() throws BlobStoreException {
        switch (fault) {
            case null -> {}
            case ERRORS -> throw failure();
            case SLOW -> {
                delay();
                throw failure();
            }
        }
    }

    private static void delay() throws BlobStoreException {
        try {
            Thread.sleep(DELAY);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "interrupted while it degraded", stopped);
        }
    }

    private static BlobStoreException failure() {
        return new BlobStoreException(Kind.ACCOUNT_FAULT, "degraded for the benchmark");
    }
}
