package io.headgate.namespace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.CompleteUpload;
import io.headgate.namespace.CopyObject;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Intent;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.ReadCondition;
import io.headgate.namespace.ReadsInFlight;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.Upload;
import io.headgate.namespace.WriteCondition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several gateways over one database, at once. */
final class PostgresGatewaysTest {
    private static final BucketName BUCKET = new BucketName("shared");
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final ObjectAttributes PLAIN =
            new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD);
    private static final int GATEWAYS = 3;

    private final PostgresOptions options = Postgres.fresh();
    private final List<PostgresNamespace> gateways = new ArrayList<>();
    private long intent;

    /** They start at once on an empty database, so each finds it without a schema. */
    @BeforeEach
    void open() throws Exception {
        List<Callable<PostgresNamespace>> starts = new ArrayList<>();
        for (int i = 0; i < GATEWAYS; i++) {
            starts.add(() -> PostgresNamespace.open(options, InstantSource.system()));
        }
        gateways.addAll(atOnce(starts));
        gateways.getFirst().createBucket(new Bucket(BUCKET, "alice", "", NOW));
        intent = gateways.getFirst()
                .openIntent("gateway-1", NOW, NOW, NOW.plusSeconds(60))
                .id();
    }

    @AfterEach
    void close() {
        gateways.forEach(PostgresNamespace::close);
    }

    private static <T> List<T> atOnce(List<Callable<T>> tasks) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<T> results = new ArrayList<>();
            for (Future<T> result : threads.invokeAll(tasks)) {
                results.add(result.get());
            }
            return results;
        }
    }

    private static Slice blob(SplittableRandom random, long sizeBytes) {
        return new Slice(BlobId.of(1_000, 1, random.nextLong(), random.nextLong()), "disk-1", 0, sizeBytes);
    }

    private static String id(SplittableRandom random) {
        return new java.util.UUID(random.nextLong(), random.nextLong()).toString();
    }

    private static ETag etag(SplittableRandom random) {
        return new ETag("%016x%016x".formatted(random.nextLong(), random.nextLong()));
    }

    private PutObject put(SplittableRandom random, String key, long sizeBytes, WriteCondition condition) {
        return new PutObject(
                BUCKET,
                new ObjectKey(key),
                id(random),
                PLAIN,
                sizeBytes,
                etag(random),
                List.of(),
                sizeBytes == 0 ? Optional.empty() : Optional.of(blob(random, sizeBytes)),
                condition,
                intent,
                Optional.empty(),
                NOW);
    }

    @Test
    void of_conditional_puts_through_different_gateways_one_wins() throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 30; round++) {
            String key = "contested-" + round;
            List<Callable<Outcome<ObjectVersion>>> tasks = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                PostgresNamespace gateway = gateways.get(i % GATEWAYS);
                PutObject command = put(random, key, 1, new WriteCondition.Absent());
                tasks.add(() -> gateway.putObject(command));
            }
            List<Outcome<ObjectVersion>> outcomes = atOnce(tasks);

            List<Outcome<ObjectVersion>> winners =
                    outcomes.stream().filter(Outcome.Done.class::isInstance).toList();
            assertThat(winners).hasSize(1);
            for (PostgresNamespace gateway : gateways) {
                assertThat(gateway.currentVersion(BUCKET, new ObjectKey(key))).isEqualTo(winners.getFirst());
            }
        }
        Tables.check(options);
    }

    @Test
    void what_one_gateway_acknowledged_the_others_see() {
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 60; i++) {
            Outcome<ObjectVersion> written =
                    gateways.get(i % GATEWAYS).putObject(put(random, "key", 1 + i, WriteCondition.NONE));
            assertThat(gateways.get((i + 1) % GATEWAYS).currentVersion(BUCKET, new ObjectKey("key")))
                    .isEqualTo(written);
        }
    }

    /** Everything at once on few keys; then references and counters are exact. */
    @Test
    void counters_and_references_stay_exact_whatever_meets() throws Exception {
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < 4 * GATEWAYS; i++) {
            PostgresNamespace gateway = gateways.get(i % GATEWAYS);
            SplittableRandom random = new SplittableRandom(i);
            tasks.add(() -> {
                for (int step = 0; step < 120; step++) {
                    step(gateway, random);
                }
                return true;
            });
        }
        assertThat(atOnce(tasks)).doesNotContain(false);

        Tables.check(options);
        List<Garbage> garbage = gateways.getFirst().dueGarbage("disk-1", NOW.plusSeconds(1_000_000_000), 10_000);
        assertThat(garbage).isNotEmpty();
        gateways.get(1)
                .garbageDeleted("disk-1", garbage.stream().map(Garbage::blob).toList());
        Tables.check(options);
    }

    private void step(PostgresNamespace gateway, SplittableRandom random) {
        String key = "key-" + random.nextInt(4);
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> gateway.putObject(put(random, key, random.nextInt(3), WriteCondition.NONE));
            case 3 ->
                gateway.deleteObjects(
                        BUCKET,
                        List.of(
                                new DeleteObject(new ObjectKey(key), WriteCondition.NONE),
                                new DeleteObject(new ObjectKey("key-0"), WriteCondition.NONE)),
                        NOW);
            case 4, 5 -> gateway.copyObject(copy(random, "key-" + random.nextInt(4), key));
            case 6 -> multipart(gateway, random, key);
            default -> gateway.dueGarbage("disk-1", NOW.plusSeconds(1_000_000_000), 10);
        }
    }

    private static CopyObject copy(SplittableRandom random, String from, String to) {
        return new CopyObject(
                BUCKET,
                new ObjectKey(from),
                Optional.empty(),
                ReadCondition.NONE,
                BUCKET,
                new ObjectKey(to),
                id(random),
                Optional.empty(),
                Optional.empty(),
                ObjectAttributes.STANDARD,
                Optional.empty(),
                Optional.empty(),
                WriteCondition.NONE,
                NOW);
    }

    private void multipart(PostgresNamespace gateway, SplittableRandom random, String key) {
        Upload upload = new Upload(id(random), BUCKET, new ObjectKey(key), PLAIN, Optional.empty(), "alice", NOW);
        gateway.createUpload(upload);
        List<CompleteUpload.NamedPart> named = new ArrayList<>();
        for (int number = 1; number <= 3; number++) {
            Part part = new Part(number, 20, etag(random), Optional.empty(), NOW);
            gateway.putPart(
                    new PutPart(BUCKET, upload.key(), upload.id(), part, Optional.of(blob(random, 20)), intent));
            if (number != 2) {
                named.add(new CompleteUpload.NamedPart(number, part.etag(), Optional.empty()));
            }
        }
        if (random.nextInt(4) == 0) {
            gateway.abortUpload(BUCKET, upload.key(), upload.id(), NOW);
            return;
        }
        Outcome<ObjectVersion> completed = gateway.completeUpload(new CompleteUpload(
                BUCKET,
                upload.key(),
                upload.id(),
                id(random),
                named,
                Optional.empty(),
                Optional.empty(),
                WriteCondition.NONE,
                NOW));
        assertThat(completed).isInstanceOf(Outcome.Done.class);
    }

    /** A commit under an intent, and the taking of it, at once: either the commit is refused, or the sweep knows its blob. */
    @Test
    void no_blob_is_committed_under_an_intent_that_another_gateway_has_taken() throws Exception {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 40; round++) {
            intent = gateways.get(0)
                    .openIntent("g", NOW, NOW, NOW.plusSeconds(1))
                    .id();
            PutObject command = put(random, "key-" + round, 1, WriteCondition.NONE);
            BlobId blob = command.blob().orElseThrow().blob();
            List<Boolean> results =
                    atOnce(List.of(() -> gateways.get(0).putObject(command) instanceof Outcome.Done, () -> {
                        List<Intent> taken = gateways.get(1).takeExpiredIntents(NOW.plusSeconds(2), 10);
                        return !taken.isEmpty()
                                && gateways.get(1)
                                        .unknownBlobs("disk-1", List.of(blob))
                                        .contains(blob);
                    }));
            boolean committed = results.get(0);
            boolean seenUnknown = results.get(1);
            assertThat(committed && seenUnknown).isFalse();
            gateways.get(2).closeIntents(List.of(intent));
        }
    }

    @Test
    void a_bucket_that_one_gateway_deletes_takes_no_object_from_another() throws Exception {
        SplittableRandom random = new SplittableRandom(4);
        for (int round = 0; round < 20; round++) {
            PutObject command = put(random, "key", 1, WriteCondition.NONE);
            List<Outcome<?>> outcomes = atOnce(List.of(
                    () -> gateways.get(0).putObject(command),
                    () -> gateways.get(1).deleteBucket(BUCKET, NOW)));
            boolean deleted = outcomes.get(1) instanceof Outcome.Done;
            assertThat(outcomes.get(0) instanceof Outcome.Done).isNotEqualTo(deleted);
            if (!deleted) {
                assertThat(((Outcome.Refused<?>) outcomes.get(1)).reason()).isEqualTo(Refusal.BUCKET_NOT_EMPTY);
                gateways.get(2)
                        .deleteObjects(
                                BUCKET, List.of(new DeleteObject(new ObjectKey("key"), WriteCondition.NONE)), NOW);
            } else {
                gateways.get(2).createBucket(new Bucket(BUCKET, "alice", "", NOW));
            }
        }
        Tables.check(options);
    }

    @Test
    void a_read_through_one_gateway_keeps_the_garbage_of_all() {
        AtomicReference<Instant> time = new AtomicReference<>(NOW);
        Duration patience = Duration.ofMinutes(5);
        List<ReadsInFlight> reads =
                gateways.stream().map(_ -> new ReadsInFlight(time::get)).toList();
        long begun = reads.get(1).begin();
        Runnable exchange = () -> {
            // Twice, as who told first had not heard the others.
            for (int i = 0; i < 2 * GATEWAYS; i++) {
                int gateway = i % GATEWAYS;
                reads.get(gateway).exchange(gateways.get(gateway), "gateway-" + gateway, patience);
            }
        };
        exchange.run();
        time.set(NOW.plusSeconds(3_600));
        exchange.run();
        assertThat(reads).allSatisfy(all -> assertThat(all.oldestBegin()).isBefore(NOW));

        reads.get(1).end(begun);
        exchange.run();
        assertThat(reads).allSatisfy(all -> assertThat(all.oldestBegin()).isAfter(NOW.plusSeconds(3_500)));

        reads.get(1).begin();
        exchange.run();
        time.set(NOW.plusSeconds(7_200));
        reads.getFirst().exchange(gateways.getFirst(), "gateway-0", patience);
        assertThat(reads.getFirst().oldestBegin()).as("the others have died").isAfter(NOW.plusSeconds(7_100));
    }

    @Test
    void a_schema_of_a_newer_headgate_is_refused() throws SQLException {
        try (Connection connection = Postgres.connect(options);
                Statement statement = connection.createStatement()) {
            statement.execute("""
                    INSERT INTO headgate_schema_history
                      (installed_rank, version, description, type, script, installed_by, execution_time, success)
                    VALUES (99, '900', 'later', 'SQL', 'V900__later.sql', 'postgres', 1, true)""");
        }
        assertThatThrownBy(() -> PostgresNamespace.open(options, InstantSource.system()))
                .isInstanceOf(NamespaceException.class)
                .hasMessageMatching("the namespace's schema is of version 900, made by a newer Headgate;"
                        + " this one knows versions up to \\d+: upgrade this gateway");
    }

    @Test
    void neither_errors_nor_options_show_the_password() {
        PostgresOptions wrong = PostgresOptions.defaults(options.hosts(), "no-such-database", "postgres")
                .withPassword("hush-hush");
        assertThat(wrong.toString()).doesNotContain("hush");
        assertThatThrownBy(() -> PostgresNamespace.open(wrong, InstantSource.system()))
                .isInstanceOf(NamespaceException.class)
                .hasMessageContaining("no-such-database")
                .satisfies(failed -> {
                    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
                        assertThat(cause.toString()).doesNotContain("hush");
                    }
                });
    }
}
