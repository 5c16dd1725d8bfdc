package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Real directories and file systems go away, fill up and freeze under a running gateway; clients write on as long as one is left. */
@DisabledIfSystemProperty(named = "headgate.conformance.url", matches = ".+", disabledReason = "breaks its own disks")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class BrokenDisksTest {
    private static final String BUCKET = "faults";
    private static final List<String> NAMES = List.of("disk-1", "disk-2", "disk-3");
    private static final Map<String, String> IMPATIENT = Map.of(
            "HEADGATE_BREAKER_OPEN", "1s",
            "HEADGATE_GARBAGE_GRACE", "0s",
            "HEADGATE_GARBAGE_INTERVAL", "200ms");

    private final Random random = new Random(17);
    private final Map<String, byte[]> acknowledged = new HashMap<>();
    private final Deque<Runnable> repairs = new ArrayDeque<>();

    @TempDir
    Path data;

    private ChildGateway gateway;
    private S3Client s3;

    @BeforeEach
    void describe() {
        gateway = new ChildGateway(data, List.of("-Xmx256m"), IMPATIENT);
    }

    @AfterEach
    void stop() {
        if (s3 != null) {
            s3.close();
        }
        repairs.forEach(Runnable::run);
        gateway.close();
    }

    @Test
    void a_directory_that_disappears_and_comes_back_costs_no_write_and_loses_no_object() throws IOException {
        start();
        write(30, 10_000);
        Path directory = data.resolve("disk-2");
        Path away = data.resolve("unplugged");

        Files.move(directory, away);
        write(40, 10_000);
        write(6, 2_000_000);
        assertThat(directory)
                .as("nothing is written to where the disk should be")
                .doesNotExist();

        Files.move(away, directory);
        long before = ChildGateway.blobFiles(directory);
        awaitWritesTo(directory, before);
        verifyAll();
    }

    @Test
    void with_every_directory_gone_clients_are_told_to_slow_down_until_one_is_back() throws IOException {
        start();
        write(10, 10_000);
        for (String name : NAMES) {
            Files.move(data.resolve(name), data.resolve(name + "-unplugged"));
        }

        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertSlowDown());

        Files.move(data.resolve("disk-3-unplugged"), data.resolve("disk-3"));
        await().atMost(Duration.ofSeconds(20))
                .ignoreExceptionsMatching(failure -> failure instanceof S3Exception)
                .untilAsserted(() -> write(1, 10_000));
        write(30, 10_000);
        for (String name : List.of("disk-1", "disk-2")) {
            Files.move(data.resolve(name + "-unplugged"), data.resolve(name));
        }
        await().atMost(Duration.ofSeconds(20))
                .ignoreExceptionsMatching(failure -> failure instanceof S3Exception)
                .untilAsserted(this::verifyAll);
    }

    @Test
    void a_disk_that_fills_up_costs_no_write_and_is_used_again_when_there_is_room() throws Exception {
        Path directory = data.resolve("disk-1");
        mount(directory, "tmpfs", "size=512m", "tmpfs");
        start();
        write(20, 10_000);
        Path ballast = directory.resolve("ballast");
        byte[] chunk = new byte[1 << 20];
        try (var out = Files.newOutputStream(ballast)) {
            while (true) {
                out.write(chunk);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("space");
        }

        write(60, 10_000);
        write(6, 2_000_000);

        Files.delete(ballast);
        awaitWritesTo(directory, ChildGateway.blobFiles(directory));
        verifyAll();
    }

    @Test
    void a_disk_that_freezes_delays_a_few_writes_and_stops_none() throws Exception {
        Path image = data.resolve("image");
        try (var file = new java.io.RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(640L << 20);
        }
        assumeThat(run("mkfs.ext4", "-q", "-F", image.toString()))
                .as("mkfs.ext4")
                .isZero();
        Path directory = data.resolve("disk-1");
        Path mount = data.resolve("mount");
        mount(mount, image.toString(), "loop", "ext4");
        Files.createDirectory(mount.resolve("account"));
        Files.createSymbolicLink(directory, mount.resolve("account"));
        gateway = new ChildGateway(data, List.of("-Xmx256m"), with("HEADGATE_BREAKER_STALL_TIMEOUT", "2s"));
        start();
        write(20, 10_000);

        assumeThat(run("fsfreeze", "-f", mount.toString())).as("fsfreeze").isZero();
        repairs.addFirst(() -> run("fsfreeze", "-u", mount.toString()));
        writeAtOnce(12, 2_000_000);
        writeAtOnce(40, 10_000);

        run("fsfreeze", "-u", mount.toString());
        awaitWritesTo(directory.toRealPath(), ChildGateway.blobFiles(directory.toRealPath()));
        verifyAll();
    }

    private void start() {
        gateway.start();
        s3 = gateway.client();
        s3.createBucket(request -> request.bucket(BUCKET));
    }

    /** Puts that must all succeed. */
    private void write(int count, int sizeBytes) {
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[sizeBytes];
            random.nextBytes(bytes);
            String key = "key " + acknowledged.size();
            s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(bytes));
            acknowledged.put(key, bytes);
        }
    }

    /** The same, all at once. */
    private void writeAtOnce(int count, int sizeBytes) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                byte[] bytes = new byte[sizeBytes];
                random.nextBytes(bytes);
                String key = "key " + acknowledged.size();
                acknowledged.put(key, bytes);
                writes.add(threads.submit(
                        () -> s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(bytes))));
            }
            for (Future<?> write : writes) {
                write.get(30, TimeUnit.SECONDS);
            }
        }
    }

    private void verifyAll() {
        acknowledged.forEach((key, bytes) -> assertThat(
                        s3.getObjectAsBytes(request -> request.bucket(BUCKET).key(key))
                                .asByteArrayUnsafe())
                .as(key)
                .isEqualTo(bytes));
    }

    private void awaitWritesTo(Path directory, long blobsBefore) {
        await("the account takes writes again").atMost(Duration.ofSeconds(30)).until(() -> {
            write(3, 10_000);
            return ChildGateway.blobFiles(directory) > blobsBefore;
        });
    }

    private void assertSlowDown() {
        assertThatThrownBy(() -> s3.putObject(
                        request -> request.bucket(BUCKET).key("refused"), RequestBody.fromBytes(new byte[100])))
                .isInstanceOfSatisfying(S3Exception.class, refused -> {
                    assertThat(refused.statusCode()).isEqualTo(503);
                    assertThat(refused.awsErrorDetails().errorCode()).isEqualTo("SlowDown");
                });
    }

    private static Map<String, String> with(String name, String value) {
        Map<String, String> all = new HashMap<>(IMPATIENT);
        all.put(name, value);
        return all;
    }

    private void mount(Path at, String what, String options, String type) throws IOException {
        Files.createDirectories(at);
        assumeThat(run("mount", "-t", type, "-o", options, what, at.toString()))
                .as("mounting needs root")
                .isZero();
        repairs.add(() -> run("umount", "-l", at.toString()));
    }

    private static int run(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor();
        } catch (IOException notInstalled) {
            return 127;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
