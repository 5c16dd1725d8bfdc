package io.headgate.region;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway of another region: its connections, and whether it answers. One that failed is left alone for a while; then one request at a
 * time tries it. Thread-safe.
 */
final class PeerGateway {
    private static final Logger LOG = LoggerFactory.getLogger(PeerGateway.class);
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    private final String region;
    private final URI address;
    private final HostName host;
    private final int port;
    private final @Nullable SSLContext tls;
    private final PeerSettings settings;
    private final Deadlines deadlines;
    private final InstantSource clock;

    private final Semaphore room;
    private final ConcurrentLinkedDeque<PeerConnection> idle = new ConcurrentLinkedDeque<>();
    private final AtomicInteger idleCount = new AtomicInteger();

    private volatile long answeredNanos;

    // Guarded by this.
    private @Nullable String failure;
    private Duration backOff = Duration.ZERO;
    private Instant retryAt = Instant.MIN;
    private boolean probing;

    /** Whether a request may try a gateway. */
    enum Admission {
        LIVE,
        /** It failed before; this request finds out whether it still does, and must say what it found. */
        PROBE,
        REFUSED
    }

    /** @param tls for an address that begins with https */
    PeerGateway(
            String region,
            URI address,
            @Nullable SSLContext tls,
            PeerSettings settings,
            Deadlines deadlines,
            InstantSource clock) {
        this.region = region;
        this.address = address;
        this.tls = "https".equals(address.getScheme()) ? tls : null;
        this.host = new HostName(host(address), InetAddress::getByName);
        this.port = address.getPort() >= 0 ? address.getPort() : this.tls == null ? HTTP_PORT : HTTPS_PORT;
        this.settings = settings;
        this.deadlines = deadlines;
        this.clock = clock;
        this.room = new Semaphore(settings.maxConnections(), true);
        this.answeredNanos = deadlines.nanoTime();
    }

    URI address() {
        return address;
    }

    synchronized Admission admit() {
        if (failure == null) {
            return Admission.LIVE;
        }
        if (probing || clock.instant().isBefore(retryAt)) {
            return Admission.REFUSED;
        }
        probing = true;
        return Admission.PROBE;
    }

    /** It answered. */
    void answered() {
        answeredNanos = deadlines.nanoTime();
        synchronized (this) {
            probing = false;
            if (failure == null) {
                return;
            }
            failure = null;
            backOff = Duration.ZERO;
        }
        LOG.info("gateway {} of region {} answers again", address, region);
    }

    boolean hasAnsweredSince(long nanoTime) {
        return answeredNanos - nanoTime > 0;
    }

    /** It did not answer. Of requests that were under way when it failed, only the first counts. */
    void failed(String reason, Admission admission) {
        synchronized (this) {
            if (failure != null && admission != Admission.PROBE) {
                return;
            }
            Duration doubled = backOff.multipliedBy(2);
            backOff = backOff.isZero()
                    ? settings.firstBackOff()
                    : doubled.compareTo(settings.maxBackOff()) > 0 ? settings.maxBackOff() : doubled;
            retryAt = clock.instant().plus(backOff);
            failure = reason;
            probing = false;
        }
        LOG.warn("gateway {} of region {} does not answer: {}", address, region, reason);
        dropIdle();
    }

    /** A probe ended without a verdict; the next request may be one. */
    synchronized void undecided(Admission admission) {
        if (admission == Admission.PROBE) {
            probing = false;
        }
    }

    /** Waits for room for a request; false if there is none in time. Whoever got it gives it back by {@link #release}, or {@link #leave}. */
    boolean enter() {
        boolean interrupted = false;
        long nanos = settings.connect().toNanos();
        long begun = System.nanoTime();
        try {
            while (true) {
                try {
                    return room.tryAcquire(nanos - (System.nanoTime() - begun), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void leave() {
        room.release();
    }

    /** A connection that served before and can again; empty if there is none. */
    Optional<PeerConnection> takeIdle() {
        for (PeerConnection next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            idleCount.decrementAndGet();
            if (next.isUsable(settings.idle())) {
                return Optional.of(next);
            }
            next.abort();
        }
        return Optional.empty();
    }

    PeerConnection open() throws IOException {
        return PeerConnection.open(host, port, tls, settings.connect(), deadlines);
    }

    private static String host(URI address) {
        String host = address.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** Ends a request: gives back its room, and its connection for another if that can serve one. */
    void release(PeerConnection connection, boolean reusable) {
        if (reusable && connection.isOpen()) {
            keep(connection);
        } else {
            connection.abort();
        }
        leave();
    }

    private void keep(PeerConnection connection) {
        if (idleCount.incrementAndGet() <= settings.maxIdle()) {
            connection.markIdle();
            idle.addFirst(connection);
        } else {
            idleCount.decrementAndGet();
            connection.abort();
        }
    }

    private void dropIdle() {
        for (PeerConnection next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            idleCount.decrementAndGet();
            next.abort();
        }
    }

    synchronized GatewayView view() {
        boolean live = failure == null;
        return new GatewayView(
                region,
                address,
                Optional.ofNullable(failure),
                live ? Optional.empty() : Optional.of(retryAt),
                settings.maxConnections() - room.availablePermits(),
                idleCount.get());
    }
}
