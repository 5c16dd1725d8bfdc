package io.headgate.work;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import java.io.*;
import java.nio.channels.*;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.ConcurrentSkipListMap;

final class MemoryStore implements BlobStore {
    final ConcurrentSkipListMap<BlobId, byte[]> blobs = new ConcurrentSkipListMap<>();

    public void put(BlobId id, long n, InputStream body) throws IOException {
        blobs.put(id, body.readAllBytes());
    }

    public ReadableByteChannel get(BlobId id, long o, long l) throws BlobStoreException {
        byte[] b = blobs.get(id);
        if (b == null) throw new BlobStoreException(BlobStoreException.Kind.MISSING, "x");
        return Channels.newChannel(new ByteArrayInputStream(b, (int) o, (int) l));
    }

    public void delete(BlobId id) {
        blobs.remove(id);
    }

    public List<StoredBlob> list(int f, Instant from, Instant to, BlobId after, int limit) {
        return blobs.entrySet().stream()
                .filter(e -> e.getKey().fanOut() == f
                        && (after == null || e.getKey().compareTo(after) > 0)
                        && !e.getKey().createdAt().isBefore(from)
                        && e.getKey().createdAt().isBefore(to))
                .limit(limit)
                .map(e -> new StoredBlob(e.getKey(), e.getValue().length))
                .toList();
    }

    public void probe(BlobId id) {}

    public void close() {}
}
