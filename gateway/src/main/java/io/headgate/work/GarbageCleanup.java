package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.BreakerOpenException;
import io.headgate.account.CircuitBreaker;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ReadsInFlight;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the garbage of one account, once no read can need it any more. Each account has its own, so that one that fails or stalls
 * holds up no other.
 *
 * <p>Of all gateways one at a time cleans an account. It is safe in several, which only would ask the account for each deletion as often;
 * the lease is held while there is something to delete, and given back when the account fails, as another gateway may reach it.
 *
 * <p>A blob whose deletion fails waits for ever longer, but never for ever, while those behind it are deleted. When a whole batch fails,
 * or the account asks for fewer requests, or its breaker is open and refuses, the account as a whole waits.
 */
public final class GarbageCleanup implements Worker {
    private static final Logger LOG = LoggerFactory.getLogger(GarbageCleanup.class);
    /** A batch is given up after so many failures without a success. */
    private static final int HOPELESS = 2;
    /** How many deletions a turn tries on an account whose breaker is not closed, or that is near its limit of requests. */
    private static final int TRIAL_BATCH = 10;
    /** Of how many failed blobs the waiting times are kept; with more than these, the account as a whole waits. */
    private static final int MAX_FAILED_BLOBS = 10_000;
    /** At most one blob that has failed before is tried in this time, so that undeletable blobs alone never open the breaker. */
    private static final Duration RETRY_INTERVAL = Duration.ofMinutes(2);
    /** Above this part of the account's request rate, deletions give way to clients. */
    private static final double BUSY_RATIO = 0.8;

    private final Account account;
    private final Namespace namespace;
    private final ReadsInFlight reads;
    private final InstantSource clock;
    private final Lease lease;
    private final WorkSettings.Garbage settings;
    private final Map<BlobId, FailedBlob> failedBlobs = new HashMap<>();
    private Instant nextRetry = Instant.MIN;
    private int hopelessTurns;

    private record FailedBlob(int times, Instant notBefore) {}

    public GarbageCleanup(
            Account account,
            Namespace namespace,
            ReadsInFlight reads,
            InstantSource clock,
            Lease lease,
            WorkSettings.Garbage settings) {
        this.account = account;
        this.namespace = namespace;
        this.reads = reads;
        this.clock = clock;
        this.lease = lease;
        this.settings = settings;
    }

    @Override
    public String name() {
        return "garbage-cleanup(" + account.name() + ")";
    }

    @Override
    public Duration maxBackoff() {
        return settings.maxBackoff();
    }

    @Override
    public Turn work() throws InterruptedException {
        boolean careful = account.breaker().status() != CircuitBreaker.Status.CLOSED || nearItsLimit();
        int limit = careful ? Math.min(TRIAL_BATCH, settings.batch()) : settings.batch();
        List<Garbage> batch = dueNow(limit);
        if (batch.isEmpty()) {
            lease.release();
            return Turn.idle(settings.interval());
        }
        if (!lease.isAcquired()) {
            return Turn.idle(settings.interval());
        }
        Deletion deletion = new Deletion(batch);
        deletion.run(careful ? 1 : settings.parallelism());
        forget(deletion);
        deletion.failed.forEach(this::noteFailure);
        if (!deletion.givenUp()) {
            hopelessTurns = 0;
            if (batch.size() < limit) {
                return Turn.idle(settings.interval());
            }
            return careful ? Turn.throttled(settings.interval()) : Turn.BUSY;
        }
        lease.release();
        hopelessTurns = deletion.gone.isEmpty() ? hopelessTurns + 1 : 1;
        if (hopelessTurns == 1) {
            LOG.warn("garbage of account {} cannot be deleted: {}", account.name(), deletion.reason);
        }
        return Turn.throttled(WorkerLoop.backoff(settings.interval(), hopelessTurns, settings.maxBackoff()));
    }

    private boolean nearItsLimit() {
        return account.meter().requestsPerSecond()
                > BUSY_RATIO * account.meter().requests().limitPerSecond();
    }

