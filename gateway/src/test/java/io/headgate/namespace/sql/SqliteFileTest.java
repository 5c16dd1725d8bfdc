package io.headgate.namespace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.WriteCondition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The embedded engine and its file: what it refuses to open, and what it does when the file cannot take a write. */
final class SqliteFileTest {
    private static final BucketName BUCKET = new BucketName("photos");
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final InstantSource CLOCK = InstantSource.fixed(NOW);
    private static final SqliteOptions OPTIONS = SqliteOptions.defaults().withFlush(false);

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void name_the_file() {
        file = directory.resolve("namespace.db");
    }

    private Namespace open(SqliteOptions options) {
        Namespace namespace = SqliteNamespace.open(file, CLOCK, options);
        namespace.createBucket(new Bucket(BUCKET, "alice", "", NOW));
        return namespace;
    }

    /** An empty object with metadata of that many bytes. */
    private static PutObject put(String key, int metadataBytes) {
        return new PutObject(
                BUCKET,
                new ObjectKey(key),
                UUID.randomUUID().toString(),
                new ObjectAttributes(
                        Map.of(), Map.of("m", "x".repeat(metadataBytes)), Map.of(), ObjectAttributes.STANDARD),
                0,
                new ETag("0"),
                List.of(),
                Optional.empty(),
                WriteCondition.NONE,
                0,
                Optional.empty(),
                NOW);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void a_file_that_is_no_database_is_refused_and_left_alone() throws IOException {
        Files.writeString(file, "These are minutes of a meeting, not a database. ".repeat(100));

        assertThatThrownBy(() -> SqliteNamespace.open(file, CLOCK, OPTIONS))
                .isInstanceOf(NamespaceException.class)
                .hasMessageContaining(file.toString());
        assertThat(file).content().startsWith("These are minutes");
    }

    @Test
    void only_the_owner_reads_the_file_and_what_is_beside_it() throws IOException {
        try (Namespace _ = open(OPTIONS);
                Stream<Path> files = Files.list(directory)) {
            assertThat(files)
                    .hasSizeGreaterThan(1)
                    .allSatisfy(one -> assertThat(Files.getPosixFilePermissions(one))
                            .containsExactlyInAnyOrder(
                                    PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
        }
    }

    @Test
    void what_a_run_that_died_had_leased_is_free_for_the_next() {
        try (Namespace namespace = open(OPTIONS)) {
            assertThat(namespace.lease("work", "died", NOW, NOW.plusSeconds(10)))
                    .isTrue();
        }
        try (Namespace namespace = open(OPTIONS)) {
            assertThat(namespace.lease("work", "next", NOW, NOW.plusSeconds(10)))
                    .isTrue();
        }
    }

    @Test
    void a_database_of_something_else_is_refused() throws SQLException {
        execute("CREATE TABLE songs (title TEXT)");

        assertThatThrownBy(() -> SqliteNamespace.open(file, CLOCK, OPTIONS))
                .isInstanceOf(NamespaceException.class)
                .hasMessageContaining("not a namespace of Headgate");
    }

    @Test
    void a_namespace_keeps_its_id_and_one_that_was_made_without_gets_one() throws SQLException {
        String first = idOnce();
        assertThat(first).matches("[0-9a-f]{32}");
        assertThat(idOnce()).isEqualTo(first);

        makeVersion1();
        execute("DROP TABLE settings");
        String second = idOnce();

        assertThat(second).matches("[0-9a-f]{32}").isNotEqualTo(first);
        assertThat(idOnce()).isEqualTo(second);
    }

    private String idOnce() {
        try (Namespace namespace = open(OPTIONS)) {
            return namespace.id();
        }
    }

    @Test
    void a_namespace_of_a_newer_headgate_is_refused() throws SQLException {
        open(OPTIONS).close();
        execute("PRAGMA user_version = 1000");

        assertThatThrownBy(() -> SqliteNamespace.open(file, CLOCK, OPTIONS))
                .isInstanceOf(NamespaceException.class)
                .hasMessageContaining("newer Headgate");
    }

    @Test
    void a_namespace_of_an_older_headgate_is_brought_up_to_date_with_all_that_it_holds() throws Exception {
        ObjectVersion version;
        try (Namespace namespace = open(OPTIONS)) {
            version = done(namespace.putObject(put("a", 10)));
        }
        makeVersion1();

        try (Namespace namespace = open(OPTIONS)) {
            assertThat(namespace.currentVersion(BUCKET, new ObjectKey("a"))).isEqualTo(new Outcome.Done<>(version));
            namespace.setDraining("disk-1", true);
            assertThat(namespace.movesUnderWay(10)).isEmpty();
        }
        Tables.check(file);
        try (Namespace namespace = open(OPTIONS)) {
            assertThat(namespace.accountModes().get("disk-1").draining()).isTrue();
        }
    }

    /** As a gateway left it that knew nothing of moves. */
    private void makeVersion1() throws SQLException {
        execute("DROP TABLE copies");
        execute("DROP TABLE account_modes");
        execute("DROP TABLE leases");
        execute("DROP TABLE added_accounts");
        execute("DROP TABLE rebalance");
        execute("ALTER TABLE buckets DROP COLUMN settings");
        execute("PRAGMA user_version = 1");
    }

    private static ObjectVersion done(Outcome<ObjectVersion> outcome) {
        return ((Outcome.Done<ObjectVersion>) outcome).value();
    }

    @Test
    void a_file_in_a_missing_directory_is_refused() {
        assertThatThrownBy(() -> SqliteNamespace.open(directory.resolve("missing/namespace.db"), CLOCK, OPTIONS))
                .isInstanceOf(NamespaceException.class)
                .hasMessageContaining("missing");
    }

    @Test
    void a_closed_namespace_answers_with_an_exception() {
        Namespace namespace = open(OPTIONS);
        namespace.close();

        assertThatThrownBy(() -> namespace.putObject(put("a", 1))).isInstanceOf(NamespaceException.class);
        assertThatThrownBy(() -> namespace.bucket(BUCKET)).isInstanceOf(NamespaceException.class);
        assertThatThrownBy(namespace::ping).isInstanceOf(NamespaceException.class);
        namespace.close();
    }

    @Test
    void a_write_that_finds_no_room_fails_alone() throws Exception {
        try (Namespace namespace = open(OPTIONS.withMaxFileBytes(2 << 20));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Outcome<ObjectVersion>>> large = new ArrayList<>();
            List<Future<Outcome<ObjectVersion>>> small = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                PutObject tooLarge = put("large-" + i, 3 << 20);
                PutObject fits = put("small-" + i, 10);
                if (i % 10 == 0) {
                    large.add(threads.submit(() -> namespace.putObject(tooLarge)));
                }
                small.add(threads.submit(() -> namespace.putObject(fits)));
            }

            for (Future<Outcome<ObjectVersion>> put : small) {
                assertThat(put.get()).isInstanceOf(Outcome.Done.class);
            }
            for (Future<Outcome<ObjectVersion>> put : large) {
                assertThatThrownBy(put::get)
                        .hasCauseInstanceOf(NamespaceException.class)
                        .hasMessageContaining("full");
            }
            assertThat(namespace.bucketUsage(BUCKET)).isEqualTo(new Outcome.Done<>(new BucketUsage(100, 0)));
        }
        Tables.check(file);
    }

    @Test
    void a_full_namespace_still_reads_and_takes_writes_again_when_there_is_room() throws Exception {
        int stored = 0;
        try (Namespace namespace = open(OPTIONS.withMaxFileBytes(1 << 20))) {
            boolean full = false;
            while (!full) {
                try {
                    namespace.putObject(put("key-" + stored, 2_000));
                    stored++;
                } catch (NamespaceException noRoom) {
                    full = true;
                }
            }
            assertThat(namespace.bucketUsage(BUCKET)).isEqualTo(new Outcome.Done<>(new BucketUsage(stored, 0)));
        }
        try (Namespace namespace = open(OPTIONS)) {
            for (int i = 0; i < stored; i++) {
                assertThat(namespace.currentVersion(BUCKET, new ObjectKey("key-" + i)))
                        .isInstanceOf(Outcome.Done.class);
            }
            assertThat(namespace.putObject(put("one-more", 2_000))).isInstanceOf(Outcome.Done.class);
        }
        Tables.check(file);
    }

    @Test
    void a_writer_that_is_kept_from_the_file_fails_in_time_and_goes_on_afterwards() throws Exception {
        try (Namespace namespace = open(OPTIONS.withTimeout(Duration.ofMillis(200)))) {
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                    Statement statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                PutObject command = put("a", 1);
                assertThatThrownBy(() -> namespace.putObject(command))
                        .isInstanceOf(NamespaceException.class)
                        .hasMessageContaining("did not commit");
                assertThat(namespace.bucket(BUCKET)).isPresent();
                statement.execute("ROLLBACK");
            }
        }
        try (Namespace namespace = open(OPTIONS)) {
            assertThat(namespace.putObject(put("b", 1))).isInstanceOf(Outcome.Done.class);
        }
    }

    @Test
    void the_log_stays_within_its_bound_under_steady_writes() throws Exception {
        long bound = 1 << 20;
        Path log = directory.resolve("namespace.db-wal");
        try (Namespace namespace = open(OPTIONS.withWalLimitBytes(bound));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writers = new ArrayList<>();
            for (int t = 0; t < 16; t++) {
                int thread = t;
                writers.add(threads.submit(() -> {
                    for (int i = 0; i < 1_000; i++) {
                        namespace.putObject(put(thread + "/" + i, 2_000));
                    }
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
            // 32 MB went through it.
            assertThat(Files.size(log)).isLessThan(4 * bound);
        }
    }
}
