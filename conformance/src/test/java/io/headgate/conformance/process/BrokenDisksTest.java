package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Real directories and file systems go away, fill up and freeze under a running gateway; clients write on as long as one is left. */
@DisabledIfSystemProperty(named = "headgate.conformance.url", matches = ".+", disabledReason = "breaks its own disks")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
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
        long before = StoredBlobs.count(directory);
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
        awaitWritesTo(directory, StoredBlobs.count(directory));
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
        awaitWritesTo(directory.toRealPath(), StoredBlobs.count(directory.toRealPath()));
        verifyAll();
    }

    @Test
    void a_disk_whose_reads_hang_holds_up_only_those_who_read_from_it() throws Exception {
        gateway = new ChildGateway(data, List.of("-Xmx256m"), with("HEADGATE_BREAKER_STALL_TIMEOUT", "1s"));
        start();
        for (int i = 0; i < 40; i++) {
            write(1, 100_000 + i); // known again by its size
        }
        Map<Path, Path> pipes = replaceByPipes(data.resolve("disk-1").resolve("blobs"));
        Set<Long> sizes = new HashSet<>();
        for (Path file : pipes.values()) {
            sizes.add(Files.size(file));
        }
        List<String> hanging = acknowledged.keySet().stream()
                .filter(key -> sizes.contains((long) acknowledged.get(key).length))
                .toList();
        assertThat(hanging).hasSizeBetween(5, 30);
        int readers = 3 * Runtime.getRuntime().availableProcessors() + 8;
        AtomicInteger refused = new AtomicInteger();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            for (int i = 0; i < readers; i++) {
                String key = hanging.get(i % hanging.size());
                threads.submit(() -> assertThatThrownBy(() -> read(key))
                        .isInstanceOfSatisfying(S3Exception.class, failed -> {
                            assertThat(failed.statusCode()).isEqualTo(503);
                            refused.incrementAndGet();
                        }));
            }
            for (int round = 0; round < 3; round++) {
                for (String key : acknowledged.keySet()) {
                    if (!hanging.contains(key)) {
                        assertThat(threads.submit(() -> read(key)).get(10, TimeUnit.SECONDS))
                                .isEqualTo(acknowledged.get(key));
                    }
                }
                assertThat(gateway.admin("/metrics")).contains("headgate_account_breaker");
            }
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(refused).hasValueGreaterThanOrEqualTo(8));
        } finally {
            threads.shutdownNow();
            for (Path pipe : pipes.keySet()) {
                Files.move(pipes.get(pipe), pipe, StandardCopyOption.REPLACE_EXISTING);
            }
        }
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsMatching(failure -> failure instanceof S3Exception)
                .untilAsserted(this::verifyAll);
    }

    private byte[] read(String key) {
        return s3.getObjectAsBytes(request -> request.bucket(BUCKET).key(key)).asByteArrayUnsafe();
    }

    /** To open a pipe that nobody writes to hangs like a dead disk. Where the files are now, by their names before. */
    private static Map<Path, Path> replaceByPipes(Path directory) throws IOException {
        Map<Path, Path> moved = new HashMap<>();
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            Path aside = directory.resolveSibling("aside-" + file.getFileName());
            Files.move(file, aside);
            assumeThat(run("mkfifo", file.toString())).as("mkfifo").isZero();
            moved.put(file, aside);
        }
        return moved;
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
            return StoredBlobs.count(directory) > blobsBefore;
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