    /** The oldest garbage, but for blobs that have failed and still wait. */
    private List<Garbage> dueNow(int limit) {
        Instant now = clock.instant();
        Instant graceOver = now.minus(settings.grace());
        Instant oldestRead = reads.oldestBegin();
        Instant queuedBefore = graceOver.isBefore(oldestRead) ? graceOver : oldestRead;
        int asked = limit + failedBlobs.size();
        List<Garbage> due = namespace.dueGarbage(account.name(), queuedBefore, asked);
        List<Garbage> batch = new ArrayList<>(limit);
        Set<BlobId> known = new HashSet<>();
        for (Garbage garbage : due) {
            FailedBlob failed = failedBlobs.get(garbage.blob());
            if (failed != null) {
                known.add(garbage.blob());
                if (now.isBefore(failed.notBefore) || now.isBefore(nextRetry)) {
                    continue;
                }
                nextRetry = now.plus(RETRY_INTERVAL);
            }
            if (batch.size() < limit) {
                batch.add(garbage);
            }
        }
        if (due.size() < asked) {
            failedBlobs.keySet().retainAll(known); // the others were deleted by another gateway
        }
        return batch;
    }

    private void forget(Deletion deletion) {
        List<Garbage> gone = List.copyOf(deletion.gone);
        if (gone.isEmpty()) {
            return;
        }
        namespace.garbageDeleted(
                account.name(), gone.stream().map(Garbage::blob).toList());
        long bytes = 0;
        for (Garbage garbage : gone) {
            failedBlobs.remove(garbage.blob());
            bytes += garbage.sizeBytes();
        }
        account.meter().garbageDeleted(bytes);
    }

    private void noteFailure(Garbage garbage) {
        nextRetry = clock.instant().plus(RETRY_INTERVAL);
        FailedBlob before = failedBlobs.get(garbage.blob());
        if (before == null && failedBlobs.size() >= MAX_FAILED_BLOBS) {
            return;
        }
        int times = before == null ? 1 : before.times + 1;
        Duration wait = WorkerLoop.backoff(settings.interval(), times, settings.maxBlobBackoff());
        failedBlobs.put(garbage.blob(), new FailedBlob(times, clock.instant().plus(wait)));
    }

    /** The deletion of one batch, by several threads. */
    private final class Deletion {
        final ConcurrentLinkedQueue<Garbage> todo;
        final ConcurrentLinkedQueue<Garbage> gone = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<Garbage> failed = new ConcurrentLinkedQueue<>();
        final AtomicBoolean refused = new AtomicBoolean();
        volatile String reason = "";

        Deletion(List<Garbage> batch) {
            this.todo = new ConcurrentLinkedQueue<>(batch);
        }

        void run(int lanes) throws InterruptedException {
            if (lanes == 1) {
                lane();
                return;
            }
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<?>> running = new ArrayList<>();
                for (int i = 0; i < lanes; i++) {
                    running.add(threads.submit(this::lane));
                }
                for (Future<?> lane : running) {
                    awaitLane(lane);
                }
            }
        }

        /** Whether the account, not just a blob or two, is to be left alone for a while. */
        boolean givenUp() {
            return refused.get() || (gone.isEmpty() && !failed.isEmpty());
        }

        private static void awaitLane(Future<?> lane) throws InterruptedException {
            try {
                lane.get();
            } catch (ExecutionException bug) {
                throw new IllegalStateException("a deletion failed in an unexpected way", bug.getCause());
            }
        }

        private void lane() {
            while (!refused.get() && !(gone.isEmpty() && failed.size() >= HOPELESS)) {
                Garbage garbage = todo.poll();
                if (garbage == null) {
                    return;
                }
                try {
                    account.delete(garbage.blob());
                    gone.add(garbage);
                } catch (BreakerOpenException rejected) {
                    refused(rejected.getMessage());
                } catch (BlobStoreException fault) {
                    switch (fault.kind()) {
                        case MISSING -> gone.add(garbage);
                        case THROTTLED -> refused(fault.getMessage());
                        case ACCOUNT_FAULT -> {
                            reason = String.valueOf(fault.getMessage());
                            failed.add(garbage);
                        }
                    }
                }
            }
        }

        private void refused(@Nullable String why) {
            reason = String.valueOf(why);
            refused.set(true);
        }
    }
}
