package io.headgate.blob.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.blob.Bytes;
import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be read of a segment, damaged or not. */
final class SegmentTest {
    @TempDir
    private Path root;

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
        try (Segment segment = Segment.openToRead(path)) {
            return visit(segment, new ArrayList<>());
        }
    }

    private static void spoil(Path segment, int batch) throws IOException {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1}), Segment.HEADER_BYTES + 148L * batch + 60);
        }
    }

    private static List<BlobId> threeBatches(Path path) throws IOException {
        List<BlobId> ids = new ArrayList<>();
        Segment.allocate(path, 1 << 20);
        try (Segment segment = Segment.openToAppend(path)) {
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
    void a_segment_with_a_damaged_header_is_read_by_the_salt_of_its_first_batch() throws Exception {
        Path path = root.resolve("segment");
        List<BlobId> ids = threeBatches(path);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(Segment.HEADER_BYTES), 0);
        }
        assertThat(putsIn(path)).isEqualTo(ids);
    }

    private static List<BlobId> putsIn(Path path) throws IOException {
        List<BlobId> puts = new ArrayList<>();
        try (Segment segment = Segment.openToRead(path)) {
            visit(segment, puts);
        }
        return puts;
    }

    private static Segment.Damage visit(Segment segment, List<BlobId> puts) throws IOException {
        return segment.visit(new Segment.Visitor() {
            @Override
            public void put(BlobId id, int offset, ByteBuffer bytes) {
                puts.add(id);
            }

            @Override
            public void delete(BlobId id) {}

            @Override
            public void kept(BlobId id) {}
        });
    }
}
