package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** A gateway whose accounts, of the kind {@code s3}, are two buckets of another gateway. */
@DisabledIfSystemProperty(
        named = "headgate.conformance.url",
        matches = ".+",
        disabledReason = "starts its own gateways")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
final class GatewayOverGatewayTest {
    private static final String BUCKET = "front";
    private static final List<String> ACCOUNTS = List.of("account-1", "account-2");
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    private ChildGateway back;
    private ChildGateway front;
    private S3Client backClient;
    private S3Client client;

    @BeforeEach
    void startBoth() {
        back = new ChildGateway(
                directory.resolve("back"),
                List.of("-Xmx256m"),
                Map.of("HEADGATE_GARBAGE_GRACE", "0s", "HEADGATE_GARBAGE_INTERVAL", "200ms"));
        back.start();
        backClient = back.client();
        ACCOUNTS.forEach(name -> backClient.createBucket(create -> create.bucket(name)));
        front = new ChildGateway(directory.resolve("front"), List.of("-Xmx256m"), frontEnvironment());
        front.start();
        client = front.client();
        client.createBucket(create -> create.bucket(BUCKET));
    }

    @AfterEach
    void stopBoth() {
        client.close();
        backClient.close();
        front.close();
        back.close();
    }

    private Map<String, String> frontEnvironment() {
        AwsCredentials keys = ChildGateway.credentials().resolveCredentials();
        String shards = String.join(
                ",",
                ACCOUNTS.stream()
                        .map(name -> """
                                {"name": "%s", "type": "s3", "endpoint": "%s", "bucket": "%s", "path_style": true,
                                 "access_key": "%s", "secret_key": "%s"}""".formatted(name, back.url(), name, keys.accessKeyId(), keys.secretAccessKey()))
                        .toList());
        return Map.of(
                "STORAGE_SHARDS", "[" + shards + "]",
                "HEADGATE_BREAKER_OPEN", "1s",
                "HEADGATE_GARBAGE_GRACE", "0s",
                "HEADGATE_GARBAGE_INTERVAL", "200ms",
                "HEADGATE_INTENTS_WINDOW", "1s",
                "HEADGATE_INTENTS_LIFETIME", "10s",
                "HEADGATE_SWEEP_INTERVAL", "500ms",
                "HEADGATE_SWEEP_PAUSE", "0s");
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private void put(String key, byte[] content) {
        client.putObject(put -> put.bucket(BUCKET).key(key), RequestBody.fromBytes(content));
    }

    private byte[] get(String key) {
        return client.getObjectAsBytes(get -> get.bucket(BUCKET).key(key)).asByteArray();
    }

    private int blobs() {
        return ACCOUNTS.stream()
                .mapToInt(name -> backClient
                        .listObjectsV2(list -> list.bucket(name).prefix("blobs/"))
                        .keyCount())
                .sum();
    }

    private int uploads() {
        return ACCOUNTS.stream()
                .mapToInt(name -> backClient
                        .listMultipartUploads(list -> list.bucket(name))
                        .uploads()
                        .size())
                .sum();
    }

    @Test
    void what_is_written_lives_in_the_other_gateways_buckets_and_nothing_of_what_was_deleted_or_cut_stays() {
        Map<String, byte[]> objects = new HashMap<>();
        for (int length : new int[] {0, 1, 5_000, 128 << 10, 3 * MIB, 8 * MIB, 8 * MIB + 1, 20 * MIB}) {
            objects.put("o-" + length, bytes(length));
        }
        for (int i = 0; i < 30; i++) {
            objects.put("small/" + i, bytes(1000 + i));
        }
        objects.forEach(this::put);

        objects.forEach((key, content) -> assertThat(get(key)).as(key).isEqualTo(content));
        byte[] large = objects.get("o-" + 20 * MIB);
        byte[] run = client.getObjectAsBytes(
                        get -> get.bucket(BUCKET).key("o-" + 20 * MIB).range("bytes=8388600-16777300"))
                .asByteArray();
        assertThat(run).isEqualTo(Arrays.copyOfRange(large, 8388600, 16777301));
        assertThat(blobs()).isEqualTo(objects.size() - 1);
        assertThat(uploads()).isZero();
        ACCOUNTS.forEach(name -> assertThat(
                        backClient.listObjectsV2(list -> list.bucket(name)).keyCount())
                .as("share of %s", name)
                .isPositive());

        objects.keySet()
                .forEach(key ->
                        client.deleteObject(delete -> delete.bucket(BUCKET).key(key)));
        cutAnUploadByTheDeathOfTheGateway();
        assertThat(blobs()).isPositive();
        assertThat(uploads()).isOne();

        front.start();
        // Garbage waits for the longest commit, half a minute.
        await().atMost(Duration.ofSeconds(90)).until(() -> uploads() == 0 && blobs() == 0);
    }

    private void cutAnUploadByTheDeathOfTheGateway() {
        CountDownLatch dead = new CountDownLatch(1);
        Thread upload = Thread.ofVirtual().start(() -> {
            try {
                client.putObject(
                        put -> put.bucket(BUCKET).key("cut"),
                        RequestBody.fromInputStream(new Stalling(18 * MIB, dead), 30L * MIB));
            } catch (RuntimeException cut) {
                // as it must be
            }
        });
        await().atMost(Duration.ofSeconds(30)).until(() -> uploads() == 1);
        front.kill();
        dead.countDown();
        await().until(() -> !upload.isAlive());
    }

    @Test
    void without_the_other_gateway_clients_are_told_to_come_back_and_all_is_well_when_it_returns() {
        byte[] content = bytes(10 * MIB);
        put("before", content);

        back.kill();
        assertThatExceptionOfType(S3Exception.class)
                .isThrownBy(() -> put("during", bytes(1000)))
                .matches(refused -> refused.statusCode() == 503);
        assertThatExceptionOfType(S3Exception.class)
                .isThrownBy(() -> get("before"))
                .matches(refused -> refused.statusCode() == 503);

        back.start();
        assertThat(get("before")).isEqualTo(content);
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().untilAsserted(() -> put("after", content));
        assertThat(get("after")).isEqualTo(content);
    }

    /** So many zero bytes, then nothing until the latch opens. */
    private static final class Stalling extends InputStream {
        private final CountDownLatch latch;
        private int left;

        Stalling(int bytes, CountDownLatch latch) {
            this.left = bytes;
            this.latch = latch;
        }

        @Override
        public int read() {
            if (left == 0) {
                try {
                    latch.await();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
                return -1;
            }
            left--;
            return 0;
        }
    }
}
