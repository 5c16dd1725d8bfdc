package io.headgate.blob.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.Bytes;
import io.headgate.domain.BlobId;
import io.headgate.domain.BodyException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.MultipartUpload;

/** What is particular to blobs that are put in parts, over S3Proxy, which takes no smaller ones than S3. */
final class S3MultipartTest {
    private static final int PART_BYTES = 5 << 20;
    private static final Instant SECOND = Instant.ofEpochSecond(1_800_000_000);

    private S3Settings settings;
    private S3Client service;
    private BlobStore store;

    @BeforeEach
    void open() {
        service = TestService.client();
        settings = TestService.settings(TestService.endpoint(), PART_BYTES);
        store = new S3BlobStore("s3-1", settings, TestService.memory());
    }

    @AfterEach
    void close() {
        store.close();
        service.close();
    }

    private void put(BlobId id, int length) throws IOException {
        store.put(id, length, Bytes.stream(Bytes.of(id, length)));
    }

    private static BlobId id(Instant stamp) {
        return BlobId.of(stamp.getEpochSecond(), 5, 9, stamp.getEpochSecond());
    }

    private List<MultipartUpload> uploads() {
        return service.listMultipartUploads(
                        list -> list.bucket(TestService.BUCKET).prefix(settings.prefix()))
                .uploads();
    }

    private String beginUpload(BlobId id) {
        return service.createMultipartUpload(
                        create -> create.bucket(TestService.BUCKET).key(settings.prefix() + id))
                .uploadId();
    }

    private List<StoredBlob> listed(BlobId id) throws Exception {
        return store.list(id.fanOut(), Instant.EPOCH, Instant.MAX, null, 1000);
    }

    @Test
    void a_body_that_breaks_in_a_later_part_leaves_no_upload() throws Exception {
        BlobId id = Bytes.freshId();
        BodyException fault = new BodyException("hung up");
        InputStream breaking = new SequenceInputStream(Bytes.stream(new byte[2 * PART_BYTES]), new InputStream() {
            @Override
            public int read() throws BodyException {
                throw fault;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws BodyException {
                throw fault;
            }
        });
        assertThatThrownBy(() -> store.put(id, 3 * PART_BYTES, breaking)).isSameAs(fault);
        assertThat(uploads()).isEmpty();
        assertThat(listed(id)).isEmpty();
    }

    @Test
    void it_is_foreseen_how_many_requests_a_put_takes() {
        assertThat(store.putRequests(PART_BYTES)).as("whole").isEqualTo(1);
        assertThat(store.putRequests(PART_BYTES + 1))
                .as("beginning, two parts, end")
                .isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES, 2 * PART_BYTES + 77})
    void a_blob_of_several_parts_reads_as_it_was_put(int length) throws Exception {
        BlobId id = Bytes.freshId();
        put(id, length);

        assertThat(Bytes.read(store.get(id, 0, length))).isEqualTo(Bytes.of(id, length));
        assertThat(Bytes.read(store.get(id, PART_BYTES - 10, 10))).hasSize(10);
        assertThat(listed(id)).containsExactly(new StoredBlob(id, length));
        assertThat(uploads()).isEmpty();
        String checksum = service.headObject(head -> head.bucket(TestService.BUCKET)
                        .key(settings.prefix() + id)
                        .checksumMode(ChecksumMode.ENABLED))
                .checksumCRC32C();
        assertThat(checksum).as("the service has checked the bytes").isNotEmpty();
        store.delete(id);
        assertThat(listed(id)).isEmpty();
    }

    @Test
    void services_without_new_checksums_are_sent_the_old_one() throws Exception {
        S3Settings old = new S3Settings(
                settings.endpoint(),
                settings.region(),
                settings.bucket(),
                settings.prefix(),
                true,
                settings.credentials(),
                S3Settings.Checksum.MD5,
                settings.maxConnections(),
                settings.stallTimeout(),
                PART_BYTES);
        try (BlobStore other = new S3BlobStore("s3-2", old, TestService.memory())) {
            for (int length : new int[] {1000, PART_BYTES + 1000}) {
                BlobId id = Bytes.freshId();
                other.put(id, length, Bytes.stream(Bytes.of(id, length)));
                assertThat(Bytes.read(store.get(id, 0, length))).isEqualTo(Bytes.of(id, length));
            }
        }
    }

    @Test
    void an_upload_that_a_dead_gateway_left_is_listed_and_deleted() throws Exception {
        BlobId whole = id(SECOND);
        BlobId half = id(SECOND.plusSeconds(1));
        put(whole, 100);
        beginUpload(half);
        beginUpload(half);

        assertThat(listed(half)).containsExactly(new StoredBlob(whole, 100), new StoredBlob(half, 0));
        assertThat(store.list(9, Instant.EPOCH, Instant.MAX, null, 1)).containsExactly(new StoredBlob(whole, 100));
        assertThat(store.list(9, Instant.EPOCH, Instant.MAX, whole, 1)).containsExactly(new StoredBlob(half, 0));
        assertThat(store.list(9, Instant.EPOCH, half.createdAt(), null, 9)).containsExactly(new StoredBlob(whole, 100));

        store.delete(half);
        assertThat(uploads()).isEmpty();
        assertThat(listed(half)).containsExactly(new StoredBlob(whole, 100));
    }

    @Test
    void foreign_objects_below_the_prefix_are_not_listed() throws Exception {
        BlobId id = Bytes.freshId();
        put(id, 10);
        String fanOut = id.toString().substring(0, 2);
        for (String foreign : List.of(fanOut, fanOut + "000000-readme", fanOut + "zz", id + ".tmp")) {
            service.putObject(
                    put -> put.bucket(TestService.BUCKET).key(settings.prefix() + foreign),
                    RequestBody.fromString("x"));
        }
        assertThat(listed(id)).containsExactly(new StoredBlob(id, 10));
    }
}
