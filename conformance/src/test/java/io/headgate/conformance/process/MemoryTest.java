package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.conformance.RegionSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** A heap of 256 MiB serves 200 large transfers at once, because no body is ever held whole. */
@DisabledIfSystemProperty(
        named = "headgate.conformance.url",
        matches = ".+",
        disabledReason = "looks at its own gateway")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class MemoryTest {
    private static final int TRANSFERS = 200;
    private static final int BLOCKS = (64 << 20) / Transfer.BLOCK_BYTES;
    /** All transfers are open and have moved this much before any goes on. */
    private static final int BLOCKS_BEFORE_THE_BARRIER = BLOCKS / 16;
    /**
     * How many go on to their end; the other clients hang up. All of them move 13 GB each way; the heap sees no difference, so that is
     * done on request only.
     */
    private static final int COMPLETED = Integer.getInteger("headgate.memory.completed", 20);

    private static final String BUCKET = "large";

    private static final List<String> SMALL_HEAP = List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError");

    /** What the clients ask. */
    private ChildGateway gateway;
    /** What has the bucket: the same, or one of another region. */
    private ChildGateway owner;

    @AfterEach
    void stop() {
        gateway.close();
        owner.close();
    }

    @Test
    void two_hundred_uploads_and_downloads_of_64_mib_at_once_fit_into_256_mib(@TempDir Path data) throws Exception {
        gateway = new ChildGateway(data, SMALL_HEAP, Map.of("STORAGE_SHARDS", unflushed(data)));
        owner = gateway;
        gateway.start();
        transferAll();
    }

    /** On request only, as the other tests of regions show what else there is to it. */
    @Test
    @EnabledIfSystemProperty(named = "headgate.memory.regions", matches = "true")
    void the_same_through_another_region_fits_into_256_mib_in_each(@TempDir Path data) throws Exception {
        Map<String, Integer> ports = Map.of("us-east-1", ChildGateway.freePort(), "eu-west-1", ChildGateway.freePort());
        owner = ofRegion("us-east-1", data, ports);
        gateway = ofRegion("eu-west-1", data, ports);
        owner.start();
        gateway.start();
        transferAll();
    }

    private static ChildGateway ofRegion(String region, Path data, Map<String, Integer> ports) throws IOException {
        Path own = Files.createDirectory(data.resolve(region));
        Map<String, String> settings = new HashMap<>(RegionSettings.of(region, ports, data.resolve("registry.db")));
        settings.put("STORAGE_SHARDS", unflushed(own));
        return new ChildGateway(own, SMALL_HEAP, settings);
    }

    private void transferAll() throws Exception {
        try (S3Client s3 = owner.client();
                S3Presigner presigner = presigner()) {
            s3.createBucket(request -> request.bucket(BUCKET));
            CyclicBarrier allOpen = new CyclicBarrier(TRANSFERS);

            assertThat(atOnce(i -> upload(presigner, i, allOpen)))
                    .as("statuses of the uploads, those of clients that hung up 0")
                    .isEqualTo(each(i -> i < COMPLETED ? 200 : 0));
            assertThat(atOnce(i -> download(presigner, i, allOpen)))
                    .as("blocks that came as they were sent")
                    .isEqualTo(each(i -> i < COMPLETED ? BLOCKS : BLOCKS_BEFORE_THE_BARRIER));
        }
        assertThat(gateway.isAlive()).isTrue();
        assertThat(gateway.output()).doesNotContain("OutOfMemoryError");
        System.out.println("memory test: highest resident set " + peakResidentSet());
    }

    private Callable<Integer> upload(S3Presigner presigner, int object, CyclicBarrier allOpen) {
        URI url = URI.create(presigner
                .presignPutObject(presign -> presign.signatureDuration(Duration.ofMinutes(10))
                        .putObjectRequest(put -> put.bucket(BUCKET).key("object-" + object)))
                .url()
                .toString());
        return () -> {
            try (Transfer transfer = new Transfer(gateway.port())) {
                transfer.beginUpload(url, (long) BLOCKS * Transfer.BLOCK_BYTES);
                transfer.sendBlocks(object, 0, BLOCKS_BEFORE_THE_BARRIER);
                allOpen.await();
                if (object >= COMPLETED) {
                    return 0;
                }
                transfer.sendBlocks(object, BLOCKS_BEFORE_THE_BARRIER, BLOCKS);
                return transfer.endUpload();
            }
        };
    }

    private Callable<Integer> download(S3Presigner presigner, int index, CyclicBarrier allOpen) {
        int object = index % COMPLETED;
        URI url = URI.create(presigner
                .presignGetObject(presign -> presign.signatureDuration(Duration.ofMinutes(10))
                        .getObjectRequest(get -> get.bucket(BUCKET).key("object-" + object)))
                .url()
                .toString());
        return () -> {
            try (Transfer transfer = new Transfer(gateway.port())) {
                ByteBuffer buffer = ByteBuffer.allocateDirect(Transfer.BLOCK_BYTES);
                if (transfer.beginDownload(url, buffer) != 200) {
                    return -1;
                }
                int before = transfer.receiveBlocks(object, 0, BLOCKS_BEFORE_THE_BARRIER, buffer);
                allOpen.await();
                return index >= COMPLETED || before < BLOCKS_BEFORE_THE_BARRIER
                        ? before
                        : transfer.receiveBlocks(object, before, BLOCKS, buffer);
            }
        };
    }

    private static List<Integer> atOnce(IntFunction<Callable<Integer>> transfer) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> running = new ArrayList<>();
            for (int i = 0; i < TRANSFERS; i++) {
                running.add(threads.submit(transfer.apply(i)));
            }
            List<Integer> results = new ArrayList<>();
            for (Future<Integer> one : running) {
                results.add(one.get());
            }
            return results;
        }
    }

    private static List<Integer> each(IntFunction<Integer> of) {
        List<Integer> results = new ArrayList<>();
        for (int i = 0; i < TRANSFERS; i++) {
            results.add(of.apply(i));
        }
        return results;
    }

    private S3Presigner presigner() {
        return S3Presigner.builder()
                .endpointOverride(gateway.url())
                .region(ChildGateway.region())
                .credentialsProvider(ChildGateway.credentials())
                .serviceConfiguration(
                        S3Configuration.builder().pathStyleAccessEnabled(true).build())
                .build();
    }

    /** The default accounts, without the wait for the disk, which is not what is tested. */
    private static String unflushed(Path data) {
        List<String> accounts = new ArrayList<>();
        for (String name : List.of("disk-1", "disk-2", "disk-3")) {
            accounts.add("{\"name\":\"%s\",\"type\":\"local\",\"path\":\"%s\",\"durability\":\"none\"}"
                    .formatted(name, data.resolve(name)));
        }
        return "[" + String.join(",", accounts) + "]";
    }

    private String peakResidentSet() throws IOException {
        Path status = Path.of("/proc/" + gateway.pid() + "/status");
        if (!Files.exists(status)) {
            return "unknown";
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .map(line -> line.substring("VmHWM:".length()).strip())
                .findFirst()
                .orElse("unknown");
    }
}
