package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.app.config.ConfigLoader;
import io.headgate.blob.s3.TestService;
import io.headgate.cli.ExitCode;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.servers.S3ProxyServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** Accounts that are added to gateways which share a namespace, by the command line. */
@Timeout(120)
final class AddedAccountsTest {
    private static final Pattern READY =
            Pattern.compile("headgate ready: S3 on (http://127.0.0.1:\\d+), admin on http://(127.0.0.1:\\d+)");
    private static final String BUCKET = "photos";

    @TempDir
    private Path directory;

    private final PostgresOptions database = Postgres.fresh();
    private final String prefix = "test-" + UUID.randomUUID() + "/";
    private final List<AutoCloseable> opened = new ArrayList<>();
    private Running first;
    private Running second;

    /** A gateway, and the address of its admin API. */
    private record Running(Serve serve, S3Client s3, Map<String, String> environment) implements AutoCloseable {
        @Override
        public void close() {
            s3.close();
            serve.close();
        }
    }

    /** What came of a command. */
    private record Told(ExitCode exit, String out, String err) {}

    @BeforeEach
    void startTwoGateways() throws Exception {
        first = start(Map.of("ACCOUNT_SECRET", S3ProxyServer.SECRET_KEY));
        second = start(Map.of("ACCOUNT_SECRET", S3ProxyServer.SECRET_KEY));
        first.s3().createBucket(create -> create.bucket(BUCKET));
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    private Running start(Map<String, String> more) throws Exception {
        Map<String, String> environment = new HashMap<>(more);
        environment.put("HEADGATE_NAMESPACE_ENGINE", "postgres");
        environment.put(
                "HEADGATE_NAMESPACE_URL", "postgresql://postgres:any@" + database.hosts() + "/" + database.database());
        environment.put("HEADGATE_NAMESPACE_CONNECTIONS", "4");
        environment.put("HEADGATE_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_DATA_DIR", directory.resolve("data").toString());
        environment.put("HEADGATE_ROOT_ACCESS_KEY", "rootkey");
        environment.put("HEADGATE_ROOT_SECRET_KEY", "root-secret");
        environment.put("HEADGATE_ADMIN_TOKEN", "0123456789abcdef");
        environment.put("HEADGATE_ACCESS_LOG_DESTINATION", "off");
        environment.put("HEADGATE_DEBUG_HEADERS", "true");
        environment.put("STORAGE_SHARDS", "[" + entry("s3-1", S3ProxyServer.SECRET_KEY, TestService.BUCKET) + "]");
        Serve serve = Serve.start(ConfigLoader.load(Optional.empty(), environment, List.of()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        serve.announce(new PrintStream(out, true, StandardCharsets.UTF_8));
        Matcher ready = READY.matcher(out.toString(StandardCharsets.UTF_8));
        assertThat(ready.find()).as("%s", out).isTrue();
        S3Client s3 = S3Client.builder()
                .endpointOverride(URI.create(ready.group(1)))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("rootkey", "root-secret")))
                .build();
        environment.put("HEADGATE_ADMIN_LISTEN", ready.group(2));
        Running running = new Running(serve, s3, environment);
        opened.add(running);
        return running;
    }

    private String entry(String name, String secret, String bucket) {
        return "{name: %s, type: s3, endpoint: '%s', region: us-east-1, path_style: true, bucket: %s, prefix: '%s', access_key: %s, secret_key: '%s', limits: {capacity: 1GiB}}"
                .formatted(name, TestService.endpoint(), bucket, prefix + name + "/", S3ProxyServer.ACCESS_KEY, secret);
    }

    private static Told admin(Running gateway, String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> line = new ArrayList<>(List.of("admin", "accounts"));
        line.addAll(List.of(words));
        ExitCode exit = new Main(
                        gateway.environment(),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        Path.of("none.jar"))
                .run(line);
        return new Told(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private String file(String entry) throws Exception {
        return Files.writeString(Files.createTempFile(directory, "account", ".yaml"), entry)
                .toString();
    }

    private static String put(Running gateway, String key) {
        return gateway.s3()
                .putObject(put -> put.bucket(BUCKET).key(key), RequestBody.fromString("content of " + key))
                .sdkHttpResponse()
                .firstMatchingHeader("x-headgate-account")
                .orElseThrow();
    }

    private static String read(Running gateway, String key) {
        return gateway.s3().getObjectAsBytes(get -> get.bucket(BUCKET).key(key)).asUtf8String();
    }

    /** Objects until one is in that account. */
    private static String putInto(Running gateway, String account) {
        for (int i = 0; i < 100; i++) {
            String key = account + "-" + i;
            if (put(gateway, key).equals(account)) {
                return key;
            }
        }
        throw new AssertionError("nothing is written to " + account);
    }

    @Test
    void an_account_that_is_added_takes_blobs_at_once_and_every_gateway_reads_them() throws Exception {
        Told added = admin(first, "add", file(entry("s3-2", "${ACCOUNT_SECRET}", TestService.BUCKET)));

        assertThat(added.err()).isEmpty();
        assertThat(added.exit()).isEqualTo(ExitCode.OK);
        assertThat(added.out()).startsWith("account s3-2 is added\n").contains("  write: ok", "  clock: ok");
        String key = putInto(first, "s3-2");
        assertThat(read(second, key)).isEqualTo("content of " + key);
        assertThat(putInto(second, "s3-2")).isNotEmpty();
        assertThat(admin(second, "probe", "s3-2").out()).startsWith("account s3-2 works\n");
        assertThat(admin(second, "list").out())
                .containsPattern("s3-1 +config +s3 +us-east-1 +ok ")
                .containsPattern("s3-2 +added +s3 +us-east-1 +ok ")
                .doesNotContain(S3ProxyServer.SECRET_KEY);

        first.close();
        Running third = start(Map.of("ACCOUNT_SECRET", S3ProxyServer.SECRET_KEY));
        assertThat(read(third, key)).isEqualTo("content of " + key);
        assertThat(admin(third, "add", file(entry("s3-2", "${ACCOUNT_SECRET}", TestService.BUCKET)))
                        .out())
                .isEqualTo("account s3-2 was added before, just so\n");
    }

    @Test
    void what_does_not_work_or_is_taken_is_refused_and_shows_no_secret() throws Exception {
        Told wrongKey = admin(first, "add", file(entry("s3-2", "wrong-secret-key-01", TestService.BUCKET)));
        assertThat(wrongKey.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(wrongKey.err())
                .contains("account s3-2 is not added", "  write: failed", "(the credentials are not accepted)")
                .doesNotContain("wrong-secret-key-01");
        assertThat(admin(first, "add", file(entry("s3-2", S3ProxyServer.SECRET_KEY, "no-such-bucket")))
                        .err())
                .contains("(there is no such bucket)");
        assertThat(admin(first, "add", file(entry("s3-1", S3ProxyServer.SECRET_KEY, TestService.BUCKET)))
                        .err())
                .isEqualTo("headgate: an account named s3-1 is in the configuration of this gateway\n");
        assertThat(admin(
                                first,
                                "add",
                                file(entry("s3-2", S3ProxyServer.SECRET_KEY, TestService.BUCKET)
                                        .replace("s3-2/", "s3-1/")))
                        .err())
                .isEqualTo("headgate: the account s3-2 would be where the account s3-1 is\n");
        String misspelt = file("name: s3-2\ntype: s3\nbukket: x");
        assertThat(admin(first, "add", misspelt).err())
                .isEqualTo(
                        "headgate: %1$s:1: needs the key bucket for the type s3\n%1$s:3: bukket: is not a known key\n"
                                .formatted(misspelt));
        String relative = file("{name: disk-9, type: local, path: relative/disk-9}");
        assertThat(admin(first, "add", relative).err())
                .isEqualTo("headgate: " + relative
                        + ":1: path: \"relative/disk-9\" does not begin with /, as it must here\n");
        assertThat(admin(first, "add", file(entry("s3-2", "${NOT_SET}", TestService.BUCKET)))
                        .err())
                .contains("refers to the environment variable NOT_SET, which is not set");
        assertThat(admin(first, "remove", "s3-1").err()).contains("account s3-1 is in the configuration");
        assertThat(admin(first, "remove", "s3-2").err()).isEqualTo("headgate: no such account: s3-2\n");
        assertThat(admin(first, "probe", "s3-2").err()).isEqualTo("headgate: no such account: s3-2\n");
        assertThat(admin(first, "list").out()).doesNotContain("s3-2");
    }

    @Test
    void a_gateway_that_cannot_open_an_account_says_so_and_serves_the_others() throws Exception {
        Running without = start(Map.of());
        admin(first, "add", file(entry("s3-2", "${ACCOUNT_SECRET}", TestService.BUCKET)));
        String key = putInto(first, "s3-1");

        await().atMost(Duration.ofSeconds(60))
                .until(() -> admin(without, "list").out().contains("faulty"));

        assertThat(admin(without, "list").out())
                .containsPattern("s3-2 +added +faulty: .*ACCOUNT_SECRET, which is not set");
        assertThat(read(without, key)).isEqualTo("content of " + key);
        assertThat(put(without, "more")).isEqualTo("s3-1");
        assertThat(admin(without, "drain", "s3-2").out()).contains("draining, faulty");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> admin(second, "list").out().contains("s3-2  added   s3    us-east-1  draining"));
    }
}
