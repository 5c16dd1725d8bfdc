package io.headgate.namespace.cache;

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Reads over one connection. Few commands are under way at a time, and reads that come meanwhile go together in the next: a busy gateway
 * pays for the system calls and hand-overs of a command once for many reads, an idle one does not wait. Thread-safe.
 */
final class ReadLane {
    /** With one, a distant Redis would keep callers waiting for up to a round trip more; with four it is a quarter. */
    private static final int MOST_UNDER_WAY = 4;

    /** In one command, so that it does not hold up others in Redis for long. */
    private static final int MOST_KEYS = 256;

    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final Queue<Read> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();

    private static final class Read extends CompletableFuture<List<byte @Nullable []>> {
        final byte[][] keys;

        Read(byte[][] keys) {
            this.keys = keys;
        }
    }

    ReadLane(StatefulRedisConnection<byte[], byte[]> connection) {
        this.connection = connection;
    }

    /**
     * The values of the keys, of one instant.
     *
     * @param keys few
     * @return fails as the command does; to be cancelled by who does not want it any more
     */
    Future<List<byte @Nullable []>> get(byte[]... keys) {
        Read read = new Read(keys);
        waiting.add(read);
        send();
        return read;
    }

    /** Whoever adds a read, and whoever ends a command, comes here after it: so none waits while there is room for it. */
    private void send() {
        while (!waiting.isEmpty() && begin()) {
            List<Read> batch = nextBatch();
            if (batch.isEmpty()) {
                underWay.decrementAndGet();
            } else {
                send(batch);
            }
        }
    }

    private boolean begin() {
        int now = underWay.get();
        while (now < MOST_UNDER_WAY) {
            if (underWay.compareAndSet(now, now + 1)) {
                return true;
            }
            now = underWay.get();
        }
        return false;
    }

    private List<Read> nextBatch() {
        List<Read> batch = new ArrayList<>();
        for (int keys = 0; keys < MOST_KEYS; ) {
            Read read = waiting.poll();
            if (read == null) {
                break;
            }
            if (!read.isDone()) { // else nobody waits for it any more
                batch.add(read);
                keys += read.keys.length;
            }
        }
        return batch;
    }

    private void send(List<Read> batch) {
        try {
            connection
                    .async()
                    .mget(batch.stream()
                            .flatMap(read -> List.of(read.keys).stream())
                            .toArray(byte[][]::new))
                    .whenComplete((values, failed) -> {
                        underWay.decrementAndGet();
                        send(); // before those who wait are woken: Redis need not be idle meanwhile
                        if (failed == null) {
                            hand(batch, values);
                        } else {
                            fail(batch, failed instanceof CancellationException ? new RedisException(failed) : failed);
                        }
                    });
        } catch (RedisException refused) {
            underWay.decrementAndGet();
            fail(batch, refused);
        }
    }

    private static void fail(List<Read> batch, Throwable cause) {
        batch.forEach(read -> read.completeExceptionally(cause));
    }

    private static void hand(List<Read> batch, List<KeyValue<byte[], byte[]>> values) {
        int at = 0;
        for (Read read : batch) {
            List<byte @Nullable []> found = new ArrayList<>(read.keys.length);
            for (int i = 0; i < read.keys.length; i++) {
                found.add(values.get(at++).getValueOrElse(null));
            }
            read.complete(found);
        }
    }
}
