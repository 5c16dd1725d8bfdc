package io.headgate.namespace.sql;

import io.headgate.namespace.MultipartRules;
import java.time.Duration;

/**
 * How the embedded engine runs.
 *
 * @param queuedWrites how many writes may wait for their turn; further callers wait to be queued
 * @param batchWrites the most writes that one commit covers
 * @param readers how many reads run at once; further ones wait their turn
 * @param recentVersionsBytes about how much memory the versions that were read lately may take
 * @param walLimitBytes the size of the write-ahead log from which writers are held up until it is folded into the database
 * @param timeout how long a caller waits before it gets an exception
 * @param minPartBytes the least size of every part of a multipart upload but the last
 * @param maxFileBytes from which size on the database grows no more and writes fail; 0 for as large as the disk allows
 * @param flush whether a commit waits for the disk; false loses acknowledged writes in a power cut, and is for tests and benchmarks
 */
public record SqliteOptions(
        int queuedWrites,
        int batchWrites,
        int readers,
        long recentVersionsBytes,
        long walLimitBytes,
        Duration timeout,
        long minPartBytes,
        long maxFileBytes,
        boolean flush) {
    public SqliteOptions {
        if (queuedWrites < 1
                || batchWrites < 1
                || readers < 1
                || recentVersionsBytes < 0
                || walLimitBytes < 1 << 20
                || timeout.isNegative()) {
            throw new IllegalArgumentException("options out of range");
        }
    }

    /** For serving: two readers a core, and a sixteenth of the heap, at most 64 MiB, for what was read lately. */
    public static SqliteOptions defaults() {
        int readers = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
        long recent = Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);
        return new SqliteOptions(
                4_096, 512, readers, recent, 64L << 20, Duration.ofSeconds(30), MultipartRules.MIN_PART_BYTES, 0, true);
    }

    public SqliteOptions withMinPartBytes(long bytes) {
        return new SqliteOptions(
                queuedWrites,
                batchWrites,
                readers,
                recentVersionsBytes,
                walLimitBytes,
                timeout,
                bytes,
                maxFileBytes,
                flush);
    }

    public SqliteOptions withFlush(boolean on) {
        return new SqliteOptions(
                queuedWrites,
                batchWrites,
                readers,
                recentVersionsBytes,
                walLimitBytes,
                timeout,
                minPartBytes,
                maxFileBytes,
                on);
    }

    public SqliteOptions withWalLimitBytes(long bytes) {
        return new SqliteOptions(
                queuedWrites,
                batchWrites,
                readers,
                recentVersionsBytes,
                bytes,
                timeout,
                minPartBytes,
                maxFileBytes,
                flush);
    }

    public SqliteOptions withTimeout(Duration wait) {
        return new SqliteOptions(
                queuedWrites,
                batchWrites,
                readers,
                recentVersionsBytes,
                walLimitBytes,
                wait,
                minPartBytes,
                maxFileBytes,
                flush);
    }

    public SqliteOptions withMaxFileBytes(long bytes) {
        return new SqliteOptions(
                queuedWrites,
                batchWrites,
                readers,
                recentVersionsBytes,
                walLimitBytes,
                timeout,
                minPartBytes,
                bytes,
                flush);
    }
}
