package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.servers.PostgresServer;
import io.headgate.servers.S3ProxyServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** Of two gateways over one namespace the one that balances its accounts is killed in the middle, and the other takes over. */
@DisabledIfSystemProperty(named = "headgate.conformance.url", matches = ".+", disabledReason = "kills its own gateway")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class RebalanceTest {
    private static final String BUCKET = "balanced";
    private static final String PLACE = "rebalance";
    private static final int OBJECTS = 60;
    private static final int SIZE_BYTES = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Pattern MOVED = Pattern.compile("\"rebalance\":\\{[^}]*\"moved_blobs\":(\\d+)");

    @TempDir
    Path data;

    private final String database =
            "postgresql://postgres@127.0.0.1:" + PostgresServer.port() + "/" + PostgresServer.freshDatabase();

    private static String account(String name) {
        return """
                {"name": "%s", "type": "s3", "endpoint": "%s", "region": "%s", "bucket": "%s", "prefix": "%s/",
                 "path_style": true, "access_key": "%s", "secret_key": "%s"}""".formatted(
                        name,
                        S3ProxyServer.endpoint(),
                        S3ProxyServer.REGION,
                        PLACE,
                        name,
                        S3ProxyServer.ACCESS_KEY,
                        S3ProxyServer.SECRET_KEY);
    }

    private ChildGateway gateway(String name, String bytesPerSecond) {
        Map<String, String> environment = new HashMap<>();
        environment.put("HEADGATE_NAMESPACE_ENGINE", "postgres");
        environment.put("HEADGATE_NAMESPACE_URL", database);
        environment.put("HEADGATE_NAMESPACE_CONNECT_TIMEOUT", "30s");
        environment.put("STORAGE_SHARDS", "[" + account("s3-1") + ", " + account("s3-2") + "]");
        environment.put("HEADGATE_DRAIN_INTERVAL", "200ms");
        environment.put("HEADGATE_DRAIN_BYTES_PER_SECOND", bytesPerSecond);
        environment.put("HEADGATE_GARBAGE_GRACE", "0s");
        environment.put("HEADGATE_GARBAGE_INTERVAL", "200ms");
        return new ChildGateway(data.resolve(name), List.of("-Xmx256m"), environment);
    }

    private static void makeBucket(String name) {
        try (S3Client service = S3Client.builder()
                .endpointOverride(S3ProxyServer.endpoint())
                .region(Region.of(S3ProxyServer.REGION))
                .forcePathStyle(true)
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(S3ProxyServer.ACCESS_KEY, S3ProxyServer.SECRET_KEY)))
                .build()) {
            service.createBucket(create -> create.bucket(name));
        }
    }

    private static byte[] content(int number) {
        byte[] content = new byte[SIZE_BYTES];
        new Random(number).nextBytes(content);
        return content;
    }

    private static int moved(ChildGateway gateway) {
        Matcher moved = MOVED.matcher(gateway.admin("/admin/v1/accounts"));
        assertThat(moved.find()).isTrue();
        return Integer.parseInt(moved.group(1));
    }

    @Test
    void the_other_gateway_goes_on_where_the_killed_one_was_and_every_object_is_there() {
        makeBucket(PLACE);
        // Alone it has the lease, and keeps it while it lives. It would take forty seconds.
        try (ChildGateway mover = gateway("mover", "15kB");
                ChildGateway other = gateway("other", "64MiB")) {
            mover.start();
            try (S3Client s3 = mover.client()) {
                mover.admin("PUT", "/admin/v1/accounts/s3-2/read-only");
                s3.createBucket(create -> create.bucket(BUCKET));
                for (int i = 0; i < OBJECTS; i++) {
                    String key = "key-" + i;
                    s3.putObject(put -> put.bucket(BUCKET).key(key), RequestBody.fromBytes(content(i)));
                }
                mover.admin("DELETE", "/admin/v1/accounts/s3-2/read-only");
            }
            mover.admin("PUT", "/admin/v1/rebalance");
            await("it has begun").atMost(PATIENCE).until(() -> moved(mover) >= 1);
            other.start();
            await("some blobs have moved").atMost(PATIENCE).until(() -> moved(other) >= 3);

            mover.kill();

            assertThat(moved(other)).as("in the middle").isLessThan(OBJECTS / 2 - 2);
            await("the other gateway has ended it")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> other.admin("/admin/v1/accounts").contains("\"rebalance\":{\"running\":false"));
            assertThat(other.metricByAccount("headgate_live_blobs").values())
                    .allSatisfy(blobs -> assertThat(blobs).isBetween(OBJECTS / 2 - 2L, OBJECTS / 2 + 2L));
            try (S3Client s3 = other.client()) {
                for (int i = 0; i < OBJECTS; i++) {
                    String key = "key-" + i;
                    assertThat(s3.getObjectAsBytes(get -> get.bucket(BUCKET).key(key))
                                    .asByteArrayUnsafe())
                            .isEqualTo(content(i));
                }
            }
            assertThat(other.admin("/admin/v1/fsck?checksum=true"))
                    .contains("\"clean\":true", "\"complete\":true", "\"verified\":" + OBJECTS);
        }
    }
}
