package io.headgate.region;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Where a host is. The platform's look-up has no bound of its own, and holds the thread that waits for it, so one thread apart does it for
 * all who ask meanwhile. Thread-safe.
 */
final class HostName {
    private final String host;
    private final LookUp lookUp;

    /** Of an address that is no name; otherwise the last one that was found. */
    private volatile @Nullable InetAddress known;

    private final boolean literal;

    // Guarded by this.
    private @Nullable Pending pending;

    /** Asks the platform, or whom a test puts in its place. */
    @FunctionalInterface
    interface LookUp {
        InetAddress of(String host) throws IOException;
    }

    private record Pending(FutureTask<InetAddress> task, long begunNanos) {}

    HostName(String host, LookUp lookUp) {
        this.host = host;
        this.lookUp = lookUp;
        this.known = literal(host);
        this.literal = known != null;
    }

    String name() {
        return host;
    }

    private static @Nullable InetAddress literal(String host) {
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException name) {
            return null;
        }
    }

    /**
     * The host's address; if it cannot be found in that time, the one that it had last.
     *
     * @throws IOException if it was never found
     */
    InetAddress address(Duration timeout) throws IOException {
        InetAddress last = known;
        if (literal && last != null) {
            return last;
        }
        Pending asked = ask();
        try {
            // Who comes late to a look-up that hangs does not wait for it as long as the first.
            long leftNanos = timeout.toNanos() - (System.nanoTime() - asked.begunNanos);
            return asked.task.get(Math.max(0, leftNanos), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            return orLast(new SocketTimeoutException("the name " + host + " was not found in time"));
        } catch (ExecutionException failed) {
            return orLast(new IOException("the name " + host + " is not known", failed.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return orLast(new IOException("interrupted while the name " + host + " was looked up"));
        }
    }

    private InetAddress orLast(IOException failure) throws IOException {
        InetAddress last = known;
        if (last == null) {
            throw failure;
        }
        return last;
    }

    /** What is found too late for those who asked is there for those who come after. */
    private InetAddress find() throws IOException {
        InetAddress found = lookUp.of(host);
        known = found;
        return found;
    }

    private synchronized Pending ask() {
        Pending current = pending;
        if (current == null || current.task.isDone()) {
            current = new Pending(new FutureTask<>(this::find), System.nanoTime());
            pending = current;
            Thread.ofPlatform().daemon().name("peer-look-up").start(current.task);
        }
        return current;
    }
}
