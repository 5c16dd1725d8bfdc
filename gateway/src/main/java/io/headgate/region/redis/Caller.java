package io.headgate.region.redis;

import io.headgate.region.RegistryException;
import io.headgate.region.redis.RedisRegistryOptions.Node;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts, again where that can help, until the time is over; so whatever is run here must be such that it takes effect once. Once
 * that was in vain, one caller a second tries, once, and the others are refused at once. Thread-safe.
 */
final class Caller implements AutoCloseable {
    private static final long FIRST_PAUSE_MILLIS = 5;
    private static final long LONGEST_PAUSE_MILLIS = 100;
    private static final long PROBE_NANOS = Duration.ofSeconds(1).toNanos();

    private final RedisRegistryOptions options;
    private final Nodes nodes;
    private final AtomicLong probeNotBeforeNanos = new AtomicLong();
    private volatile boolean down;

    Caller(RedisRegistryOptions options) {
        this.options = options;
        this.nodes = new Nodes(options);
    }

    private interface Attempt {
        List<byte[]> run(Link link, long deadline)
                throws ExecutionException, TimeoutException, InterruptedException, Link.Unacknowledged;
    }

    List<byte[]> read(Script script, byte[]... arguments) {
        return call((link, deadline) -> link.read(script, deadline, arguments));
    }

    /** When this returns, a replica has the change, if there is a replica. */
    List<byte[]> change(Script script, byte[]... arguments) {
        return call((link, deadline) -> link.change(script, deadline, arguments));
    }

    private List<byte[]> call(Attempt attempt) {
        boolean probe = down;
        if (probe) {
            beTheOneToProbe();
        }
        long deadline = System.nanoTime() + options.timeout().toNanos();
        long pause = FIRST_PAUSE_MILLIS;
        int referred = 0;
        Link used = null;
        while (true) {
            Throwable cause;
            try {
                used = nodes.link(deadline);
                List<byte[]> answer = attempt.run(used, deadline);
                down = false;
                return answer;
            } catch (ExecutionException failed) {
                cause = failed.getCause() == null ? failed : failed.getCause();
            } catch (CancellationException | RedisException | TimeoutException | Link.Unacknowledged failed) {
                cause = failed;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new RegistryException("interrupted while waiting for the registry", interrupted);
            }
            boolean elsewhere = learn(used, cause);
            used = null;
            if (System.nanoTime() - deadline >= 0 || (probe && !elsewhere)) {
                probeNotBeforeNanos.set(System.nanoTime() + PROBE_NANOS);
                down = true;
                throw outage(cause);
            }
            // Nodes may name each other for a while.
            if (!elsewhere || referred++ > 0) {
                LockSupport.parkNanos(Duration.ofMillis(pause).toNanos());
                pause = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
            }
        }
    }

    private void beTheOneToProbe() {
        long notBefore = probeNotBeforeNanos.get();
        long now = System.nanoTime();
        if (now - notBefore < 0 || !probeNotBeforeNanos.compareAndSet(notBefore, now + PROBE_NANOS)) {
            throw new RegistryException("the registry's Redis cannot be reached; it is tried again every second");
        }
    }

    /**
     * Whether another node is known that does it.
     *
     * @throws RegistryException if it is in vain to try again
     */
    private boolean learn(@Nullable Link used, Throwable cause) {
        if (used == null) {
            return false;
        }
        return switch (Failure.of(cause, used.node())) {
            case Failure.Elsewhere(Node node) -> {
                nodes.leave(used);
                nodes.isAt(node);
                yield true;
            }
            case Failure.Passing() -> {
                nodes.leave(used);
                yield false;
            }
            case Failure.Unacknowledged(), Failure.Final() -> throw outage(cause);
        };
    }

    private static RegistryException outage(Throwable cause) {
        Throwable reason = cause;
        while (reason.getMessage() == null && reason.getCause() != null) {
            reason = reason.getCause();
        }
        String why = reason.getMessage() == null ? "it did not answer in time" : reason.getMessage();
        return new RegistryException("the registry's Redis failed: " + why, cause);
    }

    @Override
    public void close() {
        nodes.close();
    }
}
