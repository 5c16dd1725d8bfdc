package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.conformance.process.CrashClient.Operation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;

/** The gateway is killed in the middle of everything, again and again; nothing acknowledged may be lost and nothing may be left behind. */
@DisabledIfSystemProperty(named = "headgate.conformance.url", matches = ".+", disabledReason = "kills its own gateway")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
final class CrashTest {
    private static final int CYCLES = Integer.getInteger("headgate.crash.cycles", 15);
    private static final int CLIENTS = 8;
    /** Of each run, before it is killed. */
    private static final int LEAST_ANSWERS = 50;

    /** Leases run out, the sweep passes, and garbage waits for the longest commit (30 s); with much to spare. */
    private static final Duration SWEPT_BY = Duration.ofSeconds(120);

    private static final String BUCKET = "crash";
    private static final List<String> ACCOUNTS = List.of("disk-1", "disk-2", "disk-3");

    /** Short enough that leases run out, and garbage goes, while the test looks on. */
    private static final Map<String, String> IMPATIENT = Map.of(
            "HEADGATE_MULTIPART_MIN_PART_SIZE", "1KiB",
            "HEADGATE_INTENTS_WINDOW", "1s",
            "HEADGATE_INTENTS_LIFETIME", "10s",
            "HEADGATE_GARBAGE_GRACE", "0s",
            "HEADGATE_GARBAGE_INTERVAL", "200ms",
            "HEADGATE_SWEEP_INTERVAL", "1s",
            "HEADGATE_DRAIN_INTERVAL", "100ms");

    private final long seed = Long.getLong("headgate.crash.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final AtomicLong blobNumbers = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong moved = new AtomicLong();
    private final List<CrashClient> clients = new ArrayList<>();

    @TempDir
    Path data;

    private ChildGateway gateway;

    @BeforeEach
    void describe() {
        gateway = new ChildGateway(data, List.of("-Xmx256m"), IMPATIENT);
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new CrashClient(BUCKET, "client-" + i, seed + i, blobNumbers, answers));
        }
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    @Test
    void after_many_kills_every_acknowledged_write_is_whole_and_no_blob_is_leaked_or_lost() throws Exception {
        System.out.println("crash test: seed " + seed);
        killWhileStarting(); // the very first start, which makes everything
        killWhileStarting();
        gateway.start();
        try (S3Client s3 = gateway.client()) {
            s3.createBucket(request -> request.bucket(BUCKET));
        }
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            writeUntilKilled();
            if (cycle % 4 == 3) {
                killWhileStarting();
            }
            gateway.start();
            verify();
        }
        try (S3Client s3 = gateway.client()) {
            drain(ACCOUNTS.size());
            abortUploads(s3);
            awaitExactlyTheBlobsOf(objects());
            assertCounters(objects());
            verify();
            assertThat(nonZero(gateway.metricByAccount("headgate_drain_blobs_missing_total")))
                    .isEmpty();
            clients.forEach(client -> client.deleteAll(s3));
            awaitExactlyTheBlobsOf(Map.of());
            assertCounters(Map.of());
        }
        report();
    }

    /** Moves blobs about while clients work: one account is drained, or none. */
    private void drain(int account) {
        for (int i = 0; i < ACCOUNTS.size(); i++) {
            if (i != account) {
                gateway.admin("DELETE", "/admin/v1/accounts/" + ACCOUNTS.get(i) + "/draining");
            }
        }
        if (account < ACCOUNTS.size()) {
            gateway.admin("PUT", "/admin/v1/accounts/" + ACCOUNTS.get(account) + "/draining");
        }
    }

    private void writeUntilKilled() throws Exception {
        drain(random.nextInt(ACCOUNTS.size() + 1));
        try (S3Client s3 = gateway.client();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writing = new ArrayList<>();
            for (CrashClient client : clients) {
                writing.add(threads.submit(() -> client.writeUntilCutOff(s3)));
            }
            writing.add(threads.submit(() -> readUntilCutOff(s3)));
            long before = answers.get();
            await().atMost(Duration.ofSeconds(30)).until(() -> answers.get() - before >= LEAST_ANSWERS);
            gateway.metricByAccount("headgate_drain_blobs_moved_total").values().forEach(moved::addAndGet);
            Thread.sleep(random.nextInt(1000)); // no condition: the kill is to come at any moment
            gateway.kill();
            for (Future<?> client : writing) {
                client.get(); // an answer that was an error, though the gateway lived, fails here
            }
        }
    }

    /** Reads what the clients overwrite and delete: each answer is a whole object or none, though garbage goes at once. */
    private void readUntilCutOff(S3Client s3) {
        Random keys = new Random(seed);
        while (true) {
            CrashClient client = clients.get(keys.nextInt(CLIENTS));
            try {
                s3.getObjectAsBytes(request -> request.bucket(BUCKET).key(client.anyKey(keys)));
                reads.incrementAndGet();
            } catch (NoSuchKeyException absent) {
                reads.incrementAndGet();
            } catch (SdkClientException cutOff) {
                assertThat(cutOff).message().doesNotContain("checksum");
                return;
            }
        }
    }

    private void killWhileStarting() throws Exception {
        gateway.launch();
        Thread.sleep(100 + random.nextInt(1000));
        gateway.kill();
    }

    private void verify() throws Exception {
        try (S3Client s3 = gateway.client();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> verifying = new ArrayList<>();
            for (CrashClient client : clients) {
                verifying.add(threads.submit(() -> client.verify(s3)));
            }
            for (Future<?> client : verifying) {
                client.get();
            }
        }
    }

    private static void abortUploads(S3Client s3) {
        for (MultipartUpload upload :
                s3.listMultipartUploads(request -> request.bucket(BUCKET)).uploads()) {
            s3.abortMultipartUpload(
                    request -> request.bucket(BUCKET).key(upload.key()).uploadId(upload.uploadId()));
        }
    }

    private Map<String, Content> objects() {
        Map<String, Content> all = new HashMap<>();
        clients.forEach(client -> all.putAll(client.objects()));
        return all;
    }

    /** Copies share blobs, so this counts each once. */
    private static Set<Content.Blob> blobs(Map<String, Content> objects) {
        Set<Content.Blob> blobs = new HashSet<>();
        objects.values().forEach(content -> blobs.addAll(content.blobs()));
        return blobs;
    }

    private void awaitExactlyTheBlobsOf(Map<String, Content> objects) {
        int expected = blobs(objects).size();
        await("as many blobs on the disks as the objects have, and in each account what the namespace counts there")
                .atMost(SWEPT_BY)
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> {
                    Map<String, Long> onDisk = new TreeMap<>();
                    for (String account : ACCOUNTS) {
                        onDisk.put(account, StoredBlobs.count(data.resolve(account)));
                    }
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

    private void assertCounters(Map<String, Content> objects) {
        long bytes = objects.values().stream().mapToLong(Content::sizeBytes).sum();
        assertThat(gateway.admin("/admin/v1/buckets/" + BUCKET))
                .contains("\"objects\":" + objects.size(), "\"bytes\":" + bytes);
    }

    private void report() {
        Map<Operation, Integer> acknowledged = new TreeMap<>();
        clients.forEach(client -> client.acknowledged()
                .forEach((operation, count) -> acknowledged.merge(operation, count, Integer::sum)));
        System.out.printf(
                "crash test: %d kills under load; acknowledged %s; reads meanwhile %d; moves %d; calls cut off %d%n",
                CYCLES,
                acknowledged,
                reads.get(),
                moved.get(),
                clients.stream().mapToInt(CrashClient::cutOff).sum());
    }
}
