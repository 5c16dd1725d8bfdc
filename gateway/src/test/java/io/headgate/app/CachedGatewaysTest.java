package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.app.config.ConfigLoader;
import io.headgate.namespace.cache.Wire;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.servers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Two gateways over one PostgreSQL and one Redis, as clients see them. */
final class CachedGatewaysTest {
    private static final Pattern READY =
            Pattern.compile("S3 on (http://127.0.0.1:\\d+), admin on (http://127.0.0.1:\\d+)");
    private static final Pattern MISSES = Pattern.compile("headgate_cache_lookups_total\\{result=\"miss\"} (\\S+)");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Longer than any outage of these tests. */
    private static final String LONG_LEASE = "5m";

    @TempDir
    private Path directory;

    private record Running(Serve serve, S3Client client, URI admin) implements AutoCloseable {
        String metrics() throws Exception {
            try (HttpClient http = HttpClient.newHttpClient()) {
                return http.send(
                                HttpRequest.newBuilder(admin.resolve("/metrics"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body();
            }
        }

        @Override
        public void close() {
            client.close();
            serve.close();
        }
    }

    private Running start(PostgresOptions database, RedisServer redis, String name) throws Exception {
        return start(database, redis, name, Map.of());
    }

    private Running start(PostgresOptions database, RedisServer redis, String name, Map<String, String> settings)
            throws Exception {
        Map<String, String> environment = new HashMap<>(settings);
        environment.put("HEADGATE_NAMESPACE_ENGINE", "postgres");
        environment.put(
                "HEADGATE_NAMESPACE_URL", "postgresql://postgres@" + database.hosts() + "/" + database.database());
        environment.put("HEADGATE_NAMESPACE_CACHE", "redis://127.0.0.1:" + redis.port());
        environment.put("HEADGATE_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_DATA_DIR", directory.resolve(name + "-data").toString());
        environment.put("HEADGATE_ROOT_ACCESS_KEY", "root");
        environment.put("HEADGATE_ROOT_SECRET_KEY", "root-secret");
        environment.put("HEADGATE_ADMIN_TOKEN", "0123456789abcdef");
        environment.put("HEADGATE_ACCESS_LOG_DESTINATION", "off");
        environment.put(
                "STORAGE_SHARDS",
                "[{\"name\": \"" + name + "\", \"type\": \"local\", \"path\": \"" + directory.resolve(name) + "\"}]");
        Serve serve = Serve.start(ConfigLoader.load(Optional.empty(), environment, List.of()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        serve.announce(new PrintStream(out, true, StandardCharsets.UTF_8));
        Matcher ready = READY.matcher(out.toString(StandardCharsets.UTF_8));
        assertThat(ready.find()).as("%s", out).isTrue();
        S3Client client = S3Client.builder()
                .endpointOverride(URI.create(ready.group(1)))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .overrideConfiguration(override -> override.retryStrategy(AwsRetryStrategy.doNotRetry()))
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("root", "root-secret")))
                .build();
        return new Running(serve, client, URI.create(ready.group(2)));
    }

    /** Nobody has written yet, so nothing needs the long wait until the writes of before are over. */
    private static void doNotWait(PostgresOptions database) {
        await().atMost(PATIENCE).until(() -> {
            try (Connection connection = Postgres.connect(database);
                    Statement statement = connection.createStatement()) {
                return statement.executeUpdate("UPDATE cache_state SET phase = 'on' WHERE phase = 'warming'") == 1;
            }
        });
    }

    private static void put(Running through, String key, String content) {
        through.client().putObject(put -> put.bucket("photos").key(key), RequestBody.fromString(content));
    }

    private static long length(Running through, String key) {
        return through.client()
                .headObject(head -> head.bucket("photos").key(key))
                .contentLength();
    }

    @Test
    void what_one_writes_the_other_shows_from_the_cache() throws Exception {
        PostgresOptions database = Postgres.fresh();
        try (RedisServer redis = RedisServer.start();
                Running one = start(database, redis, "one");
                Running other = start(database, redis, "other")) {
            doNotWait(database);
            await().atMost(PATIENCE).until(() -> other.metrics().contains("headgate_cache_on 1.0"));
            one.client().createBucket(create -> create.bucket("photos"));
            put(one, "a", "1");
            await().atMost(PATIENCE).until(() -> {
                assertThat(length(other, "a")).isEqualTo(1);
                return !other.metrics().contains("headgate_cache_lookups_total{result=\"hit\"} 0.0");
            });

            put(one, "a", "four");
            assertThat(length(other, "a")).isEqualTo(4);
            one.client().deleteObject(delete -> delete.bucket("photos").key("a"));
            assertThatThrownBy(() -> length(other, "a")).isInstanceOf(NoSuchKeyException.class);
            put(other, "a", "three");
            assertThat(length(one, "a")).isEqualTo(5);
        }
    }

    private static String content(Running through, String key) {
        return through.client()
                .getObjectAsBytes(get -> get.bucket("photos").key(key))
                .asUtf8String();
    }

    @Test
    void while_the_database_is_down_what_is_cached_can_be_read_and_writes_are_told_to_come_back() throws Exception {
        PostgresOptions database = Postgres.fresh();
        try (RedisServer redis = RedisServer.start();
                Wire wire = Wire.to(Postgres.port(database));
                Running gateway = start(
                        Postgres.through(database, wire.port()),
                        redis,
                        "one",
                        Map.of("HEADGATE_NAMESPACE_CACHE_LEASE", LONG_LEASE))) {
            doNotWait(database);
            await().atMost(PATIENCE).until(() -> gateway.metrics().contains("headgate_cache_on 1.0"));
            gateway.client().createBucket(create -> create.bucket("photos"));
            put(gateway, "a", "four");
            put(gateway, "not-cached", "1");
            await().atMost(PATIENCE).until(() -> {
                String before = misses(gateway);
                assertThat(length(gateway, "a")).isEqualTo(4);
                return misses(gateway).equals(before);
            });

            wire.cut();
            assertThatThrownBy(() -> put(gateway, "b", "new"))
                    .isInstanceOfSatisfying(S3Exception.class, CachedGatewaysTest::assertIsToComeBack);
            assertThat(length(gateway, "a")).isEqualTo(4);
            assertThat(content(gateway, "a")).isEqualTo("four");
            assertThatThrownBy(() -> length(gateway, "not-cached"))
                    .isInstanceOfSatisfying(S3Exception.class, CachedGatewaysTest::assertIsToComeBack);

            wire.restore();
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                put(gateway, "b", "new");
                return true;
            });
            assertThat(content(gateway, "b")).isEqualTo("new");
            assertThat(content(gateway, "not-cached")).isEqualTo("1");
        }
    }

    private static String misses(Running gateway) throws Exception {
        Matcher misses = MISSES.matcher(gateway.metrics());
        assertThat(misses.find()).isTrue();
        return misses.group(1);
    }

    private static void assertIsToComeBack(S3Exception refused) {
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.awsErrorDetails().sdkHttpResponse().firstMatchingHeader("Retry-After"))
                .isPresent();
    }
}
