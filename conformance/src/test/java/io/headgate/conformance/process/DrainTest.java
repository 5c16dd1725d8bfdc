package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/** An account drains while clients read and write, and the gateway is killed in the middle: nobody notices, and the account is empty. */
@DisabledIfSystemProperty(named = "headgate.conformance.url", matches = ".+", disabledReason = "kills its own gateway")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
final class DrainTest {
    private static final String BUCKET = "drain";
    private static final List<String> ACCOUNTS = List.of("disk-1", "disk-2", "disk-3");
    private static final int OBJECTS = 150;
    private static final int SIZE_BYTES = 60_000;
    private static final int READERS = 4;
    private static final String DRAINING = "/admin/v1/accounts/disk-1/draining";

    private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    private final Random random = new Random(23);
    private final AtomicLong reads = new AtomicLong();
    private final AtomicBoolean killed = new AtomicBoolean();

    @TempDir
    Path data;

    private ChildGateway gateway;

    @AfterEach
    void stop() {
        if (gateway != null) {
            gateway.close();
        }
    }

    private void start(String bytesPerSecond) {
        Map<String, String> environment = new HashMap<>();
        environment.put("HEADGATE_MULTIPART_MIN_PART_SIZE", "1KiB");
        environment.put("HEADGATE_INTENTS_WINDOW", "1s");
        environment.put("HEADGATE_INTENTS_LIFETIME", "10s");
        environment.put("HEADGATE_GARBAGE_GRACE", "0s");
        environment.put("HEADGATE_GARBAGE_INTERVAL", "200ms");
        environment.put("HEADGATE_SWEEP_INTERVAL", "1s");
        environment.put("HEADGATE_DRAIN_INTERVAL", "200ms");
        environment.put("HEADGATE_DRAIN_BYTES_PER_SECOND", bytesPerSecond);
        gateway = new ChildGateway(data, List.of("-Xmx256m"), environment);
        gateway.start();
    }

    @Test
    void an_account_that_drains_is_empty_in_the_end_and_no_reader_notices_though_the_gateway_dies_in_the_middle()
            throws Exception {
        start("500kB");
        try (S3Client s3 = gateway.client()) {
            s3.createBucket(request -> request.bucket(BUCKET));
            for (int i = 0; i < OBJECTS; i++) {
                put(s3, "key-" + i);
            }
            multipart(s3);
            s3.copyObject(request -> request.sourceBucket(BUCKET)
                    .sourceKey("key-1")
                    .destinationBucket(BUCKET)
                    .destinationKey("copy"));
            objects.put("copy", objects.get("key-1"));
        }
        long before = gateway.metricByAccount("headgate_live_blobs").get("disk-1");
        assertThat(before).isGreaterThan(20);
        gateway.admin("PUT", DRAINING);

        readWhile(() -> {
            await("some blobs have moved, and others are being copied")
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> {
                        long left =
                                gateway.metricByAccount("headgate_live_blobs").get("disk-1");
                        Map<String, Long> copies = nonZero(gateway.metricByAccount("headgate_garbage_blobs"));
                        copies.remove("disk-1");
                        assertThat(left).isPositive();
                        return left < before - 5 && !copies.isEmpty();
                    });
            killed.set(true);
            gateway.kill();
        });
        killed.set(false);

        start("64MiB");
        boolean abandoned = gateway.output().contains("INFO Moves - abandoned");
        assertThat(gateway.admin("/admin/v1/accounts")).contains("\"account\":\"disk-1\",\"remaining_blobs\":");
        readWhile(() -> {
            try (S3Client s3 = gateway.client()) {
                for (int i = 0; i < 20; i++) {
                    put(s3, "later-" + i);
                    put(s3, "key-" + i); // overwritten while its blob moves, or has moved
                }
            }
            awaitExactlyTheBlobsOfTheObjects();
        });

        assertThat(StoredBlobs.count(data.resolve("disk-1"))).isZero();
        assertThat(nonZero(gateway.metricByAccount("headgate_drain_blobs_missing_total")))
                .isEmpty();
        assertThat(nonZero(gateway.metricByAccount("headgate_drain_copies_failed_total")))
                .isEmpty();
        long bytes =
                objects.values().stream().mapToLong(content -> content.length).sum();
        assertThat(gateway.admin("/admin/v1/buckets/" + BUCKET))
                .contains("\"objects\":" + objects.size(), "\"bytes\":" + bytes);

