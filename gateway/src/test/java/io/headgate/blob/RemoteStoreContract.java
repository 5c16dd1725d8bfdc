package io.headgate.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.domain.BlobId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every remote kind of account does when the way to its service is bad. */
public abstract class RemoteStoreContract {
    /** How long a store lets the service be silent in these tests. */
    protected static final Duration STALL_TIMEOUT = Duration.ofSeconds(1);

    private static final int LARGE = 24 << 20;

    private FaultyLink link;
    private BlobStore store;

    /** The real service. */
    protected abstract URI service() throws Exception;

    /** A store of an empty account of the service, which it reaches by that endpoint. */
    protected abstract BlobStore openStore(URI endpoint, Keys keys, int maxConnections) throws Exception;

    /** A store whose bucket or container does not exist. */
    protected abstract BlobStore openStoreWithoutPlace(URI endpoint) throws Exception;

    /** The whole answer of a service that throttles. */
    protected abstract String throttling();

    /** The whole answer of a service that has failed. */
    protected abstract String failure();

    /** A secret of the account, which nothing may show. */
    protected abstract String secret();

    /** With which credentials the store comes. */
    protected enum Keys {
        RIGHT,
        WRONG
    }

    protected static String response(String status, String headers, String body) {
        return "HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Type: application/xml\r\n" + headers
                + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @BeforeEach
    void openLink() throws Exception {
        link = new FaultyLink(service());
        store = openStore(link.endpoint(), Keys.RIGHT, 64);
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        store.close();
    }

    private static void put(BlobStore store, BlobId id, int length) throws IOException {
        store.put(id, length, Bytes.stream(Bytes.of(id, length)));
    }

    private BlobId stored(int length) throws IOException {
        BlobId id = Bytes.freshId();
        put(store, id, length);
        link.forgetRequests();
        return id;
    }

    private static void assertFails(Kind kind, ThrowingCallable call) {
        assertThatExceptionOfType(BlobStoreException.class)
                .isThrownBy(call)
                .extracting(BlobStoreException::kind)
                .isEqualTo(kind);
    }

    private String checked(BlobStore checked) {
        try (checked) {
            StoreCheck.Report report = StoreCheck.run(checked, Bytes.freshId(), Clock.systemUTC());
            assertThat(report.passed()).as("%s", report).isFalse();
            assertThat(report.passed(StoreCheck.Step.WRITE)).isFalse();
            assertThat(report.toString()).doesNotContain(secret());
            return report.detail(StoreCheck.Step.WRITE);
        }
    }

    @Test
    void a_check_tells_of_wrong_credentials() throws Exception {
        assertThat(checked(openStore(service(), Keys.WRONG, 64)))
                .contains("status 403")
                .contains("(the credentials are not accepted");
    }

    @Test
    void a_check_tells_of_a_place_that_is_not_there() throws Exception {
        assertThat(checked(openStoreWithoutPlace(service()))).contains("(there is no such ");
    }

    @Test
    void a_check_tells_of_a_service_that_is_not_there() throws Exception {
        assertThat(checked(openStore(URI.create("http://127.0.0.1:1"), Keys.RIGHT, 64)))
                .containsAnyOf("refused", "ConnectException");
    }

    @Test
    void a_check_names_a_host_that_is_not_known() throws Exception {
        assertThat(checked(openStore(URI.create("http://no-such-host.invalid:81"), Keys.RIGHT, 64)))
                .contains("no-such-host.invalid");
    }

    @Test
    void a_check_tells_how_far_the_clocks_differ() throws Exception {
        InstantSource slow = InstantSource.offset(InstantSource.system(), Duration.ofMinutes(-7));

        StoreCheck.Report report = StoreCheck.run(store, Bytes.freshId(), slow);

        assertThat(report.passed(StoreCheck.Step.CLOCK)).isFalse();
        assertThat(report.detail(StoreCheck.Step.CLOCK)).matches("the service's is 4[0-9]+ s or more ahead of this .*");
        assertThat(report.passed()).isFalse();
    }

    @Test
    void a_read_that_breaks_goes_on_where_it_broke() throws Exception {
        BlobId id = stored(3_000_000);
        link.cutAnswers(2, 1_000_000);

        assertThat(Bytes.read(store.get(id, 0, 3_000_000))).isEqualTo(Bytes.of(id, 3_000_000));

        List<String> ranges = link.requests();
        assertThat(ranges).hasSize(3);
        assertThat(ranges.get(0)).contains("bytes=0-2999999");
        assertThat(ranges.get(1)).doesNotContain("bytes=0-").endsWith("-2999999");
        assertThat(ranges.get(2)).isNotEqualTo(ranges.get(1)).endsWith("-2999999");
    }

    @Test
    void a_read_that_gets_nowhere_fails_after_a_few_attempts() throws Exception {
        BlobId id = stored(3_000_000);
        link.cutAnswers(100, 5_000);

        try (ReadableByteChannel channel = store.get(id, 0, 3_000_000)) {
            assertFails(Kind.ACCOUNT_FAULT, () -> Bytes.read(channel));
        }
        assertThat(link.requests()).hasSizeBetween(4, 8);
    }

    @Test
    void a_reader_is_sent_no_more_than_it_takes_and_leaves_at_once() throws Exception {
        BlobId id = stored(LARGE);
        ReadableByteChannel channel = store.get(id, 0, LARGE);
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThat(channel.read(one)).isOne();
        assertThat(one.flip().get()).isEqualTo(Bytes.of(id, LARGE)[0]);
        store.probe(Bytes.freshId()); // time for far more than the connection's buffers
        int others = link.openConnections() - 1;

        channel.close();

        await().untilAsserted(() -> assertThat(link.openConnections()).isLessThanOrEqualTo(others));
        assertThat(link.answeredBytes()).isLessThan(LARGE / 4 * 3);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void a_blob_read_to_its_end_leaves_its_connection_to_the_next() throws Exception {
        BlobId id = stored(100_000);
        for (int i = 0; i < 10; i++) {
            assertThat(Bytes.read(store.get(id, i, 99_000))).hasSize(99_000);
        }
        assertThat(link.openConnections()).isOne();
    }

    @Test
    void a_small_put_that_is_throttled_goes_to_another_account_at_once() {
        link.answerWith(1, throttling());

        assertFails(Kind.THROTTLED, () -> put(store, Bytes.freshId(), 100_000));
        assertThat(link.requests()).hasSize(1);
    }

    @Test
    void a_large_put_that_is_throttled_is_tried_again() throws Exception {
        BlobId id = Bytes.freshId();
        link.answerWith(2, throttling());

        put(store, id, 1_000_000);

        assertThat(Bytes.read(store.get(id, 0, 1_000_000))).isEqualTo(Bytes.of(id, 1_000_000));
    }

    @Test
    void what_is_throttled_for_long_fails_as_throttled() throws Exception {
        BlobId id = stored(10);
        link.answerWith(1000, throttling());

        assertFails(Kind.THROTTLED, () -> put(store, Bytes.freshId(), 1_000_000));
        assertFails(Kind.THROTTLED, () -> store.get(id, 0, 10));
        assertFails(Kind.THROTTLED, () -> store.delete(id));
        assertFails(
                Kind.THROTTLED,
                () -> store.list(id.fanOut(), id.createdAt(), id.createdAt().plusSeconds(1), null, 10));
        assertThat(link.requests()).hasSizeLessThan(20);
    }

    @Test
    void a_failure_of_the_service_is_tried_once_more() throws Exception {
        BlobId id = stored(10);
        link.answerWith(1, failure());

        assertThat(Bytes.read(store.get(id, 0, 10))).isEqualTo(Bytes.of(id, 10));

        link.answerWith(1000, failure());
        link.forgetRequests();
        assertFails(Kind.ACCOUNT_FAULT, () -> put(store, Bytes.freshId(), 10));
        assertThat(link.requests()).hasSize(2);
    }

    @Test
    void a_service_that_is_silent_is_at_fault_in_bounded_time() throws Exception {
        BlobId id = stored(10);
        link.fallSilent();

        long begun = System.nanoTime();
        assertFails(Kind.ACCOUNT_FAULT, () -> put(store, Bytes.freshId(), 10));
        assertFails(Kind.ACCOUNT_FAULT, () -> store.get(id, 0, 10));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(STALL_TIMEOUT.multipliedBy(10));
    }

    @Test
    void a_service_that_is_not_there_is_at_fault() throws Exception {
        int port;
        try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = nobody.getLocalPort();
        }
        URI endpoint = URI.create("http://127.0.0.1:" + port + service().getPath());
        try (BlobStore lost = openStore(endpoint, Keys.RIGHT, 64)) {
            assertFails(Kind.ACCOUNT_FAULT, () -> put(lost, Bytes.freshId(), 10));
            assertFails(Kind.ACCOUNT_FAULT, () -> lost.probe(Bytes.freshId()));
        }
    }

    @Test
    void wrong_credentials_are_the_accounts_fault_and_are_not_shown() throws Exception {
        try (BlobStore stranger = openStore(link.endpoint(), Keys.WRONG, 64)) {
            assertThatExceptionOfType(BlobStoreException.class)
                    .isThrownBy(() -> put(stranger, Bytes.freshId(), 10))
                    .satisfies(refused -> {
                        assertThat(refused.kind()).isEqualTo(Kind.ACCOUNT_FAULT);
                        assertThat(refused).hasMessageContaining("403");
                        assertThat(refused).hasStackTraceContaining("403");
                        assertThat(refused.toString() + refused.getCause()).doesNotContain(secret());
                    });
        }
    }

    @Test
    void with_all_connections_taken_the_account_throttles() throws Exception {
        try (BlobStore narrow = openStore(link.endpoint(), Keys.RIGHT, 1)) {
            BlobId id = Bytes.freshId();
            put(narrow, id, 1000);
            try (ReadableByteChannel channel = narrow.get(id, 0, 1000)) {
                assertFails(Kind.THROTTLED, () -> put(narrow, Bytes.freshId(), 10));
                assertThat(Bytes.read(channel)).hasSize(1000);
            }
            narrow.delete(id);
        }
    }
}
