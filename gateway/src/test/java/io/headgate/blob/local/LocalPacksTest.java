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
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packs that are made, thinned out, replaced, removed, damaged, and left half-done by a crash. */
final class LocalPacksTest {
    private static final int LENGTH = 1000;
    /** A segment has room for 50 blobs. */
    private static final int PER_PACK = 50;

    private static final Journal.Sizes SIZES =
            new Journal.Sizes(2 << 10, 128 << 10, 128 << 10, 16 << 10, PER_PACK, 4, Duration.ofMinutes(10));

    @TempDir
    private Path parent;

    private Path root;
    private LocalBlobStore store;

    @BeforeEach
    void openForTheFirstTime() {
        root = parent.resolve("disk");
        store = open(root, true);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static LocalBlobStore open(Path directory, boolean firstUse) {
        return new LocalBlobStore(
                "disk-1", "namespace-1", directory, Durability.SYNC, firstUse, Clock.systemUTC(), SIZES);
    }

    private void reopen() {
        store.close();
        store = open(root, false);
    }

    /** As after a crash of the process: what the directory holds just now. */
    private void reopenCopy() throws IOException {
        Path copy = parent.resolve("copy");
        copy(root, copy);
        store.close();
        root = copy;
        store = open(root, false);
    }

    /** Without the segments that are made ahead just now, which no store misses. */
    static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Files.createDirectory(to.resolve(from.relativize(directory).toString()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!isMadeAhead(file)) {
                    Files.copy(file, to.resolve(from.relativize(file).toString()));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (isMadeAhead(file)) {
                    return FileVisitResult.CONTINUE; // it has another name by now
                }
                throw failure;
            }
        });
    }

    private static boolean isMadeAhead(Path file) {
        return file.toString().endsWith(".tmp") || file.toString().endsWith(".spare");
    }

    private List<BlobId> put(int count) throws IOException {
        List<BlobId> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            BlobId id = Bytes.freshId();
            put(id);
            ids.add(id);
        }
        return ids;
    }

    private void put(BlobId id) throws IOException {
        store.put(id, LENGTH, Bytes.stream(Bytes.of(id, LENGTH)));
    }

    private void delete(Iterable<BlobId> ids) throws IOException {
        for (BlobId id : ids) {
            store.delete(id);
        }
    }

    private void assertPresent(Iterable<BlobId> ids) throws IOException {
        for (BlobId id : ids) {
            assertThat(Bytes.read(store.get(id, 0, LENGTH))).isEqualTo(Bytes.of(id, LENGTH));
        }
    }

    private void assertMissing(Iterable<BlobId> ids) {
        for (BlobId id : ids) {
            assertThatExceptionOfType(BlobStoreException.class)
                    .isThrownBy(() -> store.get(id, 0, 1))
                    .extracting(BlobStoreException::kind)
                    .isEqualTo(Kind.MISSING);
        }
    }

    private void assertListed(List<BlobId> ids) throws IOException {
        Set<BlobId> listed = new HashSet<>();
        for (int fanOut = 0; fanOut < BlobId.FAN_OUT; fanOut++) {
            for (StoredBlob blob : store.list(fanOut, Instant.EPOCH, Instant.MAX, null, 5000)) {
                listed.add(blob.id());
            }
        }
        assertThat(listed).hasSameElementsAs(ids);
    }

    private List<Path> files(String suffix) {
        try (Stream<Path> all = Files.list(root.resolve("packs"))) {
            return all.filter(path -> path.toString().endsWith(suffix)).sorted().toList();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static List<BlobId> every(int nth, List<BlobId> ids) {
        List<BlobId> some = new ArrayList<>();
        for (int i = 0; i < ids.size(); i += nth) {
            some.add(ids.get(i));
        }
        return some;
    }

    private static List<BlobId> without(List<BlobId> gone, List<BlobId> ids) {
        List<BlobId> left = new ArrayList<>(ids);
        left.removeAll(new HashSet<>(gone));
        return left;
    }

    private static void overwrite(Path file, long at, byte... bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), at);
        }
    }

    @Test
    void packs_without_a_live_blob_are_removed() throws Exception {
        List<BlobId> ids = put(3 * PER_PACK + 1);
        delete(ids.subList(0, 3 * PER_PACK));
        put(PER_PACK);
        await().until(() -> !Files.exists(root.resolve("packs/00000001.pack"))
                && !Files.exists(root.resolve("packs/00000002.index")));
        assertPresent(ids.subList(3 * PER_PACK, ids.size()));
        reopen();
        assertMissing(ids.subList(0, 3 * PER_PACK));
    }

    @Test
    void readers_notice_nothing_while_packs_are_compacted() throws Exception {
        List<BlobId> ids = put(8 * PER_PACK);
        List<BlobId> kept = every(4, ids);
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService readers = Executors.newFixedThreadPool(3)) {
            List<Future<?>> reads = new ArrayList<>();
            for (int reader = 0; reader < 3; reader++) {
                reads.add(readers.submit(() -> {
                    do {
                        assertPresent(kept);
                    } while (!over.get());
                    return null;
                }));
            }
            delete(without(kept, ids));
            put(PER_PACK);
            await().until(() -> !Files.exists(root.resolve("packs/00000001.pack"))
                    && !Files.exists(root.resolve("packs/00000008.pack")));
            over.set(true);
            for (Future<?> read : reads) {
                read.get();
            }
        }
        reopen();
        assertPresent(kept);
        assertMissing(without(kept, ids));
    }

    @Test
    void packs_that_a_crash_left_beside_the_one_that_replaced_them_are_removed() throws Exception {
        List<BlobId> ids = put(2 * PER_PACK);
        List<BlobId> kept = every(4, ids);
        store.close();
        List<Path> packs = files(".pack");
        Path aside = parent.resolve("aside");
        copy(root.resolve("packs"), aside);
        try (Packs opened = openPacks()) {
            for (BlobId id : without(kept, ids)) {
                opened.delete(id);
            }
            new Compaction(opened, opened.all(), 77).run();
        }
        assertThat(files(".pack")).containsExactly(root.resolve("packs/00000077.pack"));
        for (Path file : List.of(packs.get(0), packs.get(1))) {
            String name = file.getFileName().toString();
            Files.copy(aside.resolve(name), file);
            String index = name.replace(".pack", ".index");
            Files.copy(aside.resolve(index), root.resolve("packs").resolve(index));
        }
        store = open(root, false);
        assertThat(packs).noneMatch(Files::exists);
        assertPresent(kept);
        assertMissing(without(kept, ids));
    }

    @Test
    void a_pack_of_which_a_live_blob_cannot_be_read_is_not_compacted() throws Exception {
        List<BlobId> ids = put(PER_PACK);
        store.close();
        Path pack = files(".pack").getFirst();
        overwrite(pack, Segment.HEADER_BYTES + 1100, (byte) 1, (byte) 2, (byte) 3); // in the second blob
        try (Packs opened = openPacks()) {
            opened.delete(ids.getLast());
            new Compaction(opened, opened.all(), 77).run();
        }
        assertThat(files(".pack")).containsExactly(pack);
        assertThat(files(".tmp")).isEmpty();
    }

    private Packs openPacks() throws IOException {
        BlobFiles files = new BlobFiles(root.resolve("blobs"), Clock.systemUTC());
        return PackRecovery.open(root.resolve("packs"), files, true, 4).packs();
    }

    @Test
    void what_was_not_finished_and_an_index_without_a_pack_are_removed() throws Exception {
        List<BlobId> ids = put(PER_PACK);
        store.close();
        Path packs = root.resolve("packs");
        Files.writeString(packs.resolve("00000099.pack.tmp"), "half a pack");
        Files.writeString(packs.resolve("7.spare.tmp"), "half a segment");
        Files.copy(files(".index").getFirst(), packs.resolve("00000077.index"));
        reopen();
        assertThat(packs.resolve("00000099.pack.tmp")).doesNotExist();
        assertThat(packs.resolve("00000077.index")).doesNotExist();
        assertPresent(ids);
        assertListed(ids);
    }

    @Test
    void a_damaged_or_missing_index_is_made_again_from_the_pack() throws Exception {
        List<BlobId> ids = put(3 * PER_PACK);
        store.close();
        List<Path> indexes = files(".index");
        overwrite(indexes.get(0), 100, (byte) 1); // the header
        overwrite(indexes.get(1), PackIndex.HEADER_BYTES + 20, (byte) 77); // an entry
        Files.delete(indexes.get(2));
        reopen();
        assertPresent(ids);
        assertListed(ids);
        await().until(() -> files(".index").size() == 3);
        reopen();
        assertPresent(ids);
    }

    @Test
    void blobs_stay_deleted_when_an_entry_of_their_index_is_damaged() throws Exception {
        List<BlobId> ids = put(PER_PACK);
        reopen();
        List<BlobId> deleted = every(5, ids);
        delete(deleted);
        reopen();
        BlobId last = ids.stream().max(BlobId::compareTo).orElseThrow();
        overwrite(
                files(".index").getFirst(), PackIndex.HEADER_BYTES + (PER_PACK - 1L) * PackIndex.ENTRY_BYTES, (byte) 1);
        List<BlobId> alive = without(deleted, ids);
        assertPresent(alive);
        assertMissing(
                deleted.stream().filter(id -> id.fanOut() != last.fanOut()).toList());
    }

    @Test
    void a_damaged_mark_makes_no_blob_look_deleted() throws Exception {
        List<BlobId> ids = put(PER_PACK);
        store.close();
        long marks = PackIndex.HEADER_BYTES + (long) PER_PACK * PackIndex.ENTRY_BYTES;
        overwrite(files(".index").getFirst(), marks, (byte) 0, (byte) 0, (byte) 0, (byte) 3, (byte) 1);
        reopen();
        assertPresent(ids);
        delete(ids.subList(0, 10));
        reopen();
        assertMissing(ids.subList(0, 10));
        assertPresent(ids.subList(10, PER_PACK));
    }

    @Test
    void deletions_are_repeated_when_the_indexes_have_lost_their_marks() throws Exception {
        List<BlobId> ids = put(PER_PACK);
        reopen();
        Path index = files(".index").getFirst();
        byte[] unmarked = Files.readAllBytes(index);
        List<BlobId> deleted = every(5, ids);
        delete(deleted);
        Path copy = parent.resolve("copy");
        copy(root, copy);
        store.close();
        root = copy;
        Files.write(files(".index").getFirst(), unmarked);
        store = open(root, false);
        assertMissing(deleted);
        reopen();
        assertMissing(deleted);
        assertPresent(without(deleted, ids));
    }

    @Test
    void without_the_mark_of_what_is_settled_no_blob_is_lost() throws Exception {
        BlobId movedBack = BlobId.of(1_700_000_000, 1, 2, 3);
        List<BlobId> ids = put(2 * PER_PACK);
        put(movedBack);
        store.delete(movedBack);
        put(movedBack);
        store.close();
        Files.write(root.resolve("packs/settled"), new byte[8192]);
        reopen();
        assertPresent(ids);
        assertPresent(List.of(movedBack));
        List<BlobId> more = put(PER_PACK);
        reopen();
        assertPresent(more);
    }

    @Test
    void a_blob_that_is_put_again_as_a_file_survives_the_repetition_of_its_deletion() throws Exception {
        BlobId movedBack = BlobId.of(1_700_000_000, 1, 2, 3);
        put(movedBack);
        store.delete(movedBack);
        put(movedBack);
        reopenCopy();
        assertPresent(List.of(movedBack));
        store.delete(movedBack);
        reopen();
        assertMissing(List.of(movedBack));
    }

    @Test
    void a_small_blob_with_an_old_id_is_a_file() throws Exception {
        BlobId old = BlobId.of(1_700_000_000, 1, 0xab, 3);
        put(old);
        assertThat(root.resolve("blobs/ab/6553/" + old)).hasBinaryContent(Bytes.of(old, LENGTH));
        assertListed(List.of(old));
    }

    @Test
    void generations_are_not_used_again_when_all_packs_are_gone() throws Exception {
        List<BlobId> ids = put(PER_PACK);
        delete(ids);
        reopen();
        await().until(() -> files(".pack").isEmpty());
        reopen();
        List<BlobId> later = put(10);
        assertThat(files(".pack").getFirst().getFileName().toString()).isGreaterThan("00000002.pack");
        reopenCopy();
        assertPresent(later);
    }

    /** Files for all blobs, some not written to their end, and a journal of segments that are used over and over. */
    @Test
    void a_directory_of_the_version_before_packs_is_taken_over() throws Exception {
        store.close();
        BlobId inFile = BlobId.of(1_700_000_000, 1, 0xab, 3);
        BlobId deleted = BlobId.of(1_700_000_001, 1, 0xab, 4);
        BlobId journaled = BlobId.of(1_700_000_002, 1, 0xab, 5);
        root = Files.createDirectory(parent.resolve("earlier"));
        Files.writeString(root.resolve("headgate-account"), "disk-1\nnamespace namespace-1\n");
        Path blobs = Files.createDirectories(root.resolve("blobs/ab/6553"));
        Files.write(blobs.resolve(inFile.toString()), Bytes.of(inFile, LENGTH));
        Files.write(blobs.resolve(deleted.toString()), Bytes.of(deleted, LENGTH));
        Files.write(blobs.resolve(journaled.toString()), new byte[3]);
        Path journal = Files.createDirectory(root.resolve("journal"));
        Files.write(journal.resolve("0000.journal"), earlierSegment(1, 7, journaled, deleted));
        Files.write(journal.resolve("0001.journal"), earlierSegment(0, 6, deleted, inFile));

        store = open(root, false);

        assertPresent(List.of(inFile, journaled));
        assertMissing(List.of(deleted));
        assertThat(journal.resolve("0000.journal")).doesNotExist();
        assertThat(journal.resolve("0001.journal")).doesNotExist();
        assertThat(root.resolve("headgate-account")).hasContent("disk-1 (format 2)\nnamespace namespace-1\n");
    }

    /** Bytes 0 to 31: magic, state, generation, salt, sum; at 4096 a batch with one put and one deletion. */
    private static byte[] earlierSegment(int state, long generation, BlobId put, BlobId deleted) {
        long salt = 0x5a17;
        ByteBuffer segment = ByteBuffer.allocate(16 << 10);
        segment.putInt(0, 0x48474A31).putInt(4, state).putLong(8, generation).putLong(16, salt);
        segment.putInt(24, sum(segment.slice(0, 24)));
        ByteBuffer content = ByteBuffer.allocate(24 + LENGTH + 24);
        Segment.writeRecordHeader(content.slice(0, 24), Segment.PUT, LENGTH, put);
        content.put(24, Bytes.of(put, LENGTH));
        Segment.writeRecordHeader(content.slice(24 + LENGTH, 24), Segment.DELETE, 0, deleted);
        ByteBuffer salted =
                ByteBuffer.allocate(8 + content.capacity()).putLong(0, salt).put(8, content.array());
        segment.putInt(4096, 0x48474231).putInt(4100, content.capacity()).putLong(4104, salt);
        segment.putInt(4112, sum(salted)).put(4120, content.array());
        return segment.array();
    }

    private static int sum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
