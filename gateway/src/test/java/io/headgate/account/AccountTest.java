package io.headgate.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.headgate.account.CircuitBreaker.Status;
import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.blob.Bytes;
import io.headgate.domain.BlobId;
import io.headgate.domain.BodyException;
import io.headgate.placement.AccountState.Admission;
import io.headgate.placement.Thresholds;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class AccountTest {
    private static final BlobStoreException FAULT = new BlobStoreException(Kind.ACCOUNT_FAULT, "disk on fire");

    private final MovedClock clock = new MovedClock();
    private final List<String> heard = new ArrayList<>();
    private final FlakyStore store = new FlakyStore();
    private final Account account = account(Limits.NONE);

    private Account account(Limits limits) {
        return new Account(
                new Account.Description("disk-1", "local", "", limits),
                CircuitBreaker.Settings.DEFAULT,
                store,
                clock,
                new AccountListener() {
                    @Override
                    public void operation(String name, Operation operation, Result result, long nanos) {
                        heard.add(operation + " " + result + " " + nanos / 1_000_000);
                    }

                    @Override
                    public void breakerChanged(String name, Status from, Status to) {
                        heard.add(name + " " + to);
                    }
                });
    }

    private BlobId put(int length) throws IOException {
        BlobId id = Bytes.freshId();
        try (Reservation reservation =
                account.tryReserve(length, Long.MAX_VALUE).orElseThrow()) {
            account.put(reservation, id, length, Bytes.stream(Bytes.of(id, length)));
            reservation.commit();
        }
        return id;
    }

    private void openTheBreaker() {
        store.failure = FAULT;
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> put(1)).isSameAs(FAULT);
        }
        store.failure = null;
        assertThat(account.breaker().status()).isEqualTo(Status.OPEN);
        heard.clear();
    }

    @Test
    void what_was_put_can_be_read_and_is_counted_both_ways() throws Exception {
        BlobId id = put(1000);
        assertThat(Bytes.read(account.get(id, 10, 500))).isEqualTo(Arrays.copyOfRange(Bytes.of(id, 1000), 10, 510));
        assertThat(account.meter().requestsTotal()).isEqualTo(2);
        assertThat(account.meter().bytesInTotal()).isEqualTo(1000);
        assertThat(account.meter().bytesOutTotal()).isEqualTo(500);
        assertThat(heard).containsExactly("PUT OK 0", "GET OK 0");
    }

    @Test
    void a_put_that_is_sent_in_parts_counts_as_many_requests_as_its_bytes_come() throws Exception {
        store.requests = 5;
        BlobId id = Bytes.freshId();
        List<Long> counted = new ArrayList<>();
        InputStream body = new FilterInputStream(Bytes.stream(Bytes.of(id, 1000))) {
            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                counted.add(account.meter().requestsTotal());
                return super.read(buffer, offset, Math.min(length, 250));
            }
        };
        Reservation reservation =
                account.tryAdmit(1000, Long.MAX_VALUE, Thresholds.DEFAULT).orElseThrow();
        account.put(reservation, id, 1000, body);

        assertThat(counted.subList(0, 5)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(account.meter().requestsTotal()).isEqualTo(5);
        assertThat(account.meter().requests().sentPerSecond()).isEqualTo(5);
    }

    @Test
    void reserved_bytes_become_held_by_the_commit_and_free_without_it() {
        Reservation committed = account.tryReserve(100, Long.MAX_VALUE).orElseThrow();
        Reservation abandoned = account.tryReserve(1000, Long.MAX_VALUE).orElseThrow();
        assertThat(account.meter().reservedBytes()).isEqualTo(1100);
        assertThat(account.state().usedBytes()).isEqualTo(1100);
        committed.commit();
        committed.close();
        committed.commit();
        abandoned.close();
        abandoned.close();
        assertThat(account.meter().reservedBytes()).isZero();
        assertThat(account.meter().heldBytes()).isEqualTo(100);
    }

    @Test
    void however_many_reserve_at_once_no_more_is_used_than_allowed() throws Exception {
        account.meter().setUsage(300, 50, 0);
        AtomicInteger reserved = new AtomicInteger();
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int t = 0; t < 8; t++) {
                boolean commits = t % 2 == 0;
                threads.submit(() -> {
                    start.await();
                    for (int i = 0; i < 1000; i++) {
                        account.tryReserve(7, 1000).ifPresent(reservation -> {
                            reserved.incrementAndGet();
                            if (commits) {
                                reservation.commit();
                            }
                        });
                        assertThat(account.meter().usedBytes()).isLessThanOrEqualTo(1000);
                    }
                    return null;
                });
            }
            start.countDown();
        }
        assertThat(reserved).as("650 bytes were free").hasValue(92);
        assertThat(account.meter().usedBytes()).isEqualTo(350 + 92 * 7);
    }

    @Test
    void a_reservation_of_another_account_is_refused() {
        Reservation foreign = account(Limits.NONE).tryReserve(1, Long.MAX_VALUE).orElseThrow();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> account.put(foreign, Bytes.freshId(), 1, Bytes.stream(new byte[1])));
    }

    @Test
    void three_faults_of_the_account_open_its_breaker_and_the_next_put_is_rejected_unread() {
        openTheBreaker();
        InputStream body = new InputStream() {
            @Override
            public int read() {
                throw new AssertionError("read");
            }
        };
        assertThatExceptionOfType(BreakerOpenException.class)
                .isThrownBy(() ->
                        account.put(account.tryReserve(1, Long.MAX_VALUE).orElseThrow(), Bytes.freshId(), 1, body));
        assertThat(heard).containsExactly("PUT REJECTED 0");
        assertThat(account.state().admission()).isEqualTo(Admission.OPEN);
    }

    @Test
    void faults_of_the_body_throttling_missing_blobs_and_bugs_do_not_count_as_failures() {
        store.failure = new BlobStoreException(Kind.THROTTLED, "slow down");
        failTimes(5, () -> put(1));
        store.failure = new BlobStoreException(Kind.MISSING, "gone");
        failTimes(5, () -> account.get(Bytes.freshId(), 0, 1));
        store.failure = null;
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("connection reset");
            }
        };
        for (int i = 0; i < 5; i++) {
            assertThatExceptionOfType(BodyException.class)
                    .isThrownBy(() -> account.put(
                            account.tryReserve(5, Long.MAX_VALUE).orElseThrow(), Bytes.freshId(), 5, broken));
        }
        store.bug = new IllegalStateException("bug");
        failTimes(5, () -> put(1));
        assertThat(account.breaker().status()).isEqualTo(Status.CLOSED);
        assertThat(heard).containsOnly("PUT THROTTLED 0", "GET MISSING 0", "PUT CALLER 0");
    }

    @Test
    void rejections_do_not_keep_the_breaker_open() throws Exception {
        openTheBreaker();
        for (int i = 0; i < 50; i++) {
            assertThatExceptionOfType(BreakerOpenException.class).isThrownBy(() -> put(1));
        }
        clock.move(Duration.ofMinutes(5));
        put(1);
        assertThat(account.breaker().status()).isEqualTo(Status.CLOSED);
    }

    @Test
    void a_fault_met_while_reading_counts_as_a_failure() throws Exception {
        BlobId id = put(100);
        for (int i = 0; i < 3; i++) {
            ReadableByteChannel channel = account.get(id, 0, 100);
            store.failure = FAULT;
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(10))).isSameAs(FAULT);
            store.failure = null;
            channel.close();
        }
        assertThat(account.breaker().status()).isEqualTo(Status.OPEN);
        assertThat(heard).containsExactly("PUT OK 0", "GET FAULT 0", "GET FAULT 0", "disk-1 OPEN", "GET FAULT 0");
    }

    @Test
    void an_open_breaker_lets_reads_through_that_change_nothing() throws Exception {
        BlobId id = put(100);
        openTheBreaker();
        assertThat(Bytes.read(account.get(id, 0, 100))).hasSize(100);
        assertThat(account.breaker().status()).isEqualTo(Status.OPEN);
        clock.move(Duration.ofMinutes(5));
        assertThat(Bytes.read(account.get(id, 0, 100))).hasSize(100);
        assertThat(account.breaker().status()).isEqualTo(Status.HALF_OPEN);
    }

    @Test
    void an_open_breaker_bounds_the_reads_that_wait_for_their_first_bytes() throws Exception {
        BlobId id = put(100);
        openTheBreaker();
        List<ReadableByteChannel> waiting = new ArrayList<>();
        for (int i = 0; i < Account.MAX_TRIAL_READS; i++) {
            waiting.add(account.get(id, 0, 100));
        }
        assertThatExceptionOfType(BreakerOpenException.class).isThrownBy(() -> account.get(id, 0, 100));
        waiting.get(0).read(ByteBuffer.allocate(1));
        waiting.get(1).close();
        account.get(id, 0, 100);
        account.get(id, 0, 100);
        assertThatExceptionOfType(BreakerOpenException.class).isThrownBy(() -> account.get(id, 0, 100));
    }

    @Test
    void a_failed_read_gives_its_place_back() throws Exception {
        BlobId id = put(100);
        openTheBreaker();
        store.failure = FAULT;
        for (int i = 0; i < 3 * Account.MAX_TRIAL_READS; i++) {
            assertThatThrownBy(() -> account.get(id, 0, 100)).isSameAs(FAULT);
        }
    }

    @Test
    void an_open_breaker_lets_deletes_through_and_refuses_lists() throws Exception {
        BlobId id = put(100);
        openTheBreaker();
        account.delete(id);
        assertThat(store.blobs).isEmpty();
        assertThat(account.breaker().status()).isEqualTo(Status.OPEN);
        assertThatExceptionOfType(BreakerOpenException.class)
                .isThrownBy(() -> account.list(0, Instant.EPOCH, Instant.MAX, null, 1));
    }

    @Test
    void a_probe_brings_an_account_back_without_a_client() throws Exception {
        openTheBreaker();
        assertThatExceptionOfType(BreakerOpenException.class).isThrownBy(() -> account.probe(Bytes.freshId()));
        clock.move(Duration.ofMinutes(5));
        store.failure = FAULT;
        assertThatThrownBy(() -> account.probe(Bytes.freshId())).isSameAs(FAULT);
        store.failure = null;
        assertThat(account.breaker().status()).isEqualTo(Status.OPEN);
        clock.move(Duration.ofMinutes(5));
        account.probe(Bytes.freshId());
        assertThat(account.breaker().status()).isEqualTo(Status.CLOSED);
    }

    @Test
    void throttling_lowers_the_ceiling_of_requests_and_time_raises_it() {
        for (int i = 0; i < 500; i++) {
            account.meter().request();
        }
        clock.moveMillis(500);
        assertThat(account.state().requests().limit()).isInfinite();
        store.failure = new BlobStoreException(Kind.THROTTLED, "slow down");
        failTimes(20, () -> put(1));
        assertThat(account.requestCeilingPerSecond())
                .as("0.97 of 501, as only one was throttled")
                .isCloseTo(485.97, within(0.01));
        clock.move(Duration.ofSeconds(10));
        assertThat(account.requestCeilingPerSecond()).isCloseTo(586.17, within(0.01));
    }

    @Test
    void an_account_has_no_more_capacity_than_room() {
        Account limited = account(new Limits(10_000, 20, 30, 40));
        limited.meter().setUsage(500, 100, 0);
        store.usable = 1000;
        assertThat(limited.state().capacityBytes()).isEqualTo(1600);
        store.usable = 1_000_000;
        assertThat(limited.state().capacityBytes()).isEqualTo(10_000);
        assertThat(limited.state().usedBytes()).isEqualTo(600);
        assertThat(limited.state().available()).isTrue();
        store.usable = 0;
        assertThat(limited.state().available()).isFalse();
    }

    @Test
    void the_state_shows_flags_rates_and_limits() {
        Account limited = account(new Limits(10_000, 20, 30, 40));
        limited.setDraining(true);
        limited.setReadOnly(true);
        for (int i = 0; i < 50; i++) {
            limited.meter().request();
            limited.meter().in(2);
            limited.meter().out(3);
        }
        clock.moveMillis(250);
        assertThat(limited.state().draining()).isTrue();
        assertThat(limited.state().readOnly()).isTrue();
        assertThat(limited.state().requests().current())
                .as("twice the last quarter of a second")
                .isEqualTo(100);
        assertThat(limited.state().requests().limit()).isEqualTo(20);
        clock.moveMillis(250);
        assertThat(limited.state().requests().current()).isEqualTo(50);
        assertThat(limited.state().ingress().current()).isEqualTo(100);
        assertThat(limited.state().egress().current()).isEqualTo(150);
    }

    @Test
    void the_time_that_a_body_takes_is_not_the_accounts() throws Exception {
        InputStream slow = new InputStream() {
            private int left = 3;

            @Override
            public int read() {
                clock.moveMillis(1000);
                return left-- > 0 ? 'x' : -1;
            }

            @Override
            public int read(byte[] target, int offset, int length) {
                int next = read();
                target[offset] = (byte) next;
                return next < 0 ? -1 : 1;
            }
        };
        store.delayMillis = 7;
        account.put(account.tryReserve(3, Long.MAX_VALUE).orElseThrow(), Bytes.freshId(), 3, slow);
        assertThat(heard).containsExactly("PUT OK 7");
    }

    @Test
    void accounts_are_found_by_name_and_have_different_names() {
        Accounts accounts = new Accounts(List.of(account));
        assertThat(accounts.byName("disk-1")).contains(account);
        assertThat(accounts.byName("disk-2")).isEmpty();
        assertThat(accounts.states()).containsExactly(account.state());
        assertThatIllegalArgumentException().isThrownBy(() -> new Accounts(List.of(account, account)));
        accounts.close();
        assertThat(store.closed).isTrue();
    }

    private interface Action {
        void run() throws Exception;
    }

    private static void failTimes(int times, Action action) {
        for (int i = 0; i < times; i++) {
            assertThatThrownBy(action::run).isInstanceOfAny(BlobStoreException.class, IllegalStateException.class);
        }
    }

    /** Keeps blobs in memory and fails when told to. */
    private final class FlakyStore implements BlobStore {
        final Map<BlobId, byte[]> blobs = new HashMap<>();
        BlobStoreException failure;
        RuntimeException bug;
        long usable = Long.MAX_VALUE;
        long delayMillis;
        long requests = 1;
        boolean closed;

        private void failIfTold() throws BlobStoreException {
            if (failure != null) {
                throw failure;
            }
            if (bug != null) {
                throw bug;
            }
        }

        @Override
        public void put(BlobId id, long lengthBytes, InputStream body) throws IOException {
            failIfTold();
            blobs.put(id, body.readAllBytes());
            clock.moveMillis(delayMillis);
        }

        @Override
        public ReadableByteChannel get(BlobId id, long offset, long length) throws BlobStoreException {
            failIfTold();
            if (!blobs.containsKey(id)) {
                throw new BlobStoreException(Kind.MISSING, "gone");
            }
            ByteBuffer bytes = ByteBuffer.wrap(blobs.get(id), (int) offset, (int) length);
            return new ReadableByteChannel() {
                @Override
                public int read(ByteBuffer target) throws IOException {
                    failIfTold();
                    int count = Math.min(bytes.remaining(), target.remaining());
                    target.put(bytes.slice(bytes.position(), count));
                    bytes.position(bytes.position() + count);
                    return count == 0 ? -1 : count;
                }

                @Override
                public boolean isOpen() {
                    return true;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void delete(BlobId id) throws BlobStoreException {
            failIfTold();
            blobs.remove(id);
        }

        @Override
        public List<StoredBlob> list(int fanOut, Instant from, Instant to, BlobId after, int limit)
                throws BlobStoreException {
            failIfTold();
            return List.of();
        }

        @Override
        public void probe(BlobId id) throws BlobStoreException {
            failIfTold();
        }

        @Override
        public long usableBytes() {
            return usable;
        }

        @Override
        public long putRequests(long lengthBytes) {
            return requests;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
