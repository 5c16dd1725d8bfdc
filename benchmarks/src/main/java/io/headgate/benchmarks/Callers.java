package io.headgate.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/** Callers that do the same at once, each on a thread of its own. */
final class Callers {
    private Callers() {}

    /** What one does, again and again. */
    interface Operation {
        /** Whether there is more to do. */
        boolean run(SplittableRandom random) throws IOException, InterruptedException;
    }

    /**
     * Nanoseconds of each operation, by caller.
     *
     * @param goesOn whether an operation is begun at that time, by {@link System#nanoTime}
     */
    static List<long[]> measured(int count, LongPredicate goesOn, Operation operation) throws InterruptedException {
        List<long[]> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<long[]>> running = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                SplittableRandom random = new SplittableRandom(System.nanoTime() ^ i);
                running.add(threads.submit(() -> {
                    LongStream.Builder nanos = LongStream.builder();
                    long begin = System.nanoTime();
                    while (goesOn.test(begin) && operation.run(random)) {
                        long now = System.nanoTime();
                        nanos.add(now - begin);
                        begin = now;
                    }
                    return nanos.build().toArray();
                }));
            }
            for (Future<long[]> one : running) {
                all.add(one.get());
            }
        } catch (ExecutionException failed) {
            throw new IllegalStateException("an operation failed", failed);
        }
        return all;
    }

    /** Nanoseconds of each operation that began in so long a time. */
    static List<long[]> turn(int count, Duration length, Operation operation) throws InterruptedException {
        long end = System.nanoTime() + length.toNanos();
        return measured(count, begin -> begin - end < 0, operation);
    }
}
