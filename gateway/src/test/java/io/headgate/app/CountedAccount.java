package io.headgate.app;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A service that allows so many requests in any second and throttles those above, as the gateways that share it see it: each has a store
 * of its own behind it.
 */
final class CountedAccount {
    private static final long SECOND_NANOS = 1_000_000_000;

    private final int mostPerSecond;
    private final List<Long> arrivals = new ArrayList<>();
    private int first;
    private int throttled;
    private int most;

    CountedAccount(int mostPerSecond) {
        this.mostPerSecond = mostPerSecond;
    }

    synchronized int requests() {
        return arrivals.size();
    }

    synchronized int throttled() {
        return throttled;
    }

    /** The most requests that arrived in any one second. */
    synchronized int mostInASecond() {
        return most;
    }

    private synchronized void arrive() throws BlobStoreException {
        long now = System.nanoTime();
        arrivals.add(now);
        while (now - arrivals.get(first) >= SECOND_NANOS) {
            first++;
        }
        int inSecond = arrivals.size() - first;
        most = Math.max(most, inSecond);
        if (inSecond > mostPerSecond) {
            throttled++;
            throw new BlobStoreException(BlobStoreException.Kind.THROTTLED, "slow down");
        }
    }

    /** The service for one more gateway. */
    BlobStore before(BlobStore store) {
        return new Counted(store);
    }

    private final class Counted implements BlobStore {
        private final BlobStore store;

        Counted(BlobStore store) {
            this.store = store;
        }

        @Override
        public void put(BlobId id, long lengthBytes, InputStream body) throws IOException {
            arrive();
            store.put(id, lengthBytes, body);
        }

        @Override
        public ReadableByteChannel get(BlobId id, long offsetBytes, long lengthBytes) throws BlobStoreException {
            arrive();
            return store.get(id, offsetBytes, lengthBytes);
        }

        @Override
        public void delete(BlobId id) throws BlobStoreException {
            arrive();
            store.delete(id);
        }

        @Override
        public List<StoredBlob> list(int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit)
                throws BlobStoreException {
            arrive();
            return store.list(fanOut, from, to, after, limit);
        }

        @Override
        public void probe(BlobId id) throws BlobStoreException {
            arrive();
            store.probe(id);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
