package io.headgate.blob.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.blob.Bytes;
import io.headgate.domain.BlobId;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed while it writes; what it acknowledged must be there, whole, and nothing else must stay that was deleted. */
final class LocalCrashTest {
    private static final int ACKNOWLEDGED = 800;

    private final Random random = new Random(5);

    @TempDir
    private Path root;

    private final Set<BlobId> put = new LinkedHashSet<>();
    private final Set<BlobId> deleted = new LinkedHashSet<>();

    private void writeAndKill(String sizes) throws Exception {
        Process writer = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CrashingWriter.class.getName(),
                        root.toString(),
                        sizes)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said = writer.inputReader()) {
            String line;
            while ((line = said.readLine()) != null) {
                if (line.length() == 38) { // the last line may be torn
                    BlobId id = BlobId.parse(line.substring(2));
                    (line.charAt(0) == 'P' ? put : deleted).add(id);
                }
                if (put.size() + deleted.size() == ACKNOWLEDGED) {
                    writer.toHandle().destroyForcibly(); // unlike the process, leaves the stream open
                }
            }
        }
        writer.waitFor();
        assertThat(put.size() + deleted.size()).isGreaterThanOrEqualTo(ACKNOWLEDGED);
    }

    private BlobStore reopen(Journal.Sizes sizes) {
        return new LocalBlobStore("disk-1", "namespace-1", root, Durability.SYNC, false, Clock.systemUTC(), sizes);
    }

    private void assertAcknowledgedIsTrue(BlobStore store) throws IOException {
        for (BlobId id : put) {
            if (!deleted.contains(id)) {
                int length = CrashingWriter.lengthOf(id);
                // A blob whose deletion was under way, and not acknowledged, may be gone.
                byte[] bytes = bytesOrNull(store, id, length);
                if (bytes != null) {
                    assertThat(bytes).isEqualTo(Bytes.of(id, length));
                } else {
                    undecided.add(id);
                }
            }
        }
        assertThat(undecided).hasSizeLessThanOrEqualTo(8);
        for (BlobId id : deleted) {
            assertThat(bytesOrNull(store, id, 1)).isNull();
        }
    }

    private final Set<BlobId> undecided = new HashSet<>();

    private static byte[] bytesOrNull(BlobStore store, BlobId id, int length) throws IOException {
        try {
            return Bytes.read(store.get(id, 0, length));
        } catch (BlobStoreException failure) {
            assertThat(failure.kind()).isEqualTo(Kind.MISSING);
            return null;
        }
    }

    @Test
    void acknowledged_blobs_are_whole_though_the_operating_system_lost_their_files() throws Exception {
        writeAndKill("kept");
        int spoiled = 0;
        for (BlobId id : journalled(true)) {
            spoil(id);
            spoiled++;
        }
        assertThat(spoiled).isGreaterThan(300);
        try (BlobStore store = reopen(CrashingWriter.KEPT)) {
            assertAcknowledgedIsTrue(store);
        }
        assertThat(SegmentPool.isClean(root.resolve("journal"))).isTrue();
        try (BlobStore store = reopen(CrashingWriter.KEPT)) {
            assertAcknowledgedIsTrue(store);
        }
    }

    @Test
    void deleted_blobs_are_gone_though_the_operating_system_lost_the_deletion() throws Exception {
        writeAndKill("kept");
        List<BlobId> revived = journalled(false);
        assertThat(revived).hasSizeGreaterThan(50);
        for (BlobId id : revived) {
            Files.createDirectories(file(id).getParent());
            Files.write(file(id), Bytes.of(id, CrashingWriter.lengthOf(id)));
        }
        try (BlobStore store = reopen(CrashingWriter.KEPT)) {
            assertAcknowledgedIsTrue(store);
            Set<BlobId> listed = new HashSet<>();
            for (int fanOut = 0; fanOut < BlobId.FAN_OUT; fanOut++) {
                store.list(fanOut, Instant.EPOCH, Instant.ofEpochSecond(BlobId.MAX_SECOND), null, 5000)
                        .forEach(blob -> listed.add(blob.id()));
            }
            assertThat(listed).doesNotContainAnyElementsOf(revived);
        }
    }

    @Test
    void acknowledged_blobs_are_whole_when_segments_were_used_again_many_times() throws Exception {
        for (int crash = 0; crash < 2; crash++) {
            put.clear();
            deleted.clear();
            undecided.clear();
            writeAndKill("recycled");
            for (BlobId id : journalled(true)) {
                spoil(id);
            }
            try (BlobStore store = reopen(CrashingWriter.RECYCLED)) {
                assertAcknowledgedIsTrue(store);
            }
        }
    }

    @Test
    void a_store_that_was_closed_has_nothing_to_repeat() throws Exception {
        BlobId id = Bytes.freshId();
        try (BlobStore store =
                new LocalBlobStore("disk-1", "namespace-1", root, Durability.SYNC, true, Clock.systemUTC())) {
            store.put(id, 1000, Bytes.stream(Bytes.of(id, 1000)));
        }
        assertThat(SegmentPool.isClean(root.resolve("journal"))).isTrue();
        assertThat(Files.readAllBytes(file(id))).isEqualTo(Bytes.of(id, 1000));
    }

    @Test
    void a_run_without_forcing_repeats_what_a_durable_run_left() throws Exception {
        writeAndKill("kept");
        for (BlobId id : journalled(true)) {
            spoil(id);
        }
        try (BlobStore store =
                new LocalBlobStore("disk-1", "namespace-1", root, Durability.NONE, false, Clock.systemUTC())) {
            assertAcknowledgedIsTrue(store);
        }
    }

    @Test
    void a_torn_last_batch_is_dropped_and_told_of() throws Exception {
        Path path = root.resolve("segment");
        List<BlobId> ids = threeBatches(path);
        assertThat(damageOf(path)).isEqualTo(new Segment.Damage(0, 0, 0));
        spoil(path, 2);
        assertThat(putsIn(path)).isEqualTo(ids.subList(0, 2));
        assertThat(damageOf(path)).isEqualTo(new Segment.Damage(0, 0, 124));
    }

    @Test
    void batches_after_a_damaged_one_are_repeated_and_the_damage_is_told_of() throws Exception {
        Path path = root.resolve("segment");
        List<BlobId> ids = threeBatches(path);
        spoil(path, 1);
        assertThat(putsIn(path)).containsExactly(ids.get(0), ids.get(2));
        assertThat(damageOf(path)).isEqualTo(new Segment.Damage(1, 148, 0));
    }

    private static Segment.Damage damageOf(Path path) throws IOException {
        try (Segment segment = Segment.open(path, 1)) {
            return visit(segment, new ArrayList<>(), new ArrayList<>());
        }
    }

    private static void spoil(Path segment, int batch) throws IOException {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1}), Segment.HEADER_BYTES + 148L * batch + 60);
        }
    }

    private static List<BlobId> threeBatches(Path path) throws IOException {
        List<BlobId> ids = new ArrayList<>();
        try (Segment segment = Segment.create(path, 1 << 20)) {
            segment.begin(1);
            for (int i = 0; i < 3; i++) {
                BlobId id = Bytes.freshId();
                ids.add(id);
                ByteBuffer batch = ByteBuffer.allocate(Segment.BATCH_HEADER_BYTES + Segment.RECORD_HEADER_BYTES + 100);
                Segment.writeRecordHeader(batch.slice(Segment.BATCH_HEADER_BYTES, 124), Segment.PUT, 100, id);
                segment.append(batch, 1);
            }
        }
        return ids;
    }

    @Test
    void batches_of_an_earlier_use_are_not_repeated() throws Exception {
        Path path = root.resolve("segment");
        BlobId id = Bytes.freshId();
        try (Segment segment = Segment.create(path, 1 << 20)) {
            for (int use = 1; use <= 2; use++) {
                segment.begin(use);
                for (int i = 0; i < 5 - use; i++) {
                    ByteBuffer batch = ByteBuffer.allocate(Segment.BATCH_HEADER_BYTES + Segment.RECORD_HEADER_BYTES);
                    Segment.writeRecordHeader(batch.slice(Segment.BATCH_HEADER_BYTES, 24), Segment.PUT, 0, id);
                    segment.append(batch, 1);
                }
            }
        }
        assertThat(putsIn(path)).hasSize(3);
    }

    private static List<BlobId> putsIn(Path path) throws IOException {
        List<BlobId> puts = new ArrayList<>();
        try (Segment segment = Segment.open(path, 1)) {
            visit(segment, puts, new ArrayList<>());
        }
        return puts;
    }

    /** Loses, cuts or garbles the file, as a crash of the machine may. */
    private void spoil(BlobId id) throws IOException {
        switch (random.nextInt(4)) {
            case 0 -> Files.deleteIfExists(file(id));
            case 1 -> {
                if (Files.exists(file(id))) {
                    Files.write(file(id), new byte[0]);
                }
            }
            case 2 -> {
                if (Files.exists(file(id))) {
                    Files.write(file(id), new byte[CrashingWriter.lengthOf(id)]);
                }
            }
            default -> {
                // this one survived
            }
        }
    }

    private Path file(BlobId id) {
        String text = id.toString();
        return root.resolve("blobs/" + text.substring(0, 2) + "/" + text.substring(2, 6) + "/" + text);
    }

    /** What the journal still holds: blobs put and not deleted, or blobs deleted. */
    private List<BlobId> journalled(boolean alive) throws IOException {
        List<BlobId> puts = new ArrayList<>();
        List<BlobId> deletes = new ArrayList<>();
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(root.resolve("journal"), "*.journal")) {
            for (Path path : paths) {
                if (Segment.isInUse(path)) {
                    try (Segment segment = Segment.open(path, 1)) {
                        visit(segment, puts, deletes);
                    }
                }
            }
        }
        if (!alive) {
            return deletes;
        }
        Set<BlobId> gone = new HashSet<>(deletes);
        puts.removeIf(gone::contains);
        return puts;
    }

    private static Segment.Damage visit(Segment segment, List<BlobId> puts, List<BlobId> deletes) throws IOException {
        return segment.visit(new Segment.Visitor() {
            @Override
            public void put(BlobId id, int length, long offset) {
                puts.add(id);
            }

            @Override
            public void delete(BlobId id) {
                deletes.add(id);
            }
        });
    }

    @Test
    void one_process_at_a_time_has_the_directory() throws Exception {
        try (BlobStore first =
                        new LocalBlobStore("disk-1", "namespace-1", root, Durability.SYNC, true, Clock.systemUTC());
                BlobStore second =
                        new LocalBlobStore("disk-1", "namespace-1", root, Durability.SYNC, true, Clock.systemUTC())) {
            first.probe(Bytes.freshId());
            assertThatExceptionOfType(BlobStoreException.class)
                    .isThrownBy(() -> second.probe(Bytes.freshId()))
                    .withMessageContaining("in use");
        }
    }
}
