package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Gives blobs that are in the journal their own files, in the order in which they came. The queue is as long as the journal's
 * segments allow. Thread-safe.
 */
final class BlobWriter {
    private static final long RETRY_NANOS = 1_000_000_000;

    private final BlobFiles files;
    private final Map<BlobId, PendingBlob> pending = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<PendingBlob> queue = new ArrayDeque<>();
    private boolean draining;
    private boolean abandoned;
    private volatile @Nullable IOException trouble;

    BlobWriter(BlobFiles files) {
        this.files = files;
    }

    void add(PendingBlob blob) {
        pending.put(blob.id(), blob);
        lock.lock();
        try {
            queue.add(blob);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** The blob is deleted: if it has no file yet, it gets none. */
    void cancel(BlobId id) {
        PendingBlob blob = pending.remove(id);
        if (blob != null) {
            blob.cancel();
        }
    }

    /** Sees to it that the blob, if it waits for its file, has it. */
    void settle(BlobId id) throws IOException {
        PendingBlob blob = pending.get(id);
        if (blob != null) {
            blob.writeAside(files);
        }
    }

    /** The same for all blobs of a fan-out value. */
    void settleAll(int fanOut) throws IOException {
        for (PendingBlob blob : pending.values()) {
            if (blob.id().fanOut() == fanOut) {
                blob.writeAside(files);
            }
        }
    }

    /** Why files cannot be written at present, if so. It is tried again. */
    @Nullable IOException trouble() {
        return trouble;
    }

    /** Writes files until drained or abandoned. For a thread of its own. */
    void run() {
        while (true) {
            PendingBlob blob = next();
            if (blob == null) {
                return;
            }
            try {
                blob.write(files);
                pending.remove(blob.id(), blob);
                trouble = null;
            } catch (IOException failure) {
                // The disk is full, say. The blob is safe in the journal, which takes no more until this one has its
                // file.
                trouble = failure;
                putBack(blob);
            }
        }
    }

    private @Nullable PendingBlob next() {
        lock.lock();
        try {
            while (queue.isEmpty() && !draining && !abandoned) {
                changed.awaitUninterruptibly();
            }
            return abandoned ? null : queue.poll();
        } finally {
            lock.unlock();
        }
    }

    private void putBack(PendingBlob blob) {
        lock.lock();
        try {
            queue.addFirst(blob);
            if (draining) {
                abandoned = true; // the next start finds it in the journal
            }
            long left = RETRY_NANOS;
            while (left > 0 && !draining && !abandoned) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException stop) {
            abandoned = true;
        } finally {
            lock.unlock();
        }
    }

    /** Lets {@link #run} end when the queue is empty, or at the first file that cannot be written. */
    void drain() {
        lock.lock();
        try {
            draining = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets {@link #run} end at once. */
    void abandon() {
        lock.lock();
        try {
            abandoned = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
