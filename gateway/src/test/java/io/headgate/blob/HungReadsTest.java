package io.headgate.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.blob.local.Durability;
import io.headgate.blob.local.LocalBlobStore;
import io.headgate.domain.BlobId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reads that hang in a system call, as those of a dead disk do: to open a pipe that nobody writes to is such a call. */
@Timeout(60)
final class HungReadsTest {
    private static final int LENGTH = 100_000;
    private static final Duration LIMIT = Duration.ofMillis(500);
    private static final int MAX_HANGING = 4;

    private final VirtualThreadSchedulerMXBean scheduler =
            ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
    private final Executor virtualThreads = Thread::startVirtualThread;
    private final CarrierWatch watch = new CarrierWatch();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private int carriers;

    @TempDir
    Path directory;

    private StallGuard hung;
    private StallGuard healthy;
    private BlobId onHung;
    private BlobId onHealthy;

    @BeforeEach
    void open() throws IOException {
        carriers = scheduler.getParallelism();
        hung = account("hung");
        healthy = account("healthy");
        onHung = put(hung);
        onHealthy = put(healthy);
    }

    @AfterEach
    void close() {
        hung.close();
        healthy.close();
        watch.close();
    }

    @Test
    void reads_that_hang_are_few_and_hold_up_no_reads_of_other_accounts() throws Exception {
        Path pipe = replaceByPipe();
        int reads = 5 * carriers + MAX_HANGING + 10;

        for (int i = 0; i < reads; i++) {
            virtualThreads.execute(this::readHung);
        }

        for (int i = 0; i < 20; i++) {
            assertThat(CompletableFuture.supplyAsync(this::readHealthy, virtualThreads)
                            .get(10, TimeUnit.SECONDS))
                    .isEqualTo(LENGTH);
        }
        await().untilAsserted(() -> assertThat(failed).hasValueGreaterThanOrEqualTo(reads - 3 * carriers));
        assertThatThrownBy(() -> hung.get(onHung, 0, 1))
                .isInstanceOfSatisfying(
                        BlobStoreException.class,
                        fault -> assertThat(fault.kind()).isEqualTo(Kind.ACCOUNT_FAULT));

        try (RandomAccessFile writer = new RandomAccessFile(pipe.toFile(), "rw")) {
            assertThat(writer.getFD().valid()).isTrue();
            await().untilAsserted(() -> assertThat(ended).hasValue(reads));
            await("as many carriers as before").until(() -> scheduler.getParallelism() == carriers);
        }
    }

    @Test
    void an_account_that_was_slow_once_is_read_all_the_same() throws Exception {
        Path pipe = replaceByPipe();
        virtualThreads.execute(this::readHung);
        await().until(() -> scheduler.getParallelism() > carriers);
        try (RandomAccessFile writer = new RandomAccessFile(pipe.toFile(), "rw")) {
            assertThat(writer.getFD().valid()).isTrue();
            await().untilAsserted(() -> assertThat(ended).hasValue(1));
        }

        BlobId another = put(hung);

        try (ReadableByteChannel run = hung.get(another, 10, LENGTH - 10)) {
            assertThat(run.isOpen()).isTrue();
            assertThat(Bytes.read(run)).hasSize(LENGTH - 10);
        }
    }

    private void readHung() {
        try (ReadableByteChannel run = hung.get(onHung, 0, LENGTH)) {
            Bytes.read(run);
        } catch (BlobStoreException fault) {
            if (fault.kind() == Kind.ACCOUNT_FAULT) {
                failed.incrementAndGet();
            }
        } catch (IOException unexpected) {
            throw new AssertionError(unexpected);
        } finally {
            ended.incrementAndGet();
        }
    }

    private int readHealthy() {
        try (ReadableByteChannel run = healthy.get(onHealthy, 0, LENGTH)) {
            return Bytes.read(run).length;
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private StallGuard account(String name) {
        return new StallGuard(
                new LocalBlobStore(
                        name, "namespace-1", directory.resolve(name), Durability.NONE, true, InstantSource.system()),
                name,
                LIMIT,
                MAX_HANGING,
                watch);
    }

    private static BlobId put(StallGuard account) throws IOException {
        BlobId id = Bytes.freshId();
        account.put(id, LENGTH, Bytes.stream(Bytes.of(id, LENGTH)));
        return id;
    }

    private Path replaceByPipe() throws Exception {
        Path file;
        try (Stream<Path> files = Files.walk(directory.resolve("hung").resolve("blobs"))) {
            file = files.filter(Files::isRegularFile).findAny().orElseThrow();
        }
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();
        return file;
    }
}
