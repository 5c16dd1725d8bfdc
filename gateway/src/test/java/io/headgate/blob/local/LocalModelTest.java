package io.headgate.blob.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.blob.Bytes;
import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is done in whatever order, the store has what a map would have. */
final class LocalModelTest {
    /** Segments of a few dozen blobs, and files that are closed all the time. */
    private static final Journal.Sizes TINY =
            new Journal.Sizes(8 << 10, 32 << 10, 64 << 10, 10 << 10, 40, 3, Duration.ofMinutes(1));

    private static final Instant BEGINNING = Instant.ofEpochSecond(1_800_000_000);

    @TempDir
    private Path root;

    private final long seed = ThreadLocalRandom.current().nextLong();
    private final Random random = new Random(seed);
    private final NavigableMap<BlobId, Integer> model = new TreeMap<>();
    private final List<BlobId> gone = new ArrayList<>();
    private Instant now = BEGINNING;
    private LocalBlobStore store;

    @BeforeEach
    void open() {
        store = new LocalBlobStore("disk-1", "namespace-1", root, Durability.SYNC, true, () -> now, TINY);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void a_store_does_as_a_map_does() throws IOException {
        System.out.println("seed " + seed);
        for (int step = 0; step < 2500; step++) {
            int dice = random.nextInt(1000);
            if (dice < 450) {
                put(freshOrOldId(), random.nextInt(20) == 0 ? 10_000 : 1 + random.nextInt(3000));
            } else if (dice < 800 && !model.isEmpty()) {
                BlobId id = anyOf(new ArrayList<>(model.keySet()));
                store.delete(id);
                model.remove(id);
                gone.add(id);
            } else if (dice < 850 && !gone.isEmpty()) {
                BlobId id = gone.remove(random.nextInt(gone.size()));
                put(id, 1 + random.nextInt(3000));
            } else if (dice < 900 && !gone.isEmpty()) {
                store.delete(anyOf(gone));
            } else if (dice < 905) {
                close();
                open();
            } else if (dice < 990) {
                List<BlobId> known = new ArrayList<>(random.nextInt(5) == 0 ? gone : model.keySet());
                read(known.isEmpty() ? freshOrOldId() : anyOf(known));
            } else {
                list(random.nextInt(4));
            }
            now = now.plusMillis(random.nextInt(500));
        }
        for (int start = 0; start < 2; start++) {
            for (BlobId id : model.keySet()) {
                read(id);
            }
            for (BlobId id : gone) {
                read(id);
            }
            for (int fanOut = 0; fanOut < 4; fanOut++) {
                list(fanOut);
            }
            close();
            open();
        }
        await("half of the packs, or more, are gone with what was dead in them, with seed " + seed)
                .until(() -> packs() < 70);
    }

    private long packs() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("packs"))) {
            return files.filter(path -> path.toString().endsWith(".pack")).count();
        }
    }

    private <T> T anyOf(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private BlobId freshOrOldId() {
        Instant second = random.nextInt(8) == 0 ? now.minusSeconds(random.nextInt(10_000)) : now;
        return BlobId.of(second.getEpochSecond(), 7, random.nextInt(4), random.nextLong());
    }

    private void put(BlobId id, int length) throws IOException {
        store.put(id, length, Bytes.stream(Bytes.of(id, length)));
        model.put(id, length);
    }

    private void read(BlobId id) throws IOException {
        Integer length = model.get(id);
        if (length == null) {
            assertThatExceptionOfType(BlobStoreException.class)
                    .as("blob %s with seed %d", id, seed)
                    .isThrownBy(() -> store.get(id, 0, 1))
                    .extracting(BlobStoreException::kind)
                    .isEqualTo(Kind.MISSING);
        } else {
            assertThat(Bytes.read(store.get(id, 0, length)))
                    .as("blob %s with seed %d", id, seed)
                    .isEqualTo(Bytes.of(id, length));
        }
    }

    private void list(int fanOut) throws IOException {
        Instant from = random.nextBoolean() ? Instant.EPOCH : BEGINNING.plusMillis(random.nextInt(800_000));
        Instant to = random.nextBoolean() ? Instant.MAX : from.plusMillis(random.nextInt(800_000));
        int limit = 1 + random.nextInt(50);
        List<StoredBlob> expected = model.entrySet().stream()
                .filter(blob -> blob.getKey().fanOut() == fanOut
                        && !blob.getKey().createdAt().isBefore(from)
                        && blob.getKey().createdAt().isBefore(to))
                .map(blob -> new StoredBlob(blob.getKey(), blob.getValue()))
                .toList();
        List<StoredBlob> listed = new ArrayList<>();
        BlobId after = null;
        while (true) {
            List<StoredBlob> page = store.list(fanOut, from, to, after, limit);
            listed.addAll(page);
            if (page.size() < limit) {
                break;
            }
            after = page.getLast().id();
        }
        assertThat(listed).as("fan-out %d with seed %d", fanOut, seed).isEqualTo(expected);
    }
}
