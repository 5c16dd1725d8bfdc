package io.headgate.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.blob.local.Durability;
import io.headgate.blob.local.LocalBlobStore;
import io.headgate.domain.BlobId;
import io.headgate.domain.BlobIds;
import io.headgate.domain.BodyException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class StallGuardTest {
    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final int MAX_HANGING = 3;
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(1);

    private final BlobIds ids = new BlobIds(new Random(3)::nextLong);
    private final BlobId id = ids.next(NOW);
    private final byte[] bytes = new byte[200_000];

    @TempDir
    Path directory;

    private BlobStore real;
    private HangingStore hanging;
    private StallGuard guard;
    private CarrierWatch watch;

    @BeforeEach
    void open() {
        new Random(5).nextBytes(bytes);
        real = new LocalBlobStore(
                "disk-1", "namespace-1", directory.resolve("disk-1"), Durability.NONE, true, InstantSource.system());
        hanging = new HangingStore(real);
        watch = new CarrierWatch();
        guard = new StallGuard(hanging, "disk-1", LIMIT, MAX_HANGING, watch);
    }

    @AfterEach
    void close() {
        hanging.release();
        guard.close();
        watch.close();
    }

    @Test
    void a_store_that_works_is_not_disturbed() throws IOException {
        guard.put(id, bytes.length, new ByteArrayInputStream(bytes));

        assertThat(guard.list(id.fanOut(), NOW, LATER, null, 10))
                .extracting(BlobStore.StoredBlob::id)
                .containsExactly(id);
        assertThat(contents()).isEqualTo(bytes);
        guard.probe(ids.next(NOW));
        guard.delete(id);
        assertThat(guard.list(id.fanOut(), NOW, LATER, null, 10)).isEmpty();
    }

    @Test
    void a_put_that_hangs_before_the_first_byte_is_a_fault_of_the_account_and_leaves_the_body_to_another() {
        hanging.hangBefore();
        ByteArrayInputStream body = new ByteArrayInputStream(bytes);

        assertFault(() -> guard.put(id, bytes.length, body));

        assertThat(body.available()).isEqualTo(bytes.length);
        hanging.release();
        await().until(() -> hanging.returned.get() == 1);
        assertThat(body.available()).as("not a byte is taken too late").isEqualTo(bytes.length);
    }

    @Test
    void a_put_that_hangs_after_the_last_byte_and_then_succeeds_leaves_no_blob() throws IOException {
        hanging.hangAfter();

        assertFault(() -> guard.put(id, bytes.length, new ByteArrayInputStream(bytes)));
        assertThat(real.list(id.fanOut(), NOW, LATER, null, 10)).hasSize(1);

        hanging.release();
        await().until(() -> real.list(id.fanOut(), NOW, LATER, null, 10).isEmpty());
    }

    @Test
    void a_body_may_take_its_time() throws IOException {
        InputStream slow = new InputStream() {
            private final InputStream rest = new ByteArrayInputStream(bytes);
            private int pauses = 2;

            @Override
            public int read() throws IOException {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                if (pauses-- > 0) {
                    pause(LIMIT.multipliedBy(3));
                }
                return length == 1 ? -1 : rest.read(buffer, offset, length);
            }
        };

        guard.put(id, bytes.length, slow);

        assertThat(contents()).isEqualTo(bytes);
    }

    @Test
    void what_the_body_throws_passes_unchanged() {
        BodyException failure = new BodyException("the client hung up");
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw failure;
            }
        };

        assertThatThrownBy(() -> guard.put(id, bytes.length, broken)).isSameAs(failure);
    }

    @Test
    void deletes_listings_and_probes_that_hang_are_faults_too_and_when_many_hang_the_rest_fails_at_once()
            throws IOException {
        hanging.hangBefore();
        assertFault(() -> guard.delete(id));
        assertFault(() -> guard.list(1, NOW, LATER, null, 10));
        assertFault(() -> guard.probe(id));
        assertThat(hanging.entered).hasValue(3);

        assertFault(() -> guard.put(id, bytes.length, new ByteArrayInputStream(bytes)));
        assertThat(hanging.entered).as("the store is not asked any more").hasValue(3);

        hanging.release();
        await().until(() -> hanging.returned.get() == 3);
        await().untilAsserted(() -> guard.put(id, bytes.length, new ByteArrayInputStream(bytes)));
    }

    @Test
    void closing_waits_for_a_store_that_hangs_no_longer_than_for_a_call() {
        hanging.hangWhenClosed();

        guard.close();

        assertThat(hanging.closed).as("still at it").isFalse();
        hanging.release();
        await().until(() -> hanging.closed);
    }

    private interface Call {
        void run() throws IOException;
    }

    private static void assertFault(Call call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        BlobStoreException.class,
                        fault -> assertThat(fault.kind()).isEqualTo(Kind.ACCOUNT_FAULT));
    }

    private byte[] contents() throws IOException {
        try (ReadableByteChannel channel = guard.get(id, 0, bytes.length)) {
            return java.nio.channels.Channels.newInputStream(channel).readAllBytes();
        }
    }

    /** The body's own slowness: time passes without anything that could be awaited. */
    private static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            Thread.yield();
        }
    }

    /** Hangs before or after it has done what it was asked, until released. */
    private static final class HangingStore implements BlobStore {
        private final BlobStore real;
        final AtomicInteger entered = new AtomicInteger();
        final AtomicInteger returned = new AtomicInteger();
        private final CountDownLatch released = new CountDownLatch(1);
        private volatile boolean before;
        private volatile boolean whenClosed;
        volatile boolean closed;
        private volatile boolean after;

        HangingStore(BlobStore real) {
            this.real = real;
        }

        void hangBefore() {
            before = true;
        }

        void hangAfter() {
            after = true;
        }

        void hangWhenClosed() {
            whenClosed = true;
        }

        void release() {
            released.countDown();
        }

        private void enter() {
            entered.incrementAndGet();
            if (before) {
                hang();
            }
        }

        private void leave() {
            if (after) {
                hang();
            }
            returned.incrementAndGet();
        }

        private void hang() {
            try {
                released.await();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }

        @Override
        public void put(BlobId id, long lengthBytes, InputStream body) throws IOException {
            enter();
            try {
                real.put(id, lengthBytes, body);
            } finally {
                leave();
            }
        }

        @Override
        public ReadableByteChannel get(BlobId id, long offsetBytes, long lengthBytes) throws BlobStoreException {
            return real.get(id, offsetBytes, lengthBytes);
        }

        @Override
        public void delete(BlobId id) throws BlobStoreException {
            enter();
            try {
                real.delete(id);
            } finally {
                leave();
            }
        }

        @Override
        public List<StoredBlob> list(int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit)
                throws BlobStoreException {
            enter();
            try {
                return real.list(fanOut, from, to, after, limit);
            } finally {
                leave();
            }
        }

        @Override
        public void probe(BlobId id) throws BlobStoreException {
            enter();
            try {
                real.probe(id); // fails if the blob is deleted meanwhile
            } finally {
                leave();
            }
        }

        @Override
        public void close() {
            if (whenClosed) {
                hang();
            }
            real.close();
            closed = true;
        }
    }
}
