package io.headgate.work;

import java.time.Duration;

/**
 * How the background workers go about their jobs.
 *
 * @param intentLease as {@link io.headgate.namespace.WriteIntents} has it
 * @param usageInterval how often the accounts' meters are set to the namespace's figures
 * @param probeInterval how often an open breaker is looked at
 * @param rememberCompleted for how long a repeated CompleteMultipartUpload is answered as the first
 */
public record WorkSettings(
        Duration intentLease,
        Duration usageInterval,
        Duration probeInterval,
        Duration rememberCompleted,
        Garbage garbage,
        Sweep sweep,
        Orphans orphans) {

    /**
     * Deletion of garbage.
     *
     * @param grace how long bytes stay after their last reference has gone. Reads of this gateway are known and waited for however long
     *     they take; the grace is for those of other gateways, so it is the longest read there that must not fail
     * @param interval how often it is looked for, and the first wait after a failed deletion
     * @param batch how many blobs of an account a turn deletes, 1 to 10,000
     * @param parallelism how many deletions of an account run at once, at least 1: an account that flushes deletions flushes them together
     * @param maxBackoff the longest wait of an account all of whose deletions fail
     * @param maxBlobBackoff the longest wait of a single blob whose deletion fails
     */
    public record Garbage(
            Duration grace,
            Duration interval,
            int batch,
            int parallelism,
            Duration maxBackoff,
            Duration maxBlobBackoff) {}

    /**
     * The sweep after expired intents.
     *
     * @param interval how often they are looked for, and the first wait before what is left is tried again
     * @param page how many blobs are listed at a time, 1 to 1,000
     * @param pause between steps, each of which lists {@value ExpiredIntentSweep#FAN_OUTS_PER_STEP} of the 256 fan-outs of each account
     * @param maxBackoff the longest wait before what is left is tried again
     */
    public record Sweep(Duration interval, int page, Duration pause, Duration maxBackoff) {}

    /**
     * The search for blobs that nothing knows, though no expired intent leads to them.
     *
     * @param delay from the start to the first pass
     * @param interval from the end of a pass to the beginning of the next
     * @param minAge blobs stamped later are left to a later pass: more than clocks differ and than an intent's window is long
     * @param page how many blobs are listed at a time, 1 to 1,000
     * @param pause after each page
     * @param maxRatio a pass stops before more than this part of the blobs that it saw (and {@value OrphanSweep#PLAUSIBLE}) are orphans:
     *     then the namespace, not the account, has lost something
     */
    public record Orphans(
            Duration delay, Duration interval, Duration minAge, int page, Duration pause, double maxRatio) {}
}
