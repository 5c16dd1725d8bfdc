package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.cli.ExitCode;
import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.Upload;
import io.headgate.namespace.WriteCondition;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import io.headgate.servers.RedisCluster;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code admin namespace copy}. */
final class NamespaceCopyTest {
    private static final BucketName BUCKET = new BucketName("photos");
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    private static final ObjectAttributes PLAIN =
            new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD);

    @TempDir
    private Path directory;

    private final PostgresOptions database = Postgres.fresh();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private String url() {
        return "postgresql://" + database.user() + "@" + database.hosts() + "/" + database.database();
    }

    private String data(String name) {
        return "sqlite:" + directory.resolve(name);
    }

    private SqliteNamespace open(String name) throws Exception {
        Files.createDirectories(directory.resolve(name));
        return SqliteNamespace.open(
                directory.resolve(name).resolve("namespace.db"), InstantSource.system(), SqliteOptions.defaults());
    }

    private ExitCode copy(String... words) {
        out.reset();
        err.reset();
        List<String> command = new ArrayList<>(List.of("admin", "namespace", "copy"));
        command.addAll(List.of(words));
        return new Main(
                        Map.of("HEADGATE_NAMESPACE_URL", "postgresql://nobody@127.0.0.1:1/nothing"),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        directory.resolve("none.jar"))
                .run(command);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** Three objects of 10 bytes each, and a part. */
    private static void fill(Namespace namespace) {
        namespace.createBucket(new Bucket(BUCKET, "root", "", NOW));
        long intent = namespace
                .openIntent("gateway", NOW, NOW.plusSeconds(60), NOW.plusSeconds(60))
                .id();
        for (int i = 0; i < 3; i++) {
            Slice blob = new Slice(BlobId.of(NOW.getEpochSecond(), i, i, i), "disk-1", 0, 10);
            assertThat(namespace.putObject(new PutObject(
                            BUCKET,
                            new ObjectKey("key-" + i),
                            new UUID(1, i).toString(),
                            PLAIN,
                            10,
                            new ETag("%032x".formatted(i)),
                            List.of(),
                            Optional.of(blob),
                            WriteCondition.NONE,
                            intent,
                            Optional.empty(),
                            NOW)))
                    .isInstanceOf(Outcome.Done.class);
        }
        Upload upload = new Upload(
                new UUID(2, 2).toString(), BUCKET, new ObjectKey("up"), PLAIN, Optional.empty(), "root", NOW);
        namespace.createUpload(upload);
        Slice blob = new Slice(BlobId.of(NOW.getEpochSecond(), 9, 9, 9), "disk-1", 0, 7);
        Part part = new Part(1, 7, new ETag("%032x".formatted(9)), Optional.empty(), NOW);
        namespace.putPart(new PutPart(BUCKET, upload.key(), upload.id(), part, Optional.of(blob), intent));
    }

    @Test
    void a_namespace_moves_from_one_engine_to_the_other_and_back() throws Exception {
        String id;
        try (SqliteNamespace source = open("data")) {
            fill(source);
            id = source.id();
        }
        assertThat(copy("--from", data("data"), "--to", url())).as(this::err).isEqualTo(ExitCode.OK);
        assertThat(out())
                .contains("the namespace " + id + ", in sqlite, is copied into postgres")
                .contains("compared 1 buckets, 3 objects of 30 bytes, 1 uploads: the same");

        assertThat(copy("--from", url(), "--to", data("back"))).as(this::err).isEqualTo(ExitCode.OK);
        try (SqliteNamespace back = open("back")) {
            assertThat(back.id()).isEqualTo(id);
            assertThat(back.bucket(BUCKET)).isPresent();
        }
    }

    @Test
    @DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
    void a_namespace_moves_into_a_redis_cluster_and_from_there_into_a_database() throws Exception {
        RedisCluster.shared().flush();
        String cluster = RedisCluster.shared().masters().stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redis://", ""));
        String id;
        try (SqliteNamespace source = open("data")) {
            fill(source);
            id = source.id();
        }
        assertThat(copy("--from", data("data"), "--to", cluster)).as(this::err).isEqualTo(ExitCode.OK);
        assertThat(out())
                .contains("the namespace " + id + ", in sqlite, is copied into redis")
                .contains("compared 1 buckets, 3 objects of 30 bytes, 1 uploads: the same");
        assertThat(copy("--from", data("data"), "--to", cluster)).isEqualTo(ExitCode.FAILED);
        assertThat(err()).contains("into an empty one only");

        assertThat(copy("--from", cluster, "--to", url())).as(this::err).isEqualTo(ExitCode.OK);
        assertThat(out()).contains("in redis, is copied into postgres").contains(": the same");
        assertThat(copy("--from", url(), "--to", data("back"))).as(this::err).isEqualTo(ExitCode.OK);
    }

    @Test
    void a_namespace_to_which_gateways_are_connected_is_copied_only_if_that_is_asked_for() throws Exception {
        try (PostgresNamespace gateway = PostgresNamespace.open(database, InstantSource.system())) {
            fill(gateway);

            assertThat(copy("--from", url(), "--to", data("copy"))).isEqualTo(ExitCode.FAILED);
            assertThat(err()).contains("gateways are connected to the namespace that is to be copied");
            assertThat(directory.resolve("copy")).doesNotExist();

            assertThat(copy("--from", url(), "--to", data("copy"), "--online"))
                    .as(this::err)
                    .isEqualTo(ExitCode.OK);
        }
    }

    @Test
    void a_namespace_in_use_is_not_replaced_and_one_that_is_not_there_not_made() throws Exception {
        open("data").close();
        try (SqliteNamespace used = open("used")) {
            fill(used);
        }
        assertThat(copy("--from", data("data"), "--to", data("used"))).isEqualTo(ExitCode.FAILED);
        assertThat(err()).contains("the namespace was not copied").contains("into an empty one only");

        assertThat(copy("--from", data("missing"), "--to", url())).isEqualTo(ExitCode.FAILED);
        assertThat(err()).contains("there is no namespace").contains("missing");
    }

    @Test
    void what_is_not_the_same_in_both_is_told() throws Exception {
        try (SqliteNamespace source = open("one");
                SqliteNamespace target = open("two")) {
            fill(source);
            target.createBucket(new Bucket(BUCKET, "alice", "", NOW));
            NamespaceComparison comparison = new NamespaceComparison(source, target);
            comparison.run();

            assertThat(comparison.count()).isPositive();
            assertThat(comparison.differences())
                    .anyMatch(line -> line.contains("the ids are"))
                    .anyMatch(line -> line.contains("owner=alice"))
                    .anyMatch(line -> line.contains("the usage of photos"))
                    .anyMatch(line -> line.contains("objects of photos"))
                    .anyMatch(line -> line.contains("uploads of photos"))
                    .anyMatch(line -> line.contains("accounts are used by"));
        }
    }
}
