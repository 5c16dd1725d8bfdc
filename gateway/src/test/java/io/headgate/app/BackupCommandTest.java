package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.app.config.ConfigLoader;
import io.headgate.cli.ExitCode;
import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands {@code admin namespace backup} and {@code restore}, without a gateway. Beside one they are rehearsed by the conformance suite. */
final class BackupCommandTest {
    private static final BucketName BUCKET = new BucketName("photos");

    @TempDir
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path backup;

    @BeforeEach
    void make_a_namespace_with_a_bucket() throws Exception {
        backup = directory.resolve("backup");
        environment.put("HEADGATE_DATA_DIR", directory.resolve("data").toString());
        environment.put("HEADGATE_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:0");
        Serve.start(ConfigLoader.load(Optional.empty(), environment, List.of())).close();
        try (SqliteNamespace namespace = open("data")) {
            namespace.createBucket(new Bucket(BUCKET, "root", "", Instant.EPOCH));
        }
        environment.put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:1"); // where nobody answers
    }

    private SqliteNamespace open(String data) {
        return SqliteNamespace.open(
                directory.resolve(data).resolve("namespace.db"), InstantSource.system(), SqliteOptions.defaults());
    }

    private static PrintStream print(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private ExitCode run(String command, String data) {
        out.reset();
        err.reset();
        environment.put("HEADGATE_DATA_DIR", directory.resolve(data).toString());
        return new Main(environment, print(out), print(err), directory.resolve("none.jar"))
                .run(List.of("admin", "namespace", command, backup.toString()));
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void a_backup_is_made_without_a_gateway_for_its_owner_only_and_restored_elsewhere() throws Exception {
        assertThat(run("backup", "data")).isEqualTo(ExitCode.OK);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("the namespace ")
                .contains("in sqlite, as of ");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(backup)))
                .isEqualTo("rw-------");
        assertThat(directory.resolve("backup.part")).doesNotExist();

        assertThat(run("restore", "other")).isEqualTo(ExitCode.OK);
        try (SqliteNamespace restored = open("other");
                SqliteNamespace original = open("data")) {
            assertThat(restored.id()).isEqualTo(original.id());
            assertThat(restored.bucket(BUCKET)).isPresent();
        }
    }

    @Test
    void neither_a_file_nor_a_namespace_is_replaced() throws Exception {
        assertThat(run("backup", "data")).isEqualTo(ExitCode.OK);
        assertThat(run("backup", "data")).isEqualTo(ExitCode.FAILED);
        assertThat(err()).isEqualTo("headgate: " + backup + " exists already\n");
        assertThat(run("restore", "data")).isEqualTo(ExitCode.FAILED);
        assertThat(err()).startsWith("headgate: nothing was restored: the namespace is in use");
    }

    @Test
    void what_cannot_be_read_is_said() throws Exception {
        assertThat(run("restore", "other")).isEqualTo(ExitCode.FAILED);
        assertThat(err()).isEqualTo("headgate: there is no file " + backup + "\n");
        Files.writeString(backup, "something else, long enough");
        assertThat(run("restore", "other")).isEqualTo(ExitCode.FAILED);
        assertThat(err()).isEqualTo("headgate: nothing was restored: this is not a backup of a namespace\n");
        assertThat(directory.resolve("other")).doesNotExist();
        Files.delete(backup);
        assertThat(run("backup", "other")).isEqualTo(ExitCode.FAILED);
        assertThat(err()).startsWith("headgate: there is no namespace ");
        assertThat(backup).doesNotExist();
    }
}
