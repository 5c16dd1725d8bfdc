package io.headgate.blob;

import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.domain.BlobId;
import io.headgate.domain.BlockInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts an end to calls that hang: a disk that dies may keep a system call for ever, and no interrupt ends it. Each call that writes or
 * deletes or lists runs on a thread of its own, which is given up when the store has made no progress for the limit; that is an
 * {@code ACCOUNT_FAULT}, so a write goes on to another account. The time that a put waits for its body does not count.
 *
 * <p>Those are platform threads: the JDK does not make up for a carrier that blocks in a file's read, write or deletion, so as many stuck
 * virtual threads as there are cores would stop them all. A put whose wait the store itself bounds ({@link BlobStore#putWithin}), as small
 * ones mostly are, stays on its caller's thread.
 *
 * <p>A read is so brief that a hand-over would double its cost: on an account that lately answered at once it runs on its caller's thread,
 * with a mark for the {@link CarrierWatch}. Once a read takes long, those that follow run on platform threads and are given up like other
 * calls, until the account has been quick for a while; so few reads hang for as long as the disk does.
 *
 * <p>A call that was given up may still come to its end one day: it reads no more of the body, and a blob that it stored is deleted. When
 * too many calls hang, further ones fail at once.
 */
public final class StallGuard implements BlobStore {
    /** How many large puts run at once; each holds a platform thread for as long as its client takes. */
    private static final int MAX_LARGE_PUTS = 512;

    /** How many reads of an account that is slow may wait at once; each holds a platform thread. */
    private static final int MAX_SLOW_READS = 64;

    private static final int READ_BYTES = 128 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(StallGuard.class);

    private final BlobStore store;
    private final String account;
    private final Duration limit;
    private final long limitNanos;
    private final int maxHanging;
    private final AtomicInteger hanging = new AtomicInteger();
    private final Semaphore largePuts = new Semaphore(MAX_LARGE_PUTS);
    private final Semaphore slowReads = new Semaphore(MAX_SLOW_READS);
    private final CarrierWatch watch;
    private final DirectReads directReads;
    private final ExecutorService platformThreads;

    /**
     * @param account its name, for messages
     * @param limit without progress. Longer than the slowest flush of a healthy device
     * @param maxHanging how many calls may hang before further ones fail at once
     * @param watch of the process
     */
    public StallGuard(BlobStore store, String account, Duration limit, int maxHanging, CarrierWatch watch) {
        this.store = store;
        this.account = account;
        this.limit = limit;
        this.limitNanos = limit.toNanos();
        this.maxHanging = maxHanging;
        this.watch = watch;
        this.directReads = watch.readsOf(account);
        this.platformThreads = Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name(account + "-call-", 0).factory());
    }

    @Override
    public void put(BlobId id, long lengthBytes, InputStream body) throws IOException {
        failIfTooManyHang();
        if (store.putWithin(limit, id, lengthBytes, body)) {
            return;
        }
        Progress progress = new Progress();
        GuardedBody guarded = new GuardedBody(body, progress);
        Callable<@Nullable Void> put = () -> {
            store.put(id, lengthBytes, guarded);
            if (!progress.finish()) {
                deleteLate(id);
            }
            return null;
        };
        if (!largePuts.tryAcquire()) {
            throw new BlobStoreException(
                    Kind.THROTTLED, "account " + account + " has " + MAX_LARGE_PUTS + " uploads under way");
        }
        try {
            run("put", progress, put);
        } finally {
            largePuts.release();
        }
    }

    @Override
    public ReadableByteChannel get(BlobId id, long offsetBytes, long lengthBytes) throws BlobStoreException {
        int mark = directReads.begin();
        if (mark != DirectReads.NONE) {
            try {
                return new GuardedRun(store.get(id, offsetBytes, lengthBytes));
            } finally {
                directReads.end(mark);
            }
        }
        Progress progress = new Progress();
        try {
            return new GuardedRun(readApart(progress, () -> {
                ReadableByteChannel run = store.get(id, offsetBytes, lengthBytes);
                if (!progress.finish()) {
                    run.close();
                }
                return run;
            }));
        } catch (BlobStoreException known) {
            throw known;
        } catch (IOException interrupted) {
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "a read was interrupted", interrupted);
        }
    }

    /** Reads on a thread that may be left behind. */
    private <T> T readApart(Progress progress, Callable<T> read) throws IOException {
        if (!slowReads.tryAcquire()) {
            throw new BlobStoreException(
                    Kind.THROTTLED,
                    "account " + account + " is slow, and " + MAX_SLOW_READS + " reads wait for it already");
        }
        try {
            return run("read", progress, read);
        } finally {
            slowReads.release();
            if (directReads.isSlow(progress.elapsedNanos())) {
                directReads.slow();
            }
        }
    }

    @Override
    public void delete(BlobId id) throws BlobStoreException {
        runBriefly("delete", () -> {
            store.delete(id);
            return null;
        });
    }

    @Override
    @SuppressWarnings("NullAway") // a listing is never null
    public List<StoredBlob> list(int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit)
            throws BlobStoreException {
        return runBriefly("list", () -> store.list(fanOut, from, to, after, limit));
    }

    @Override
    public void probe(BlobId id) throws BlobStoreException {
        runBriefly("probe", () -> {
            store.probe(id);
            return null;
        });
    }

    @Override
    public long putRequests(long lengthBytes) {
        return store.putRequests(lengthBytes);
    }

    @Override
    public long usableBytes() {
        return store.usableBytes();
    }

    /** Closes the store, but waits for it no longer than for any call; what hangs is left behind on daemon threads. */
    @Override
    public void close() {
        watch.forget(directReads);
        platformThreads.shutdown();
        FutureTask<@Nullable Void> closing = new FutureTask<>(store::close, null);
        Thread.ofPlatform().daemon().name(account + "-close").start(closing);
        try {
            closing.get(limitNanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException hangs) {
            LOG.warn("account {} hangs and is left behind unclosed", account);
        } catch (ExecutionException failed) {
            LOG.warn("account {} could not be closed in order", account, failed.getCause());
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private void deleteLate(BlobId id) {
        try {
            store.delete(id);
            LOG.info("account {} stored blob {} after all, too late: deleted", account, id);
        } catch (BlobStoreException failed) {
            LOG.warn("account {} stored blob {} too late; the sweep will find it", account, id, failed);
        }
    }

    private <T extends @Nullable Object> T runBriefly(String doing, Callable<T> call) throws BlobStoreException {
        try {
            return run(doing, new Progress(), call);
        } catch (BlobStoreException known) {
            throw known;
        } catch (IOException interrupted) {
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, doing + " was interrupted", interrupted);
        }
    }

    private void failIfTooManyHang() throws BlobStoreException {
        int already = hanging.get();
        if (already >= maxHanging) {
            throw new BlobStoreException(
                    Kind.ACCOUNT_FAULT, "account " + account + " hangs: " + already + " calls have not come back");
        }
    }

    private <T extends @Nullable Object> T run(String doing, Progress progress, Callable<T> call) throws IOException {
        failIfTooManyHang();
        FutureTask<T> task = new FutureTask<>(() -> {
            try {
                return call.call();
            } finally {
                if (!progress.finish()) {
                    hanging.decrementAndGet();
                }
            }
        });
        try {
            platformThreads.execute(task);
        } catch (RejectedExecutionException closed) {
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "account " + account + " is closed", closed);
        }
        try {
            while (true) {
                try {
                    return task.get(limitNanos, TimeUnit.NANOSECONDS);
                } catch (TimeoutException slow) {
                    // Counted before it is given up, so that it cannot come back uncounted.
                    hanging.incrementAndGet();
                    if (progress.giveUp()) {
                        throw new BlobStoreException(
                                Kind.ACCOUNT_FAULT,
                                "account " + account + " has made no progress with a " + doing + " for "
                                        + limitNanos / 1_000_000 + " ms");
                    }
                    hanging.decrementAndGet();
                }
            }
        } catch (ExecutionException failed) {
            throw rethrown(failed.getCause());
        } catch (InterruptedException interrupt) {
            hanging.incrementAndGet();
            if (!progress.abandon()) {
                hanging.decrementAndGet();
            }
            task.cancel(true);
            Thread.currentThread().interrupt();
            InterruptedIOException failure = new InterruptedIOException("interrupted while waiting for " + account);
            failure.initCause(interrupt);
            throw failure;
        }
    }

    private static IOException rethrown(@Nullable Throwable failure) {
        return switch (failure) {
            case IOException known -> known;
            case RuntimeException bug -> throw bug;
            case Error bug -> throw bug;
            case null, default -> throw new IllegalStateException(failure);
        };
    }

    /** Since when a call has been in the store's hands, or that it is not, or that it is over. Each change is decided by one step. */
    private final class Progress {
        private static final long IN_BODY = Long.MIN_VALUE;
        private static final long GIVEN_UP = Long.MAX_VALUE;
        private static final long FINISHED = Long.MAX_VALUE - 1;

        private final long startNanos = System.nanoTime();
        /** Nanoseconds from the start, or one of the above. */
        private final AtomicLong inStoreSince = new AtomicLong();

        private long elapsedNanos() {
            return System.nanoTime() - startNanos;
        }

        /** The store asks for bytes; false if the call was given up. */
        boolean enterBody() {
            long since = inStoreSince.get();
            return since != GIVEN_UP && inStoreSince.compareAndSet(since, IN_BODY);
        }

        void leaveBody() {
            inStoreSince.compareAndSet(IN_BODY, elapsedNanos());
        }

        /** The call has come back; false if it had been given up before. */
        boolean finish() {
            return inStoreSince.getAndUpdate(since -> since == GIVEN_UP ? GIVEN_UP : FINISHED) != GIVEN_UP;
        }

        /** Gives the call up, if the store has had it for the whole limit. */
        boolean giveUp() {
            long since = inStoreSince.get();
            return since != IN_BODY
                    && since != FINISHED
                    && elapsedNanos() - since >= limitNanos
                    && inStoreSince.compareAndSet(since, GIVEN_UP);
        }

        boolean isGivenUp() {
            return inStoreSince.get() == GIVEN_UP;
        }

        /** Gives the call up, unless it has come back. */
        boolean abandon() {
            return inStoreSince.getAndUpdate(since -> since == FINISHED ? FINISHED : GIVEN_UP) != FINISHED;
        }
    }

    /** An open run of a blob. Used by one thread at a time. */
    private final class GuardedRun implements ReadableByteChannel {
        private final ReadableByteChannel run;
        private boolean leftBehind;

        GuardedRun(ReadableByteChannel run) {
            this.run = run;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            int mark = directReads.begin();
            if (mark == DirectReads.NONE) {
                return readSlowly(target);
            }
            try {
                return run.read(target);
            } finally {
                directReads.end(mark);
            }
        }

        /** Into a buffer of its own, as a read that was given up may write to it one day. */
        private int readSlowly(ByteBuffer target) throws IOException {
            if (leftBehind) {
                throw new ClosedChannelException();
            }
            ByteBuffer apart = ByteBuffer.allocate(Math.min(target.remaining(), READ_BYTES));
            Progress progress = new Progress();
            try {
                int count = readApart(progress, () -> {
                    try {
                        return run.read(apart);
                    } finally {
                        if (!progress.finish()) {
                            run.close();
                        }
                    }
                });
                target.put(apart.flip());
                return count;
            } finally {
                leftBehind = progress.isGivenUp();
            }
        }

        @Override
        public boolean isOpen() {
            return !leftBehind && run.isOpen();
        }

        /** A run whose read hangs is closed by that read: to close it here would wait for it. */
        @Override
        public void close() throws IOException {
            if (!leftBehind) {
                run.close();
            }
        }
    }

    /** A body that yields nothing any more once its put was given up: the bytes may be on their way to another account then. */
    private static final class GuardedBody extends BlockInputStream {
        private final InputStream body;
        private final Progress progress;

        GuardedBody(InputStream body, Progress progress) {
            this.body = body;
            this.progress = progress;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (!progress.enterBody()) {
                throw new InterruptedIOException("the put was given up");
            }
            try {
                return body.read(buffer, offset, length);
            } finally {
                progress.leaveBody();
            }
        }

        @Override
        public int available() throws IOException {
            return body.available();
        }
    }
}
