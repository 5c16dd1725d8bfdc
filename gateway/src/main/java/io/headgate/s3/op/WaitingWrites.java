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
 * would wait in vain under a load that is below the limit. The first looks for all that wait, and whoever comes does; the others sleep.
 * Thread-safe.
 */
final class WaitingWrites {
    /** From one look to the next, unless another write comes. What becomes free is free for so long in vain, so it is short. */
    private static final long LOOK_NANOS = 2_000_000;

    /** After so many vain attempts a look is over, whoever else waits. */
    private static final int MOST_VAIN = 16;

    private final Function<Wish, Optional<Reservation>> attempt;
    private final long longestNanos;
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Waiting> queue = new ArrayDeque<>();
    private volatile @Nullable Waiting first;

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
        return first == null;
    }

    /** The account's room; empty if there was none in time, or too many wait already: then the load is not a little too high. */
    Optional<Reservation> await(Wish wish) {
        Waiting mine = new Waiting(wish);
        if (!joins(mine)) {
            return Optional.empty();
        }
        long since = System.nanoTime();
        long left = longestNanos;
        while (left > 0 && isWaiting(mine) && !mine.thread.isInterrupted()) {
            LockSupport.parkNanos(this, isFirst(mine) ? Math.min(left, LOOK_NANOS) : left);
            if (isFirst(mine)) {
                lookForAll();
            }
            left = longestNanos - (System.nanoTime() - since);
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
            wakeFirst();
            return !isWaiting(mine) || queue.contains(mine);
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("ReferenceEquality") // this one, not one like it
    private boolean isFirst(Waiting one) {
        return first == one;
    }

    /** Whoever has come to be the first looks from now on. */
    @SuppressWarnings("ReferenceEquality")
    private void wakeFirst() {
        Waiting now = queue.peekFirst();
        if (now != first) {
            first = now;
            if (now != null) {
                LockSupport.unpark(now.thread);
            }
        }
    }

    private void leave(Waiting mine) {
        lock.lock();
        try {
            queue.remove(mine);
            wakeFirst();
        } finally {
            lock.unlock();
        }
    }

    private void lookForAll() {
        lock.lock();
        try {
            look();
            wakeFirst();
        } finally {
            lock.unlock();
        }
    }

    /** What is too much of a write is too much of a larger one that may go nowhere else. */
    private void look() {
        long refusedBytes = Long.MAX_VALUE;
        int vain = 0;
        for (Iterator<Waiting> each = queue.iterator(); vain < MOST_VAIN && each.hasNext(); ) {
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
            } else {
                vain++;
                refusedBytes = one.wish.excluded().isEmpty() ? one.wish.sizeBytes() : refusedBytes;
            }
        }
    }
}
