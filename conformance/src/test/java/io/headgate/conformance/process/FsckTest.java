package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.servers.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** A gateway checks itself while clients write, copy and delete and accounts drain: a busy namespace is clean, and a lost blob is found. */
@DisabledIfSystemProperty(
        named = "headgate.conformance.url",
        matches = ".+",
        disabledReason = "damages its own gateway")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
final class FsckTest {
    private static final String BUCKET = "busy";
    private static final int KEYS = 60;
    private static final int WRITERS = 4;
    private static final int LEAST_WRITES = 100;
    private static final int CHECKS = 2;

    @TempDir
    Path data;

    private final AtomicLong writes = new AtomicLong();

    private ChildGateway start(Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(more);
        environment.put("HEADGATE_MULTIPART_MIN_PART_SIZE", "1KiB");
        environment.put("HEADGATE_INTENTS_WINDOW", "1s");
        environment.put("HEADGATE_BREAKER_STALL_TIMEOUT", "1m"); // a slow machine is no dead disk
        environment.put("HEADGATE_GARBAGE_GRACE", "0s");
        environment.put("HEADGATE_GARBAGE_INTERVAL", "200ms");
        environment.put("HEADGATE_ORPHANS_MIN_AGE", "0s");
        environment.put("HEADGATE_DRAIN_INTERVAL", "200ms");
        ChildGateway gateway = new ChildGateway(data, List.of("-Xmx256m"), environment);
        gateway.start();
        return gateway;
    }

    @Test
    void a_busy_namespace_in_sqlite_is_clean_and_what_is_lost_is_found() throws Exception {
        try (ChildGateway gateway = start(Map.of())) {
            checkWhileBusy(gateway);
        }
    }

    @Test
    void a_busy_namespace_in_postgres_is_clean_and_what_is_lost_is_found() throws Exception {
        try (ChildGateway gateway = start(Map.of(
                "HEADGATE_NAMESPACE_ENGINE",
                "postgres",
                "HEADGATE_NAMESPACE_CONNECT_TIMEOUT",
                "30s",
                "HEADGATE_NAMESPACE_URL",
                "postgresql://postgres@127.0.0.1:" + PostgresServer.port() + "/" + PostgresServer.freshDatabase()))) {
            checkWhileBusy(gateway);
        }
    }

    private void checkWhileBusy(ChildGateway gateway) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (S3Client s3 = gateway.client();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            s3.createBucket(request -> request.bucket(BUCKET));
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                long seed = i;
                writers.add(threads.submit(() -> write(s3, new Random(seed), over)));
            }
            try {
                for (int check = 0; check < CHECKS; check++) {
                    String account = "/admin/v1/accounts/disk-" + (check % 3 + 1) + "/draining";
                    gateway.admin("PUT", account);
                    long before = writes.get();
                    assertClean(gateway.admin("/admin/v1/fsck?checksum=" + (check % 2 == 1)));
                    await().atMost(Duration.ofMinutes(1)).until(() -> writes.get() >= before + LEAST_WRITES / CHECKS);
                    gateway.admin("DELETE", account);
                }
            } finally {
                over.set(true);
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
            byte[] content = new byte[50_000]; // large enough to be a file
            s3.putObject(request -> request.bucket(BUCKET).key("kept"), RequestBody.fromBytes(content));
        }
        assertThat(gateway.metricByAccount("headgate_drain_blobs_moved_total").values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isPositive();
        loseEverything(gateway);
        assertThat(gateway.admin("/admin/v1/fsck"))
                .contains("F {\"finding\":\"lost\",\"fate\":\"reported\"", "\"bucket\":\"busy\",\"key\":\"kept\"")
                .endsWith("\nX 1\n");
    }

    private static void assertClean(String answer) {
        assertThat(answer.lines().filter(line -> line.startsWith("F "))).isEmpty();
        assertThat(answer)
                .contains("S {\"summary\":{\"clean\":true,\"complete\":true")
                .endsWith("\nX 0\n");
    }

    private void write(S3Client s3, Random random, AtomicBoolean over) {
        while (!over.get()) {
            String key = "key-" + random.nextInt(KEYS);
            try {
                switch (random.nextInt(8)) {
                    case 0 -> s3.deleteObject(request -> request.bucket(BUCKET).key(key));
                    case 1 ->
                        s3.copyObject(request -> request.sourceBucket(BUCKET)
                                .sourceKey("key-" + random.nextInt(KEYS))
                                .destinationBucket(BUCKET)
                                .destinationKey(key));
                    case 2 -> multipart(s3, key, random);
                    default ->
                        s3.putObject(
                                request -> request.bucket(BUCKET).key(key),
                                RequestBody.fromBytes(bytes(random, random.nextInt(60_000))));
                }
            } catch (S3Exception refused) {
                // A copy of what is not there, or onto itself; or the machine is too slow just now.
                assertThat(refused.statusCode()).isIn(400, 404, 503);
            }
            writes.incrementAndGet();
        }
    }

    private static void multipart(S3Client s3, String key, Random random) {
        String upload = s3.createMultipartUpload(
                        request -> request.bucket(BUCKET).key(key))
                .uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            int number = i;
            String etag = s3.uploadPart(
                            request -> request.bucket(BUCKET)
                                    .key(key)
                                    .uploadId(upload)
                                    .partNumber(number),
                            RequestBody.fromBytes(bytes(random, 2_000)))
                    .eTag();
            parts.add(CompletedPart.builder().partNumber(number).eTag(etag).build());
        }
        if (random.nextInt(3) == 0) {
            s3.abortMultipartUpload(request -> request.bucket(BUCKET).key(key).uploadId(upload));
        } else {
            s3.completeMultipartUpload(request ->
                    request.bucket(BUCKET).key(key).uploadId(upload).multipartUpload(whole -> whole.parts(parts)));
        }
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Deletes all blobs that are files, once cleanup has done its work. */
    private void loseEverything(ChildGateway gateway) throws IOException {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> gateway.metricByAccount("headgate_garbage_blobs").values().stream()
                        .allMatch(blobs -> blobs == 0));
        assertClean(gateway.admin("/admin/v1/fsck"));
        for (int i = 1; i <= 3; i++) {
            try (Stream<Path> files = Files.walk(data.resolve("disk-" + i).resolve("blobs"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
