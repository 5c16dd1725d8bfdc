package io.headgate.work;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs background workers, each on a virtual thread of its own, until closed. Thread-safe. */
public final class Workers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Workers.class);
    /** How long {@link #close} lets turns come to their end, and then, interrupted, once more. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private final InstantSource clock;
    private final List<Running> all = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stopping = lock.newCondition();
    /** Guarded by {@link #lock}. */
    private boolean closing;

    private static final class Running {
        final Worker worker;
        final WorkerLoop loop;
        final Thread thread;
        /** Guarded by the lock of the workers. */
        boolean ending;

        Running(Worker worker, Workers workers) {
            this.worker = worker;
            this.loop = new WorkerLoop(worker, workers.clock);
            this.thread = Thread.ofVirtual().name(worker.name()).unstarted(() -> workers.run(this));
        }
    }

    /** None yet. */
    public Workers(InstantSource clock) {
        this.clock = clock;
    }

    /** Starts workers; their first turns begin at once. Does nothing once they are being closed. */
    public void start(List<? extends Worker> workers) {
        lock.lock();
        try {
            if (closing) {
                return;
            }
            List<Running> started =
                    workers.stream().map(worker -> new Running(worker, this)).toList();
            all.addAll(started);
            started.forEach(running -> running.thread.start());
        } finally {
            lock.unlock();
        }
    }

    /** Stops some of the workers, as {@link #close} does all. They may be in a turn for a moment after this. */
    public void end(List<? extends Worker> workers) {
        List<Running> ending =
                all.stream().filter(running -> workers.contains(running.worker)).toList();
        lock.lock();
        try {
            ending.forEach(running -> running.ending = true);
            stopping.signalAll();
        } finally {
            lock.unlock();
        }
        if (!join(ending)) {
            ending.forEach(running -> running.thread.interrupt());
        }
        all.removeAll(ending);
    }

    /** In the order of the start. */
    public List<WorkerStatus> status() {
        return all.stream().map(running -> running.loop.status()).toList();
    }

    /** Stops the workers: those that wait, at once; those that work, after their turn or some seconds. */
    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
            stopping.signalAll();
        } finally {
            lock.unlock();
        }
        if (!join(all)) {
            all.forEach(running -> running.thread.interrupt());
            if (!join(all)) {
                LOG.warn("some workers do not stop and are left behind: {}", status());
            }
        }
    }

    private void run(Running running) {
        try {
            while (pause(running, running.loop.turn())) {
                // the condition does the work
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            running.loop.closed();
        }
    }

    /** Waits; false if the worker is to end. */
    private boolean pause(Running running, Duration wait) throws InterruptedException {
        lock.lock();
        try {
            long leftNanos = TimeUnit.NANOSECONDS.convert(wait);
            while (!closing && !running.ending && leftNanos > 0) {
                leftNanos = stopping.awaitNanos(leftNanos);
            }
            return !closing && !running.ending;
        } finally {
            lock.unlock();
        }
    }

    /** Whether all threads have ended in time. */
    private static boolean join(List<Running> workers) {
        long deadline = System.nanoTime() + CLOSE_LIMIT.toNanos();
        boolean ended = true;
        try {
            for (Running running : workers) {
                Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
                ended &= running.thread.join(left);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
            return false;
        }
        return ended;
    }
}