        gateway.admin("DELETE", DRAINING);
        try (S3Client s3 = gateway.client()) {
            await("the account takes writes again")
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> {
                        put(s3, "at-last");
                        return StoredBlobs.count(data.resolve("disk-1")) > 0;
                    });
        }
        balance();
        System.out.printf(
                "drain test: %d reads of %d objects meanwhile; moves cut off by the kill: %s%n",
                reads.get(), objects.size(), abandoned);
    }

    /** The account that was drained gets its part again, and no reader notices. */
    private void balance() throws Exception {
        readWhile(() -> {
            gateway.admin("PUT", "/admin/v1/rebalance");
            await("the accounts are equally full")
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> gateway.admin("/admin/v1/accounts").contains("\"rebalance\":{\"running\":false"));
        });
        Map<String, Long> live = gateway.metricByAccount("headgate_live_blobs");
        long fair = live.values().stream().mapToLong(Long::longValue).sum() / ACCOUNTS.size();
        assertThat(live.values()).allSatisfy(blobs -> assertThat(blobs).isBetween(fair - 3, fair + 3));
        assertThat(nonZero(gateway.metricByAccount("headgate_drain_blobs_missing_total")))
                .isEmpty();
    }

    private void put(S3Client s3, String key) {
        byte[] content = new byte[SIZE_BYTES];
        random.nextBytes(content);
        // Readers may see the old or the new one, until the answer is there.
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(content));
        objects.put(key, content);
    }

    private void multipart(S3Client s3) {
        String upload = s3.createMultipartUpload(
                        request -> request.bucket(BUCKET).key("multipart"))
                .uploadId();
        byte[] content = new byte[8 * SIZE_BYTES];
        random.nextBytes(content);
        List<CompletedPart> parts = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            int number = i;
            byte[] part = Arrays.copyOfRange(content, (i - 1) * SIZE_BYTES, i * SIZE_BYTES);
            String etag = s3.uploadPart(
                            request -> request.bucket(BUCKET)
                                    .key("multipart")
                                    .uploadId(upload)
                                    .partNumber(number),
                            RequestBody.fromBytes(part))
                    .eTag();
            parts.add(CompletedPart.builder().partNumber(i).eTag(etag).build());
        }
        s3.completeMultipartUpload(request ->
                request.bucket(BUCKET).key("multipart").uploadId(upload).multipartUpload(whole -> whole.parts(parts)));
        objects.put("multipart", content);
    }

    /** Reads all objects over and over while the test goes on; every answer must be the object. */
    private void readWhile(Runnable going) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (S3Client s3 = gateway.client();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                long seed = i;
                readers.add(threads.submit(() -> read(s3, new Random(seed), over)));
            }
            try {
                going.run();
            } finally {
                over.set(true);
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
        }
    }

    private void read(S3Client s3, Random keys, AtomicBoolean over) {
        while (!over.get()) {
            List<String> all = new ArrayList<>(objects.keySet());
            String key = all.get(keys.nextInt(all.size()));
            byte[] before = objects.get(key);
            byte[] read;
            try {
                read = s3.getObjectAsBytes(request -> request.bucket(BUCKET).key(key))
                        .asByteArrayUnsafe();
            } catch (SdkClientException cutOff) {
                assertThat(killed).as("an answer broke off: " + cutOff).isTrue();
                return;
            }
            if (!Arrays.equals(read, before)) {
                // Overwritten meanwhile, which the writer notes once it has the answer.
                await().atMost(Duration.ofSeconds(10)).until(() -> Arrays.equals(read, objects.get(key)));
            }
            reads.incrementAndGet();
        }
    }

    private void awaitExactlyTheBlobsOfTheObjects() {
        long expected = objects.size() - 1 + 8; // one each, as the source of the copy was overwritten, and the parts
        await("as many blobs on the disks as the objects have, none on the drained one")
                .atMost(Duration.ofSeconds(120))
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> {
                    Map<String, Long> onDisk = new TreeMap<>();
                    for (String account : ACCOUNTS) {
                        onDisk.put(account, StoredBlobs.count(data.resolve(account)));
                    }
                    assertThat(onDisk.get("disk-1")).isZero();
                    assertThat(onDisk.values().stream()
                                    .mapToLong(Long::longValue)
                                    .sum())
                            .isEqualTo(expected);
                    assertThat(nonZero(gateway.metricByAccount("headgate_live_blobs")))
                            .isEqualTo(nonZero(onDisk));
                    assertThat(nonZero(gateway.metricByAccount("headgate_garbage_blobs")))
                            .isEmpty();
                });
    }

    private static Map<String, Long> nonZero(Map<String, Long> values) {
        Map<String, Long> some = new TreeMap<>(values);
        some.values().removeIf(value -> value == 0);
        return some;
    }
}
