package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.app.config.ConfigLoader;
import io.headgate.cli.ExitCode;
import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code fsck}, without a gateway and by one that serves. */
final class FsckCommandTest {
    private static final Pattern ADMIN = Pattern.compile("admin on http://(127.0.0.1:\\d+)");
    private static final BucketName BUCKET = new BucketName("photos");

    @TempDir
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void configure() {
        environment.put("HEADGATE_DATA_DIR", directory.resolve("data").toString());
        environment.put("HEADGATE_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:0");
    }

    private Serve start() throws Exception {
        Serve serve = Serve.start(ConfigLoader.load(Optional.empty(), environment, List.of()));
        out.reset();
        serve.announce(print(out));
        Matcher admin = ADMIN.matcher(out());
        assertThat(admin.find()).isTrue();
        environment.put("HEADGATE_ADMIN_LISTEN", admin.group(1));
        return serve;
    }

    private static PrintStream print(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private ExitCode run(String... arguments) {
        out.reset();
        err.reset();
        return new Main(environment, print(out), print(err), directory.resolve("none.jar")).run(List.of(arguments));
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** A bucket whose counter says that it holds what it does not. */
    private void damage() {
        try (SqliteNamespace namespace = SqliteNamespace.open(
                directory.resolve("data/namespace.db"), InstantSource.system(), SqliteOptions.defaults())) {
            namespace.createBucket(new Bucket(BUCKET, "root", "", Instant.EPOCH));
            long audit = namespace.audit(found -> {});
            namespace.correct(
                    audit,
                    List.of(new Discrepancy.BucketCounter(BUCKET, new BucketUsage(0, 0), new BucketUsage(3, 40))),
                    Instant.EPOCH);
        }
    }

    @Test
    void what_it_finds_is_a_line_each_and_tells_the_status() throws Exception {
        start().close();
        assertThat(run("fsck")).isEqualTo(ExitCode.OK);
        assertThat(out()).isEqualTo("checked 0 blobs with 0 bytes in 3 accounts\nclean\n");

        damage();
        String line =
                "bucket_counter: bucket=photos recorded_objects=3 counted_objects=0 recorded_bytes=40 counted_bytes=0";
        assertThat(run("fsck")).isEqualTo(ExitCode.FOUND);
        assertThat(out().lines())
                .containsExactly(
                        line + " (--repair sets it right)",
                        "checked 0 blobs with 0 bytes in 3 accounts",
                        "1 finding, 0 set right: bucket_counter 1");
        assertThat(run("fsck", "--json")).isEqualTo(ExitCode.FOUND);
        assertThat(out().lines())
                .containsExactly(
                        "{\"finding\":\"bucket_counter\",\"fate\":\"repairable\",\"bucket\":\"photos\",\"recorded_objects\":3,"
                                + "\"counted_objects\":0,\"recorded_bytes\":40,\"counted_bytes\":0}",
                        "{\"summary\":{\"clean\":false,\"complete\":true,\"accounts\":3,\"blobs\":0,\"bytes\":0,\"explained\":0,"
                                + "\"verified\":0,\"unverifiable\":0,\"repaired\":0,\"findings\":{\"bucket_counter\":1},\"unchecked\":[]}}");
        assertThat(run("fsck", "--repair")).isEqualTo(ExitCode.FOUND);
        assertThat(out()).contains(line + " (set right)");
        assertThat(run("fsck", "--checksum")).isEqualTo(ExitCode.OK);
    }

    @Test
    void a_gateway_that_serves_checks_itself_and_holds_others_off() throws Exception {
        start().close();
        damage();
        environment.put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:0");
        try (Serve serve = start()) {
            assertThat(serve).isNotNull();
            assertThat(run("fsck")).isEqualTo(ExitCode.INCOMPLETE);
            assertThat(err()).contains("another headgate holds the data directory", "--online");

            assertThat(run("fsck", "--online")).isEqualTo(ExitCode.FOUND);
            assertThat(out()).contains("bucket_counter: bucket=photos", "(--repair sets it right)");
            assertThat(run("fsck", "--online", "--repair", "--json")).isEqualTo(ExitCode.FOUND);
            assertThat(out()).contains("\"fate\":\"repaired\"");
            assertThat(run("fsck", "--online", "--checksum")).isEqualTo(ExitCode.OK);
            assertThat(out()).endsWith("in 3 accounts\nclean\n");
            environment.put("HEADGATE_ADMIN_TOKEN", "not-the-token-of-the-gateway");
            assertThat(run("fsck", "--online")).isEqualTo(ExitCode.INCOMPLETE);
            assertThat(err()).isEqualTo("headgate: the admin API needs the gateway's admin token\n");
        }
        assertThat(run("fsck", "--online")).isEqualTo(ExitCode.INCOMPLETE);
        assertThat(err()).startsWith("headgate: no gateway answers at ");
    }

    @Test
    void without_a_gateway_it_makes_no_directory_of_an_account_that_was_never_used() throws Exception {
        start().close();
        Path unused = directory.resolve("unused");
        environment.put(
                "STORAGE_SHARDS",
                "[{\"name\": \"disk-1\", \"type\": \"local\", \"path\": \"" + directory.resolve("data/disk-1")
                        + "\"}, {\"name\": \"disk-9\", \"type\": \"local\", \"path\": \"" + unused + "\"}]");

        assertThat(run("fsck")).isEqualTo(ExitCode.OK);
        assertThat(unused).doesNotExist();
        Files.createDirectory(unused);
        assertThat(run("fsck", "--repair")).isEqualTo(ExitCode.OK);
        assertThat(unused).isEmptyDirectory();
    }

    @Test
    void without_a_namespace_it_makes_none() {
        assertThat(run("fsck")).isEqualTo(ExitCode.INCOMPLETE);
        assertThat(err()).startsWith("headgate: there is no namespace ");
        assertThat(directory.resolve("data")).doesNotExist();
    }

    @Test
    void beside_a_gateway_on_postgres_it_says_which_accounts_only_that_can_read() throws Exception {
        PostgresOptions database = Postgres.fresh();
        environment.put("HEADGATE_NAMESPACE_ENGINE", "postgres");
        environment.put(
                "HEADGATE_NAMESPACE_URL", "postgresql://postgres:any@" + database.hosts() + "/" + database.database());
        try (Serve serve = start()) {
            assertThat(serve).isNotNull();
            assertThat(run("fsck", "--online")).isEqualTo(ExitCode.OK);
            assertThat(run("fsck")).isEqualTo(ExitCode.INCOMPLETE);
            assertThat(out()).contains("not checked: account disk-1: ", "in use by");
        }
        assertThat(run("fsck")).isEqualTo(ExitCode.OK);
    }
}
