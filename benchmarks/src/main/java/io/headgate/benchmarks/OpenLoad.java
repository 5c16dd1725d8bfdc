package io.headgate.benchmarks;

import io.headgate.benchmarks.Sample.Operation;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Load at a fixed rate: a request is sent when its time has come, however many are still unanswered, and its latency counts from that
 * time. So a system that stalls is charged for every request of the stall, not only for those that happened to be under way.
 */
final class OpenLoad {
    /** How many requests a GET is one of; the others are PUTs. */
    static final int GET_EVERY = 6;

    /** Sends one request and waits for its answer. Called on a thread of its own. */
    interface Client {
        /** Whether the answer was as asked. */
        boolean send(Operation operation, int number) throws InterruptedException;
    }

    private OpenLoad() {}

    /** How many requests make up such a load; they are numbered from 0. */
    static int requests(int requestsPerSecond, Duration length) {
        return Math.toIntExact(length.toMillis() * requestsPerSecond / 1000);
    }

    /**
     * Runs the load and waits for every answer.
     *
     * @param requestsPerSecond at least 1
     * @param startNanos when the load begins, by {@link System#nanoTime}
     * @return in the order in which the requests were to be sent
     */
    static List<Sample> run(Client client, int requestsPerSecond, Duration length, long startNanos)
            throws InterruptedException {
        int count = requests(requestsPerSecond, length);
        Sample[] samples = new Sample[count];
        CountDownLatch answered = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            int number = i;
            long intended = 1_000_000_000L * number / requestsPerSecond;
            waitUntil(startNanos + intended);
            Thread.ofVirtual().start(() -> {
                Operation operation = number % GET_EVERY == GET_EVERY - 1 ? Operation.GET : Operation.PUT;
                boolean succeeded = false;
                try {
                    succeeded = client.send(operation, number);
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                } finally {
                    long latency = System.nanoTime() - startNanos - intended;
                    samples[number] = new Sample(operation, intended, latency, succeeded);
                    answered.countDown();
                }
            });
        }
        answered.await();
        return List.copyOf(Arrays.asList(samples));
    }

    private static void waitUntil(long nanos) throws InterruptedException {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
