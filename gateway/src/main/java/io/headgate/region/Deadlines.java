package io.headgate.region;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Cuts connections on which something takes too long: a blocked write has no time-out of its own. Thread-safe. */
final class Deadlines implements AutoCloseable {
    private static final long EVERY_MILLIS = 50;

    private final Set<PeerConnection> watched = ConcurrentHashMap.newKeySet();
    private final Thread timer =
            Thread.ofPlatform().daemon().name("peer-deadlines").unstarted(this::run);
    private final LongSupplier nanoTime;
    private volatile boolean closed;

    /** @param nanoTime as {@link System#nanoTime} */
    Deadlines(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        timer.start();
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    void watch(PeerConnection connection) {
        watched.add(connection);
        if (closed) {
            connection.abort();
        }
    }

    void forget(PeerConnection connection) {
        watched.remove(connection);
    }

    private void run() {
        try {
            while (!closed) {
                Thread.sleep(EVERY_MILLIS);
                check();
            }
        } catch (InterruptedException ended) {
            // Closed.
        }
    }

    private void check() {
        long now = nanoTime();
        for (PeerConnection connection : watched) {
            connection.cutIfLate(now);
        }
    }

    /** Cuts all connections, idle or not. */
    @Override
    public void close() {
        closed = true;
        timer.interrupt();
        for (PeerConnection connection : watched) {
            connection.abort();
        }
    }
}
