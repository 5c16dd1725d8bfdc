package io.headgate.http;

import static io.headgate.http.ServerFixture.empty;
import static io.headgate.http.ServerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Many clients that stall cost little memory and do not keep others from being served. */
final class SlowClientsTest {
    private static final int CLIENTS = 200;
    private static final long MIB = 1024 * 1024;

    @Test
    void two_hundred_stalled_uploads_hold_no_buffers() throws IOException {
        AtomicLong taken = new AtomicLong();
        HttpHandler handler = exchange -> {
            if (exchange.head().method().equals("GET")) {
                return text("served");
            }
            byte[] buffer = new byte[16 * 1024];
            try {
                for (int n = exchange.body().read(buffer);
                        n >= 0;
                        n = exchange.body().read(buffer)) {
                    taken.addAndGet(n);
                }
                return empty(200);
            } catch (IOException e) {
                return empty(400);
            }
        };
        try (ServerFixture fixture = new ServerFixture(handler)) {
            List<RawClient> clients = new ArrayList<>();
            long before = directBytes();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(fixture.connect());
                clients.get(i)
                        .send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 67108864\r\n\r\n")
                        .send(new byte[100_000]);
            }
            await().until(() -> taken.get() == CLIENTS * 100_000L);
            assertThat(directBytes() - before).isLessThan(4 * MIB);
            assertServes(fixture);
            close(clients);
            await().until(() -> fixture.observed.size() == CLIENTS + 1);
        }
    }

    @Test
    void two_hundred_unread_downloads_share_a_bounded_number_of_buffers() throws IOException {
        HttpHandler handler = exchange -> exchange.head().target().equals("/")
                ? text("served")
                : new Response(200, List.of(), new Response.Body.Channel(new Zeros(), 64 * MIB));
        try (ServerFixture fixture = new ServerFixture(config -> config.withCopyBuffers(128 * 1024, 16), handler)) {
            List<RawClient> clients = new ArrayList<>();
            long before = directBytes();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(fixture.connect());
                clients.get(i).send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
            }
            await().until(() -> fixture.server.requestsInFlight() == CLIENTS);
            for (RawClient client : clients) {
                assertThat(client.in().read()).isEqualTo('H');
            }
            // 16 large copy buffers, a small one for each of the others, and what the library holds.
            assertThat(directBytes() - before)
                    .isLessThan(16 * 128 * 1024 + CLIENTS * 2 * CopyBuffers.SMALL_BYTES + 4 * MIB);
            assertServes(fixture);
            close(clients);
            await().until(() -> fixture.observed.size() == CLIENTS + 1);
        }
    }

    private static final class Zeros implements ReadableByteChannel {
        @Override
        public int read(ByteBuffer target) {
            int count = target.remaining();
            target.position(target.limit());
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private static void assertServes(ServerFixture fixture) throws IOException {
        try (RawClient client = fixture.connect()) {
            assertThat(client.get("/").text()).isEqualTo("served");
        }
    }

    private static void close(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}
