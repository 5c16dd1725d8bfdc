package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.admin.Metrics;
import io.headgate.app.config.ConfigLoader;
import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HeadgateConfig.Credentials;
import io.headgate.app.config.Secret;
import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.servers.RedisCluster;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** A gateway whose namespace is in a Redis Cluster. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisGatewayTest {
    private static final Pattern READY =
            Pattern.compile("S3 on (http://127.0.0.1:\\d+), admin on (http://127.0.0.1:\\d+)");
    private static final String TOKEN = "0123456789abcdef";

    @TempDir
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();

    private static String cluster() {
        return RedisCluster.shared().masters().stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redis://", ""));
    }

    /** A configuration of environment variables alone, which leaves nothing to the data directory. */
    private void configure(String url) {
        environment.put("HEADGATE_NAMESPACE_ENGINE", "redis");
        environment.put("HEADGATE_NAMESPACE_URL", url);
        environment.put("HEADGATE_NAMESPACE_TIMEOUT", "20s");
        environment.put("HEADGATE_NAMESPACE_REPLICAS", "1");
        environment.put("HEADGATE_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_DATA_DIR", directory.resolve("data").toString());
        environment.put("HEADGATE_ROOT_ACCESS_KEY", "root");
        environment.put("HEADGATE_ROOT_SECRET_KEY", "root-secret");
        environment.put("HEADGATE_ADMIN_TOKEN", TOKEN);
        environment.put("HEADGATE_ACCESS_LOG_DESTINATION", "off");
        environment.put("STORAGE_SHARDS", disk("here"));
    }

    /** One account, of which a process holds the directory. */
    private String disk(String folder) {
        return "[{\"name\": \"disk\", \"type\": \"local\", \"path\": \"" + directory.resolve(folder) + "\"}]";
    }

    private HeadgateConfig config() throws Exception {
        return ConfigLoader.load(Optional.empty(), environment, List.of());
    }

    private static String get(String url) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                    .header("Authorization", "Bearer " + TOKEN)
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    private record Urls(String s3, String admin) {
        static Urls of(Serve serve) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            serve.announce(new PrintStream(out, true, StandardCharsets.UTF_8));
            Matcher ready = READY.matcher(out.toString(StandardCharsets.UTF_8));
            assertThat(ready.find()).isTrue();
            return new Urls(ready.group(1), ready.group(2));
        }
    }

    @Test
    void it_serves_and_says_so_without_a_data_directory() throws Exception {
        RedisCluster.shared().flush();
        configure(cluster());
        try (Serve serve = Serve.start(config())) {
            String admin = Urls.of(serve).admin();

            assertThat(get(admin + "/readyz")).contains("\"ready\":true");
            assertThat(get(admin + "/metrics")).contains("headgate_namespace_call_seconds_count{call=\"ping\"}");
        }
        assertThat(directory.resolve("data")).doesNotExist();
    }

    @Test
    void several_gateways_have_one_namespace_and_know_of_each_other() throws Exception {
        RedisCluster.shared().flush();
        configure(cluster());
        try (Gateway first =
                Gateway.open(config(), new Credentials("root", new Secret("root-secret")), new Metrics())) {
            first.namespace().createBucket(new Bucket(new BucketName("photos"), "root", "", Instant.EPOCH));
            environment.put("STORAGE_SHARDS", disk("elsewhere"));
            try (Serve second = Serve.start(config())) {
                String admin = Urls.of(second).admin();

                assertThat(get(admin + "/admin/v1/buckets")).contains("photos");
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> get(admin + "/metrics").contains("headgate_gateways 2.0"));
            }
        }
    }

    @Test
    void the_blob_of_a_write_lies_beside_its_version_and_has_its_id() throws Exception {
        RedisCluster.shared().flush();
        configure(cluster());
        BucketName bucket = new BucketName("photos");
        try (Serve serve = Serve.start(config());
                S3Client s3 = S3Client.builder()
                        .endpointOverride(URI.create(Urls.of(serve).s3()))
                        .region(Region.US_EAST_1)
                        .forcePathStyle(true)
                        .credentialsProvider(
                                StaticCredentialsProvider.create(AwsBasicCredentials.create("root", "root-secret")))
                        .build();
                Namespace namespace = Gateway.namespace(config(), InstantSource.system())) {
            s3.createBucket(request -> request.bucket("photos"));
            for (String key : List.of("a", "b", "c")) {
                s3.putObject(request -> request.bucket("photos").key(key), RequestBody.fromString("bytes of " + key));
            }
            assertThat(namespace.bucket(bucket)).isPresent();
            for (ObjectKey key : List.of(new ObjectKey("a"), new ObjectKey("b"), new ObjectKey("c"))) {
                ObjectVersion version = ((Outcome.Done<ObjectVersion>) namespace.currentVersion(bucket, key)).value();
                BlobId blob = ((Manifest.Inline) version.manifest())
                        .slice()
                        .orElseThrow()
                        .blob();
                assertThat(namespace.blobSlot(bucket, key)).hasValue(blob.slot());
                assertThat(version.writeId()).isEqualTo(blob.toString());
            }
        }
    }

    @Test
    void it_does_not_start_without_its_cluster_and_says_why_without_the_password() {
        configure("redis://headgate:hush-hush@127.0.0.1:1,127.0.0.1:2");

        assertThatThrownBy(() -> Serve.start(config()))
                .isInstanceOf(StartException.class)
                .hasMessageStartingWith("Redis at redis://127.0.0.1:1,127.0.0.1:2 does not answer: 127.0.0.1:1: ")
                .hasMessageContaining("; 127.0.0.1:2: ")
                .hasMessageNotContaining("hush");
    }

    @Test
    void a_password_that_the_cluster_does_not_know_is_named_as_the_reason_and_not_repeated() {
        configure(cluster().replace("redis://", "redis://headgate:hush-hush@"));

        assertThatThrownBy(() -> Serve.start(config()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("does not answer")
                .hasMessageContaining("WRONGPASS")
                .hasMessageNotContaining("hush");
    }
}
