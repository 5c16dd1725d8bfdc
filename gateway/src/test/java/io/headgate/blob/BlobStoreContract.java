package io.headgate.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.domain.BlobId;
import io.headgate.domain.BodyException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every kind of account does. */
public abstract class BlobStoreContract {
    private static final Instant SECOND = Instant.ofEpochSecond(1_800_000_000);

    protected BlobStore store;

    /** An empty store. */
    protected abstract BlobStore openStore() throws Exception;

    @BeforeEach
    void openTheStore() throws Exception {
        store = openStore();
    }

    @AfterEach
    void closeTheStore() {
        store.close();
    }

    protected static void put(BlobStore store, BlobId id, int length) throws IOException {
        store.put(id, length, Bytes.stream(Bytes.of(id, length)));
    }

    protected static byte[] get(BlobStore store, BlobId id, int length) throws IOException {
        return Bytes.read(store.get(id, 0, length));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 65_536, 65_537, 131_072, 131_073, 3_000_001})
    void a_blob_reads_as_it_was_put(int length) throws Exception {
        BlobId id = Bytes.freshId();
        put(store, id, length);
        assertThat(get(store, id, length)).isEqualTo(Bytes.of(id, length));
    }

    @Test
    void a_check_of_the_store_passes_and_leaves_nothing() throws Exception {
        BlobId id = Bytes.freshId();

        StoreCheck.Report report = StoreCheck.run(store, id, Clock.systemUTC());

        assertThat(report.passed()).as("%s", report).isTrue();
        for (StoreCheck.Step step : StoreCheck.Step.values()) {
            assertThat(report.passed(step))
                    .as("%s", report)
                    .isEqualTo(
                            step != StoreCheck.Step.CLOCK || store.serviceTime().isPresent());
        }
        assertThat(store.list(id.fanOut(), Instant.EPOCH, Instant.MAX, null, 1000))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {5000, 200_000})
    void a_run_of_a_blob_reads_as_that_run(int length) throws Exception {
        BlobId id = Bytes.freshId();
        put(store, id, length);
        byte[] whole = Bytes.of(id, length);
        assertThat(Bytes.read(store.get(id, 0, 1))).isEqualTo(Arrays.copyOf(whole, 1));
        assertThat(Bytes.read(store.get(id, 1234, 777))).isEqualTo(Arrays.copyOfRange(whole, 1234, 2011));
        assertThat(Bytes.read(store.get(id, length - 1, 1))).isEqualTo(Arrays.copyOfRange(whole, length - 1, length));
    }

    @ParameterizedTest
    @ValueSource(ints = {5000, 200_000})
    void a_run_beyond_the_end_is_missing(int length) throws Exception {
        BlobId id = Bytes.freshId();
        put(store, id, length);
        assertMissing(id, length, 1);
        assertMissing(id, length - 10, 11);
        assertMissing(id, Long.MAX_VALUE, 1);
    }

    @Test
    void a_blob_that_was_never_put_is_missing() {
        assertMissing(Bytes.freshId(), 0, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {5000, 200_000})
    void a_deleted_blob_is_missing(int length) throws Exception {
        BlobId id = Bytes.freshId();
        put(store, id, length);
        store.delete(id);
        assertMissing(id, 0, 1);
        assertThat(all(id.fanOut())).isEmpty();
    }

    @Test
    void deleting_what_is_not_there_succeeds() throws Exception {
        BlobId id = Bytes.freshId();
        store.delete(id);
        put(store, id, 10);
        store.delete(id);
        store.delete(id);
        assertMissing(id, 0, 1);
    }

    @Test
    void an_open_channel_survives_the_deletion_of_its_blob() throws Exception {
        BlobId id = Bytes.freshId();
        put(store, id, 300_000);
        ReadableByteChannel channel = store.get(id, 0, 300_000);
        store.delete(id);
        assertThat(Bytes.read(channel)).isEqualTo(Bytes.of(id, 300_000));
    }

    @ParameterizedTest
    @ValueSource(ints = {5000, 200_000})
    void a_body_that_fails_leaves_no_blob_and_passes_unchanged(int length) {
        BlobId id = Bytes.freshId();
        BodyException fault = new BodyException("hung up");
        InputStream body = new InputStream() {
            private int left = length - 1;

            @Override
            public int read() throws IOException {
                if (left-- == 0) {
                    throw fault;
                }
                return 'x';
            }

            @Override
            public int read(byte[] target, int offset, int count) throws IOException {
                target[offset] = (byte) read();
                return 1;
            }
        };
        assertThatThrownBy(() -> store.put(id, length, body)).isSameAs(fault);
        assertMissing(id, 0, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {5000, 200_000})
    void a_body_that_fails_its_verification_at_the_end_leaves_no_blob(int length) throws Exception {
        BlobId id = Bytes.freshId();
        InputStream body = new InputStream() {
            private int left = length;

            @Override
            public int read() throws IOException {
                if (left == 0) {
                    throw new BodyException("wrong checksum");
                }
                left--;
                return 'x';
            }

            @Override
            public int read(byte[] target, int offset, int count) throws IOException {
                target[offset] = (byte) read();
                return 1;
            }
        };
        assertThatExceptionOfType(BodyException.class).isThrownBy(() -> store.put(id, length, body));
        assertMissing(id, 0, 1);
        assertThat(all(id.fanOut())).isEmpty();
        store.delete(id);
    }

    @ParameterizedTest
    @ValueSource(ints = {5000, 200_000})
    void a_body_that_ends_early_or_late_leaves_no_blob(int length) {
        BlobId id = Bytes.freshId();
        byte[] bytes = Bytes.of(id, length);
        assertThatExceptionOfType(BodyException.class).isThrownBy(() -> store.put(id, length + 1, Bytes.stream(bytes)));
        assertMissing(id, 0, 1);
        assertThatExceptionOfType(BodyException.class).isThrownBy(() -> store.put(id, length - 1, Bytes.stream(bytes)));
        assertMissing(id, 0, 1);
    }

    @Test
    void a_list_has_the_blobs_of_its_fan_out_and_window_in_order() throws Exception {
        List<BlobId> ids = new ArrayList<>();
        long[] seconds = {0, 1, 59, 60, 65_535, 65_536, 200_000};
        for (long second : seconds) {
            for (int random = 0; random < 3; random++) {
                ids.add(id(7, SECOND.plusSeconds(second)));
            }
            put(store, id(8, SECOND.plusSeconds(second)), 10);
        }
        for (BlobId id : ids) {
            put(store, id, 100);
        }
        ids.sort(Comparator.naturalOrder());
        assertThat(list(7, SECOND, SECOND.plusSeconds(200_001), null, 5000)).isEqualTo(ids);
        assertThat(list(7, SECOND.plusSeconds(1), SECOND.plusSeconds(65_536), null, 5000))
                .isEqualTo(ids.subList(3, 15));
        assertThat(list(7, SECOND, SECOND, null, 5000)).isEmpty();
        assertThat(list(9, SECOND, SECOND.plusSeconds(200_001), null, 5000)).isEmpty();
    }

    @Test
    void a_list_goes_on_after_its_last_blob() throws Exception {
        List<BlobId> ids = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            BlobId id = id(3, SECOND.plusSeconds(30_000L * (i / 2)));
            ids.add(id);
            put(store, id, 1);
        }
        ids.sort(Comparator.naturalOrder());
        List<BlobId> seen = new ArrayList<>();
        List<BlobId> page = list(3, SECOND, Instant.MAX, null, 3);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(3);
            seen.addAll(page);
            page = list(3, SECOND, Instant.MAX, page.getLast(), 3);
        }
        assertThat(seen).isEqualTo(ids);
    }

    @Test
    void a_list_says_how_long_blobs_are() throws Exception {
        BlobId small = id(1, SECOND);
        BlobId large = id(1, SECOND.plusSeconds(1));
        put(store, small, 17);
        put(store, large, 170_000);
        assertThat(store.list(1, SECOND, SECOND.plusSeconds(2), null, 10))
                .containsExactly(new StoredBlob(small, 17), new StoredBlob(large, 170_000));
    }

    @Test
    void many_puts_at_once_store_every_blob() throws Exception {
        List<BlobId> ids = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            ids.add(Bytes.freshId());
        }
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> puts = new ArrayList<>();
            for (int i = 0; i < ids.size(); i++) {
                BlobId id = ids.get(i);
                int length = lengthOf(i);
                puts.add(callers.submit(() -> {
                    put(store, id, length);
                    assertThat(get(store, id, length)).isEqualTo(Bytes.of(id, length));
                    return null;
                }));
            }
            for (Future<?> put : puts) {
                put.get();
            }
        }
        for (int i = 0; i < ids.size(); i++) {
            assertThat(get(store, ids.get(i), lengthOf(i))).isEqualTo(Bytes.of(ids.get(i), lengthOf(i)));
        }
    }

    private static int lengthOf(int i) {
        return i % 40 == 0 ? 100_000 + i : 1 + 97 * i;
    }

    @Test
    void puts_and_deletes_at_once_leave_what_was_not_deleted() throws Exception {
        List<BlobId> kept = new ArrayList<>();
        List<BlobId> deleted = new ArrayList<>();
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                BlobId id = Bytes.freshId();
                boolean keep = i % 3 == 0;
                (keep ? kept : deleted).add(id);
                calls.add(callers.submit(() -> {
                    put(store, id, 1000);
                    if (!keep) {
                        store.delete(id);
                    }
                    return null;
                }));
            }
            for (Future<?> call : calls) {
                call.get();
            }
        }
        for (BlobId id : kept) {
            assertThat(get(store, id, 1000)).isEqualTo(Bytes.of(id, 1000));
        }
        for (BlobId id : deleted) {
            assertMissing(id, 0, 1);
        }
    }

    @Test
    void a_probe_of_a_good_account_passes_and_leaves_nothing() throws Exception {
        BlobId id = Bytes.freshId();
        store.probe(id);
        assertMissing(id, 0, 1);
        assertThat(store.usableBytes()).isPositive();
    }

    protected void assertMissing(BlobId id, long offset, long length) {
        assertThatExceptionOfType(BlobStoreException.class)
                .isThrownBy(() -> store.get(id, offset, length).close())
                .extracting(BlobStoreException::kind)
                .isEqualTo(Kind.MISSING);
    }

    private List<StoredBlob> all(int fanOut) throws BlobStoreException {
        return store.list(fanOut, Instant.EPOCH, Instant.ofEpochSecond(BlobId.MAX_SECOND), null, 5000);
    }

    private List<BlobId> list(int fanOut, Instant from, Instant to, BlobId after, int limit) throws IOException {
        return store.list(fanOut, from, to, after, limit).stream()
                .map(StoredBlob::id)
                .toList();
    }

    /** A fresh id with that fan-out and second. */
    protected static BlobId id(int fanOut, Instant second) {
        long random = Bytes.freshId().uuid().getLeastSignificantBits();
        return BlobId.of(second.getEpochSecond(), 5, fanOut, random << 8 | random >>> 56 & 0xFF);
    }
}
