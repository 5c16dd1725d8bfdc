package io.headgate.work;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** How the draining of one account goes, since this process began. Thread-safe. */
public final class DrainProgress {
    /** Over which rates are taken. */
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final InstantSource clock;
    /** What moved in the window, in the order of time. Guarded by this. */
    private final Deque<Step> steps = new ArrayDeque<>();

    private long movedBlobs;
    private long movedBytes;
    private long failedCopies;
    private long missingBlobs;

    private record Step(Instant begun, Instant ended, long blobs, long bytes) {}

    DrainProgress(InstantSource clock) {
        this.clock = clock;
    }

    synchronized void moved(Instant begun, long blobs, long bytes) {
        movedBlobs += blobs;
        movedBytes += bytes;
        forgetOld();
        steps.addLast(new Step(begun, clock.instant(), blobs, bytes));
    }

    synchronized void failed() {
        failedCopies++;
    }

    synchronized void missing() {
        missingBlobs++;
    }

    public synchronized long movedBlobs() {
        return movedBlobs;
    }

    public synchronized long movedBytes() {
        return movedBytes;
    }

    /** Copies that were given up; their blobs are tried again. */
    public synchronized long failedCopies() {
        return failedCopies;
    }

    /** Live blobs that the account does not have: corruption. Each is counted once. */
    public synchronized long missingBlobs() {
        return missingBlobs;
    }

    /** Bytes that moved a second, lately. */
    public synchronized double bytesPerSecond() {
        forgetOld();
        return steps.stream().mapToLong(Step::bytes).sum() / seconds();
    }

    /**
     * How long the rest takes if it goes on as of late.
     *
     * @return empty if nothing has moved of late
     */
    public synchronized Optional<Duration> expected(long remainingBlobs, long remainingBytes) {
        forgetOld();
        long blobs = steps.stream().mapToLong(Step::blobs).sum();
        long bytes = steps.stream().mapToLong(Step::bytes).sum();
        if (blobs == 0 || bytes == 0) {
            return Optional.empty();
        }
        // Small blobs are bound by their number, large ones by their bytes.
        double rest = Math.max((double) remainingBlobs / blobs, (double) remainingBytes / bytes);
        return Optional.of(Duration.ofSeconds((long) Math.ceil(rest * seconds())));
    }

    private void forgetOld() {
        Instant oldest = clock.instant().minus(WINDOW);
        while (!steps.isEmpty() && steps.getFirst().ended.isBefore(oldest)) {
            steps.removeFirst();
        }
    }

    /** Of the steps that are remembered. */
    private double seconds() {
        Instant begun = steps.isEmpty() ? clock.instant() : steps.getFirst().begun;
        return Math.max(1, Duration.between(begun, clock.instant()).toMillis()) / 1000.0;
    }
}
