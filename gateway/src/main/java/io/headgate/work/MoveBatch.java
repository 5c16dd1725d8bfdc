package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.work.Moves.Begun;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

/** The copying of some blobs of one account, by several threads. */
final class MoveBatch {
    /** The batch is given up after so many failures to read the account without a success. */
    private static final int HOPELESS = 3;

    private final Account from;
    private final BlobCopier copier;
    private final BooleanSupplier wanted;
    private final Queue<Begun> todo;
    private final Queue<Begun> copied = new ConcurrentLinkedQueue<>();
    private final Queue<Begun> failed = new ConcurrentLinkedQueue<>();
    private final Queue<Begun> missing = new ConcurrentLinkedQueue<>();
    private volatile boolean unreadable;
    private volatile String reason = "";

    /** @param wanted whether to go on */
    MoveBatch(Account from, List<Begun> moves, BlobCopier copier, BooleanSupplier wanted) {
        this.from = from;
        this.wanted = wanted;
        this.copier = copier;
        this.todo = new ConcurrentLinkedQueue<>(moves);
    }

    /** Copies until all is tried, the account cannot be read, or moves are not wanted any more. */
    void run(int parallelism) throws InterruptedException {
        int lanes = Math.min(parallelism, todo.size());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                running.add(threads.submit(() -> {
                    lane();
                    return null;
                }));
            }
            try {
                for (Future<?> lane : running) {
                    lane.get();
                }
            } catch (ExecutionException failure) {
                threads.shutdownNow();
                throw new IllegalStateException("copying blobs failed in an unexpected way", failure.getCause());
            } catch (InterruptedException stopped) {
                threads.shutdownNow();
                throw stopped;
            }
        }
    }

    /** Whose copies are whole. */
    List<Begun> copied() {
        return List.copyOf(copied);
    }

    /** Whose copies were tried in vain. */
    List<Begun> failed() {
        return List.copyOf(failed);
    }

    /** Whose blobs the account does not have. */
    List<Begun> missing() {
        return List.copyOf(missing);
    }

    /** All that were tried in vain; the rest is as it was begun. */
    List<Begun> given() {
        List<Begun> given = new ArrayList<>(failed);
        given.addAll(missing);
        return given;
    }

    boolean stopped() {
        return unreadable;
    }

    /** Of the latest failure. */
    String reason() {
        return reason;
    }

    private void lane() throws InterruptedException {
        while (wanted.getAsBoolean() && !unreadable) {
            Begun next = todo.poll();
            if (next == null) {
                return;
            }
            switch (copier.copy(
                    from, next.reservation(), next.move().blob(), next.move().sizeBytes())) {
                case BlobCopier.Result.Copied _ -> copied.add(next);
                case BlobCopier.Result.Missing(String why) -> {
                    reason = why;
                    missing.add(next);
                }
                case BlobCopier.Result.TargetFailed(String why) -> {
                    reason = why;
                    failed.add(next);
                }
                case BlobCopier.Result.SourceFailed(String why) -> {
                    reason = why;
                    failed.add(next);
                    unreadable = copied.isEmpty() && failed.size() >= HOPELESS;
                }
            }
        }
    }
}
