package io.headgate.namespace.sql;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.WriteCondition;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/** The program that the crash test kills: many threads put, and each acknowledged put becomes a line on standard output. */
final class CrashingWriter {
    static final BucketName BUCKET = new BucketName("crash");
    static final int THREADS = 32;
    static final int KEYS_OF_A_THREAD = 5;

    private CrashingWriter() {}

    /** @param arguments the database file, and the number from which the writes count */
    public static void main(String[] arguments) throws InterruptedException {
        Namespace namespace =
                SqliteNamespace.open(Path.of(arguments[0]), InstantSource.system(), SqliteOptions.defaults());
        long first = Long.parseLong(arguments[1]);
        Instant now = Instant.now();
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        long intent =
                namespace.openIntent("g", now, now, now.plusSeconds(3_600)).id();
        ReentrantLock lock = new ReentrantLock();
        PrintStream out = System.out;
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            Thread.startVirtualThread(() -> {
                for (long number = first; ; number++) {
                    PutObject command = put(thread, number, intent);
                    if (namespace.putObject(command) instanceof Outcome.Done) {
                        lock.lock();
                        try {
                            out.println(command.key().value() + " " + number);
                        } finally {
                            lock.unlock();
                        }
                    }
                }
            });
        }
        Thread.currentThread().join();
    }

    private static PutObject put(int thread, long number, long intent) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Instant now = Instant.now();
        BlobId blob = BlobId.of(now.getEpochSecond(), 1, random.nextLong(), random.nextLong());
        return new PutObject(
                BUCKET,
                new ObjectKey(thread + "/" + number % KEYS_OF_A_THREAD),
                new UUID(thread, number).toString(),
                new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD),
                10,
                new ETag("%032x".formatted(number)),
                List.of(),
                Optional.of(new Slice(blob, "disk-1", 0, 10)),
                WriteCondition.NONE,
                intent,
                Optional.empty(),
                now);
    }
}
