package io.headgate.http;

import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * Lets a thread wait for one event at a time of the network: content to read, or a write that has ended. Reused, by one thread at a
 * time, but not always the same: a body is handed to the thread that writes it to its account.
 */
final class Signal implements Callback, Invocable.Task {
    private volatile @Nullable Thread waiter;
    private volatile boolean raised;
    private @Nullable Throwable failure;

    void reset() {
        failure = null;
        raised = false;
    }

    /** Waits for the event. Returns false if it has not come within that time. */
    boolean await(long nanos) {
        // Before the look at what was raised, so that whoever raises it after that look knows whom to wake.
        waiter = Thread.currentThread();
        long begun = System.nanoTime();
        while (!raised) {
            long left = nanos - (System.nanoTime() - begun);
            if (left <= 0) {
                return false;
            }
            LockSupport.parkNanos(this, left);
            // A handler's thread is interrupted by nobody; a stray interrupt must not turn this into a busy loop.
            Thread.interrupted();
        }
        return true;
    }

    /** Of a raised signal: why the write failed, or null. */
    @Nullable Throwable failure() {
        return failure;
    }

    boolean raised() {
        return raised;
    }

    @Override
    public void succeeded() {
        raised = true;
        LockSupport.unpark(waiter);
    }

    @Override
    public void failed(Throwable x) {
        failure = x;
        raised = true;
        LockSupport.unpark(waiter);
    }

    @Override
    public void run() {
        succeeded();
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }
}
