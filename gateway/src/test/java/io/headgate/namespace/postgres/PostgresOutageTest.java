package io.headgate.namespace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.WriteCondition;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
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
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database goes away and comes back. */
final class PostgresOutageTest {
    private static final BucketName BUCKET = new BucketName("photos");
    private static final ObjectAttributes PLAIN =
            new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD);

    @TempDir
    Path directory;

    private EmbeddedPostgres server(int port) throws IOException {
        System.setProperty("org.slf4j.simpleLogger.log.io.zonky", "warn");
        return EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("pg"))
                .setCleanDataDirectory(false)
                .setPort(port)
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static PutObject put(String key, long intent) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        BlobId blob = BlobId.of(1_000, 1, random.nextLong(), random.nextLong());
        return new PutObject(
                BUCKET,
                new ObjectKey(key),
                UUID.randomUUID().toString(),
                PLAIN,
                7,
                new ETag("00000000000000000000000000000000"),
                List.of(),
                Optional.of(new Slice(blob, "disk-1", 0, 7)),
                WriteCondition.NONE,
                intent,
                Optional.empty(),
                Instant.now());
    }

    private static long intent(PostgresNamespace namespace) {
        Instant now = Instant.now();
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        return namespace
                .openIntent("gateway-1", now, now.plusSeconds(600), now.plusSeconds(600))
                .id();
    }

    private static Outcome<ObjectVersion> find(PostgresNamespace namespace, String key) {
        return namespace.currentVersion(BUCKET, new ObjectKey(key));
    }

    @Test
    void operations_fail_at_once_while_the_database_is_down_and_succeed_once_it_is_back_elsewhere() throws Exception {
        int first = freePort();
        int second = freePort();
        PostgresOptions options = PostgresOptions.defaults(
                        "127.0.0.1:" + first + ",127.0.0.1:" + second, "postgres", "postgres")
                .withConnections(4)
                .withTimeouts(
                        Duration.ofSeconds(20), Duration.ofMillis(500), Duration.ofSeconds(5), Duration.ofSeconds(5));
        EmbeddedPostgres server = server(first);
        try (PostgresNamespace namespace = PostgresNamespace.open(options, InstantSource.system())) {
            long intent = intent(namespace);
            PutObject acknowledged = put("before", intent);
            assertThat(namespace.putObject(acknowledged)).isInstanceOf(Outcome.Done.class);

            server.close();
            PutObject unanswered = put("during", intent);
            assertThatThrownBy(() -> namespace.putObject(unanswered)).isInstanceOf(NamespaceException.class);
            long started = System.nanoTime();
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(() -> find(namespace, "before")).isInstanceOf(NamespaceException.class);
                assertThatThrownBy(namespace::ping).isInstanceOf(NamespaceException.class);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(5));

            server = server(second);
            await().atMost(Duration.ofSeconds(20))
                    .ignoreExceptions()
                    .untilAsserted(
                            () -> assertThat(namespace.putObject(unanswered)).isInstanceOf(Outcome.Done.class));
            assertThat(find(namespace, "before")).isInstanceOf(Outcome.Done.class);
            assertThat(namespace.bucketUsage(BUCKET)).isEqualTo(new Outcome.Done<>(new BucketUsage(2, 14)));
        } finally {
            server.close();
        }
    }

    /** Connections are cut while commits are under way, so some end with an unknown outcome, which the engine finds out. */
    @Test
    void what_connections_were_doing_when_they_were_cut_takes_effect_once() throws Exception {
        PostgresOptions options = Postgres.fresh();
        try (PostgresNamespace namespace = PostgresNamespace.open(options, InstantSource.system())) {
            long intent = intent(namespace);
            AtomicInteger names = new AtomicInteger();
            Set<String> failures = ConcurrentHashMap.newKeySet();
            AtomicBoolean done = new AtomicBoolean();
            AtomicLong kept = new AtomicLong();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < 24; i++) {
                    threads.submit(() -> {
                        while (!done.get()) {
                            work(namespace, intent, "key-" + names.incrementAndGet(), failures, kept);
                        }
                    });
                }
                cutConnections(options, 40);
                done.set(true);
            }

            assertThat(failures).isEmpty();
            assertThat(((Outcome.Done<BucketUsage>) namespace.bucketUsage(BUCKET))
                            .value()
                            .objects())
                    .isEqualTo(kept.get());
            assertThat(kept.get()).isGreaterThan(100);
            Tables.check(options);
        }
    }

    @Test
    void a_commit_whose_answer_is_lost_is_told_as_it_was() throws Exception {
        PostgresOptions direct = Postgres.fresh();
        try (LosingProxy proxy = LosingProxy.before(direct);
                PostgresNamespace namespace =
                        PostgresNamespace.open(Postgres.through(direct, proxy.port()), InstantSource.system())) {
            long intent = intent(namespace);
            for (int i = 0; i < 5; i++) {
                String key = "key-" + i;
                proxy.loseNextCommit();
                assertThat(namespace.putObject(put(key, intent))).isInstanceOf(Outcome.Done.class);
                proxy.loseNextCommit();
                List<DeleteObject> deletion = List.of(new DeleteObject(new ObjectKey(key), WriteCondition.NONE));
                assertThat(namespace.deleteObjects(BUCKET, deletion, Instant.now()))
                        .containsExactly(new Outcome.Done<>(true));
                assertThat(namespace.deleteObjects(BUCKET, deletion, Instant.now()))
                        .containsExactly(new Outcome.Done<>(false));
            }
            assertThat(proxy.lost()).isEqualTo(10);
            Tables.check(direct);
        }
    }

    @Test
    void the_schema_is_made_however_short_the_time_outs_of_statements_are() throws Exception {
        Duration tooShortForAChangeOfSchema = Duration.ofMillis(2);
        PostgresOptions options = Postgres.fresh()
                .withTimeouts(
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(5),
                        tooShortForAChangeOfSchema);
        PostgresNamespace.open(options, InstantSource.system()).close();
        Tables.check(options);
    }

    @Test
    void a_put_that_has_to_wait_for_a_lock_too_long_fails_and_holds_up_no_other() throws Exception {
        Duration lockTimeout = Duration.ofMillis(400);
        PostgresOptions options = Postgres.fresh()
                .withTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(2), Duration.ofSeconds(5), lockTimeout);
        try (PostgresNamespace namespace = PostgresNamespace.open(options, InstantSource.system());
                Connection other = Postgres.connect(options);
                Statement statement = other.createStatement();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            long intent = intent(namespace);
            namespace.putObject(put("locked", intent));
            other.setAutoCommit(false);
            statement.execute("SELECT 1 FROM objects FOR UPDATE");

            PutObject waiting = put("locked", intent);
            List<Future<Outcome<ObjectVersion>>> results = new ArrayList<>();
            results.add(threads.submit(() -> namespace.putObject(waiting)));
            for (int i = 0; i < 20; i++) {
                PutObject free = put("free-" + i, intent);
                results.add(threads.submit(() -> namespace.putObject(free)));
            }
            assertThatThrownBy(() -> results.getFirst().get())
                    .hasRootCauseInstanceOf(SQLException.class)
                    .hasMessageContaining("too slow");
            for (Future<Outcome<ObjectVersion>> free : results.subList(1, results.size())) {
                assertThat(free.get()).isInstanceOf(Outcome.Done.class);
            }
            other.rollback();
            assertThat(namespace.putObject(waiting)).isInstanceOf(Outcome.Done.class);
            Tables.check(options);
        }
    }

    private static void work(
            PostgresNamespace namespace, long intent, String key, Set<String> failures, AtomicLong kept) {
        PutObject put = put(key, intent);
        answered(() -> namespace.putObject(put));
        kept.incrementAndGet();
        if (ThreadLocalRandom.current().nextBoolean()) {
            AtomicInteger tries = new AtomicInteger();
            List<Outcome<Boolean>> deleted = answered(() -> {
                tries.incrementAndGet();
                return namespace.deleteObjects(
                        BUCKET, List.of(new DeleteObject(new ObjectKey(key), WriteCondition.NONE)), Instant.now());
            });
            kept.decrementAndGet();
            // A second call may find that the first, which was not answered, has deleted it.
            if (tries.get() == 1 && !deleted.equals(List.of(new Outcome.Done<>(true)))) {
                failures.add("told of another try: " + deleted);
            }
        }
    }

    /** Sends a command again until it is answered: one that meets cut after cut may fail. */
    private static <T> T answered(Supplier<T> command) {
        while (true) {
            try {
                return command.get();
            } catch (NamespaceException unanswered) {
                assertThat(unanswered).hasMessageContaining("database");
            }
        }
    }

    private static void cutConnections(PostgresOptions options, int times) throws SQLException {
        try (Connection connection = Postgres.connect(options);
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < times; i++) {
                statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname ="
                        + " current_database() AND pid <> pg_backend_pid() ORDER BY state, random() LIMIT 1");
                statement.execute("SELECT pg_sleep(0.05)"); // The server's clock: there is nothing to await.
            }
        }
    }
}
