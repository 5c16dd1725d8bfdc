package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.servers.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/**
 * The rehearsal: a gateway is backed up while clients write, killed, and its namespace restored into an empty one. Everything that was
 * acknowledged before the backup began is there and whole, though much of it was overwritten and deleted before the gateway died.
 */
@DisabledIfSystemProperty(named = "headgate.conformance.url", matches = ".+", disabledReason = "kills its own gateway")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
final class BackupTest {
    private static final String BUCKET = "kept";
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final int WRITERS = 4;
    private static final int BEFORE = 100;
    private static final int AFTER = 40;

    @TempDir
    Path directory;

    /** What was acknowledged, by key; each key is written once and perhaps deleted or overwritten much later. */
    private final Map<String, byte[]> written = new ConcurrentHashMap<>();

    private final AtomicInteger next = new AtomicInteger();

    private Path data() {
        return directory.resolve("data");
    }

    private ChildGateway gateway(Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(more);
        environment.put("HEADGATE_MULTIPART_MIN_PART_SIZE", "1KiB");
        return new ChildGateway(data(), List.of("-Xmx256m"), environment);
    }

    @Test
    void a_namespace_in_sqlite_is_restored_beside_its_accounts() throws Exception {
        try (ChildGateway gateway = gateway(Map.of())) {
            rehearse(gateway, gateway, () -> {
                for (String file : List.of("namespace.db", "namespace.db-wal", "namespace.db-shm")) {
                    Files.deleteIfExists(data().resolve(file));
                }
            });
        }
    }

    @Test
    void a_namespace_in_postgres_is_restored_into_another_database() throws Exception {
        try (ChildGateway gateway = gateway(freshDatabase());
                ChildGateway restored = gateway(freshDatabase())) {
            rehearse(gateway, restored, () -> {});
        }
    }

    private static Map<String, String> freshDatabase() {
        return Map.of(
                "HEADGATE_NAMESPACE_ENGINE",
                "postgres",
                "HEADGATE_NAMESPACE_CONNECT_TIMEOUT",
                "30s",
                "HEADGATE_NAMESPACE_URL",
                "postgresql://postgres@127.0.0.1:" + PostgresServer.port() + "/" + PostgresServer.freshDatabase());
    }

    private interface Loss {
        void happen() throws Exception;
    }

    private void rehearse(ChildGateway gateway, ChildGateway restored, Loss loss) throws Exception {
        Path backup = directory.resolve("backup");
        Map<String, byte[]> acknowledged = new HashMap<>();
        gateway.start();
        try (S3Client s3 = gateway.client();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            s3.createBucket(request -> request.bucket(BUCKET));
            AtomicBoolean over = new AtomicBoolean();
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                long seed = i;
                writers.add(threads.submit(() -> write(s3, new Random(seed), over)));
            }
            try {
                await().atMost(LIMIT).until(() -> written.size() >= BEFORE);
                acknowledged.putAll(written);
                assertThat(gateway.command("admin", "namespace", "backup", backup.toString()))
                        .contains("is in " + backup);
                int then = written.size();
                await().atMost(LIMIT).until(() -> written.size() >= then + AFTER);
            } finally {
                over.set(true);
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
            int removed = 0;
            for (String key : acknowledged.keySet()) {
                switch (removed++ % 4) {
                    case 0 -> s3.deleteObject(request -> request.bucket(BUCKET).key(key));
                    case 1 ->
                        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromString("replaced"));
                    default -> {}
                }
            }
        }
        gateway.kill();
        loss.happen();

        assertThat(restored.command("admin", "namespace", "restore", backup.toString()))
                .contains("is as it was at ");
        restored.start();

        assertThat(restored.admin("/admin/v1/fsck?checksum=true"))
                .contains("\"clean\":true,\"complete\":true")
                .endsWith("\nX 0\n");
        try (S3Client s3 = restored.client()) {
            for (Map.Entry<String, byte[]> object : acknowledged.entrySet()) {
                assertThat(s3.getObjectAsBytes(request -> request.bucket(BUCKET).key(object.getKey()))
                                .asByteArrayUnsafe())
                        .as(object.getKey())
                        .isEqualTo(object.getValue());
            }
            s3.putObject(request -> request.bucket(BUCKET).key("new"), RequestBody.fromString("new"));
        }
    }

    private void write(S3Client s3, Random random, AtomicBoolean over) {
        while (!over.get()) {
            String key = "key-" + next.getAndIncrement();
            byte[] content = new byte[3_000 + random.nextInt(20_000)];
            random.nextBytes(content);
            if (random.nextInt(5) == 0) {
                multipart(s3, key, content);
            } else {
                s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(content));
            }
            written.put(key, content);
        }
    }

    private static void multipart(S3Client s3, String key, byte[] content) {
        String upload = s3.createMultipartUpload(
                        request -> request.bucket(BUCKET).key(key))
                .uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int number = i + 1;
            int half = content.length / 2;
            byte[] part = Arrays.copyOfRange(content, i * half, i == 0 ? half : content.length);
            String etag = s3.uploadPart(
                            request -> request.bucket(BUCKET)
                                    .key(key)
                                    .uploadId(upload)
                                    .partNumber(number),
                            RequestBody.fromBytes(part))
                    .eTag();
            parts.add(CompletedPart.builder().partNumber(number).eTag(etag).build());
        }
        s3.completeMultipartUpload(request ->
                request.bucket(BUCKET).key(key).uploadId(upload).multipartUpload(whole -> whole.parts(parts)));
    }
}
