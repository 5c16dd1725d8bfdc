package io.headgate.work;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
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

    private final List<Running> all = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stopping = lock.newCondition();
    /** Guarded by {@link #lock}. */
    private boolean closing;

    private record Running(WorkerLoop loop, Thread thread) {}

    private Workers() {}

    /** Starts the workers; their first turns begin at once. */
    public static Workers start(List<? extends Worker> workers, InstantSource clock) {
        Workers started = new Workers();
        for (Worker worker : workers) {
            WorkerLoop loop = new WorkerLoop(worker, clock);
            Thread thread = Thread.ofVirtual().name(worker.name()).unstarted(() -> started.run(loop));
            started.all.add(new Running(loop, thread));
        }
        started.all.forEach(running -> running.thread.start());
        return started;
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
        if (!join()) {
            all.forEach(running -> running.thread.interrupt());
            if (!join()) {
                LOG.warn("some workers do not stop and are left behind: {}", status());
            }
        }
    }

    private void run(WorkerLoop loop) {
        try {
            while (pause(loop.turn())) {
                // the condition does the work
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            loop.closed();
        }
    }

    /** Waits; false if closing. */
    private boolean pause(Duration wait) throws InterruptedException {
        lock.lock();
        try {
            long leftNanos = TimeUnit.NANOSECONDS.convert(wait);
            while (!closing && leftNanos > 0) {
                leftNanos = stopping.awaitNanos(leftNanos);
            }
            return !closing;
        } finally {
            lock.unlock();
        }
    }

    /** Whether all threads have ended in time. */
    private boolean join() {
        long deadline = System.nanoTime() + CLOSE_LIMIT.toNanos();
        boolean ended = true;
        try {
            for (Running running : all) {
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
