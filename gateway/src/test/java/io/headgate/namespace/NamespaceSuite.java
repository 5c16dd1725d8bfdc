package io.headgate.namespace;

import static io.headgate.namespace.Commands.BUCKET;
import static io.headgate.namespace.Commands.LATER;
import static io.headgate.namespace.Commands.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What every engine's suites need: an engine with one bucket and an intent that stands, and words for what is looked at. */
public abstract class NamespaceSuite {
    /** The least part size that engines under test are opened with. */
    public static final long MIN_PART_BYTES = 10;

    /** The engine's clock, moved by setting {@link #time}. */
    protected final InstantSource clock = () -> this.time;

    final Commands make = new Commands(7);
    Instant time = NOW;
    Namespace namespace;

    /** Opens the engine on a place of its own for this test. */
    protected abstract Namespace open() throws Exception;

    /** Opens the engine that was closed on the same place: as {@link #open} does, where that has one place for each test. */
    protected Namespace reopen() throws Exception {
        return open();
    }

    @BeforeEach
    final void open_with_a_bucket_and_an_intent() throws Exception {
        namespace = open();
        namespace.createBucket(make.bucket(BUCKET.value()));
        make.intentId = namespace.openIntent("gateway-1", NOW, LATER, LATER).id();
    }

    @AfterEach
    final void close() {
        namespace.close();
    }

    static <T> T done(Outcome<T> outcome) {
        return switch (outcome) {
            case Outcome.Done<T>(T value) -> value;
            case Outcome.Refused<T> refused -> throw new AssertionError("refused: " + refused);
        };
    }

    static <T> Refusal refused(Outcome<T> outcome) {
        return switch (outcome) {
            case Outcome.Done<T>(T value) -> throw new AssertionError("done: " + value);
            case Outcome.Refused<T>(Refusal reason, String detail) -> reason;
        };
    }

    final ObjectVersion put(String key, long sizeBytes) {
        return done(namespace.putObject(make.put(key, sizeBytes).command()));
    }

    final ObjectVersion current(String key) {
        return done(namespace.currentVersion(BUCKET, new ObjectKey(key)));
    }

    final boolean exists(String key) {
        return namespace.currentVersion(BUCKET, new ObjectKey(key)) instanceof Outcome.Done;
    }

    final boolean delete(String key) {
        return delete(key, NOW);
    }

    final boolean delete(String key, Instant now) {
        return done(
                namespace.deleteObjects(BUCKET, List.of(make.delete(key)), now).getFirst());
    }

    /** All garbage of both accounts, whenever queued. */
    final List<BlobId> garbage() {
        Instant end = NOW.plusSeconds(1_000_000);
        List<BlobId> garbage = new ArrayList<>();
        for (String account : List.of("disk-1", "disk-2")) {
            namespace.dueGarbage(account, end, 10_000).forEach(blob -> garbage.add(blob.blob()));
        }
        return garbage;
    }

    final BucketUsage usage() {
        return done(namespace.bucketUsage(BUCKET));
    }

    final AccountUsage account(String name) {
        return namespace.accountUsage().getOrDefault(name, AccountUsage.NONE);
    }

    /** A bucket of its own for each call. */
    final BucketName anotherBucket(String name) {
        return namespace.createBucket(make.bucket(name)).bucket().name();
    }

    /** Starts all at once and returns what came of them. */
    static <T> List<T> atOnce(List<Callable<T>> tasks) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<T> results = new ArrayList<>();
            for (Future<T> result : threads.invokeAll(tasks)) {
                results.add(result.get());
            }
            return results;
        }
    }

    static void assertRefused(Outcome<?> outcome, Refusal reason) {
        assertThat(refused(outcome)).isEqualTo(reason);
    }
}
