package io.headgate.region;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Cuts connections on which something takes too long: a blocked write has no time-out of its own. Thread-safe. */
final class Deadlines implements AutoCloseable {
    private static final long EVERY_MILLIS = 50;

    private final Set<PeerConnection> watched = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("peer-deadlines").factory());
    private volatile boolean closed;

    Deadlines() {
        timer.scheduleWithFixedDelay(this::check, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
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

    private void check() {
        long now = System.nanoTime();
        for (PeerConnection connection : watched) {
            connection.cutIfLate(now);
        }
    }

    /** Cuts all connections, idle or not. */
    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        for (PeerConnection connection : watched) {
            connection.abort();
        }
    }
}
