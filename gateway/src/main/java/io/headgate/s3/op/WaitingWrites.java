package io.headgate.s3.op;

import io.headgate.account.Reservation;
import io.headgate.placement.Wish;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes that wait for an account, as rates keep them from all: in the order in which they came, as one that were passed by again and again
 * would wait in vain under a load that is below the limit. Looks are shared: whoever wakes looks for all that wait. Thread-safe.
 */
final class WaitingWrites {
    /** From one look to the next, unless another write comes. */
    private static final long LOOK_NANOS = 10_000_000;

    private final Function<Wish, Optional<Reservation>> attempt;
    private final long longestNanos;
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Waiting> queue = new ArrayDeque<>();
    private long lookedAtNanos = System.nanoTime();
    private volatile int size;

    private static final class Waiting {
        final Wish wish;
        final Thread thread = Thread.currentThread();
        /** What came of it: set once, before it leaves the queue. */
        volatile @Nullable Reservation reservation;

        volatile @Nullable RuntimeException failure;

        Waiting(Wish wish) {
            this.wish = wish;
        }
    }

    /**
     * @param attempt finds an account that takes the write now
     * @param longest for so long a write waits
     * @param most so many wait at once, and more are not let in
     */
    WaitingWrites(Function<Wish, Optional<Reservation>> attempt, Duration longest, int most) {
        this.attempt = attempt;
        this.longestNanos = longest.toNanos();
        this.most = most;
    }

    /** Whether a write that comes would be the first. */
    boolean isEmpty() {
        return size == 0;
    }

    /** The account's room; empty if there was none in time, or too many wait already: then the load is not a little too high. */
    Optional<Reservation> await(Wish wish) {
        Waiting mine = new Waiting(wish);
        if (!joins(mine)) {
            return Optional.empty();
        }
        long since = System.nanoTime();
        while (isWaiting(mine) && System.nanoTime() - since < longestNanos && !mine.thread.isInterrupted()) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            lookIfDue();
        }
        leave(mine);
        RuntimeException failure = mine.failure;
        if (failure != null) {
            throw failure;
        }
        return Optional.ofNullable(mine.reservation);
    }

    private static boolean isWaiting(Waiting one) {
        return one.reservation == null && one.failure == null;
    }

    private boolean joins(Waiting mine) {
        lock.lock();
        try {
            queue.addLast(mine);
            look();
            if (queue.size() > most) {
                queue.remove(mine);
            }
            size = queue.size();
            return !isWaiting(mine) || queue.contains(mine);
        } finally {
            lock.unlock();
        }
    }

    private void leave(Waiting mine) {
        lock.lock();
        try {
            queue.remove(mine);
            size = queue.size();
        } finally {
            lock.unlock();
        }
    }

    private void lookIfDue() {
        lock.lock();
        try {
            if (System.nanoTime() - lookedAtNanos >= LOOK_NANOS) {
                look();
                size = queue.size();
            }
        } finally {
            lock.unlock();
        }
    }

    /** What is too much of a write is too much of a larger one that may go nowhere else. */
    private void look() {
        lookedAtNanos = System.nanoTime();
        long refusedBytes = Long.MAX_VALUE;
        for (Iterator<Waiting> each = queue.iterator(); each.hasNext(); ) {
            Waiting one = each.next();
            if (one.wish.sizeBytes() >= refusedBytes) {
                continue;
            }
            try {
                one.reservation = attempt.apply(one.wish).orElse(null);
            } catch (RuntimeException failure) {
                one.failure = failure;
            }
            if (!isWaiting(one)) {
                each.remove();
                LockSupport.unpark(one.thread);
            } else if (one.wish.excluded().isEmpty()) {
                refusedBytes = one.wish.sizeBytes();
            }
        }
    }
}
