package io.headgate.benchmarks;

import io.headgate.http.Exchange;
import io.headgate.http.HttpServer;
import io.headgate.http.HttpServerConfig;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * Accounts behind HTTP, a bucket each, which take so many requests, or so many bytes, in any second and answer those above with 503. They
 * speak as much S3 as a gateway needs to write, and keep nothing. Thread-safe.
 */
final class LimitedAccounts implements AutoCloseable {
    private static final long SECOND_NANOS = 1_000_000_000;

    private final HttpServer server;
    private final boolean byBytes;
    private final long mostPerSecond;
    private final Map<String, Account> accounts = new ConcurrentHashMap<>();
    private final LongAdder throttled = new LongAdder();

    /** @param byBytes whether bytes are limited, or requests */
    LimitedAccounts(boolean byBytes, long mostPerSecond) throws IOException {
        this.byBytes = byBytes;
        this.mostPerSecond = mostPerSecond;
        this.server = HttpServer.start(
                HttpServerConfig.listeningOn("127.0.0.1", 0),
                this::answer,
                _ -> {},
                InstantSource.system(),
                () -> ThreadLocalRandom.current().nextLong());
    }

    InetSocketAddress address() {
        return server.address();
    }

    /** How many requests were answered 503. */
    long throttled() {
        return throttled.sum();
    }

    /** The most, of requests or bytes, that any account took in any second since it was last asked. */
    long mostInASecond() {
        return accounts.values().stream().mapToLong(Account::most).max().orElse(0);
    }

    private Response answer(Exchange exchange) {
        String path = exchange.head().rawPath();
        String bucket = path.substring(1, path.indexOf('/', 1) < 0 ? path.length() : path.indexOf('/', 1));
        long bytes = bytes(exchange);
        if (!accounts.computeIfAbsent(bucket, _ -> new Account()).takes(byBytes ? bytes : 1)) {
            throttled.increment();
            return Responses.error(new S3Exception(S3Error.SLOW_DOWN), exchange.head(), exchange.requestId());
        }
        try {
            exchange.body().transferTo(OutputStream.nullOutputStream());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
        return switch (exchange.head().method()) {
            case "PUT" -> Responses.empty(200, new Field("etag", "\"0123456789abcdef0123456789abcdef\""));
            case "DELETE" -> Responses.empty(204);
            default -> Responses.error(new S3Exception(S3Error.NO_SUCH_KEY), exchange.head(), exchange.requestId());
        };
    }

    private static long bytes(Exchange exchange) {
        String decoded = exchange.head().header("x-amz-decoded-content-length");
        return decoded == null ? exchange.contentLength().orElse(0) : Long.parseLong(decoded);
    }

    @Override
    public void close() {
        server.stop(Duration.ZERO);
    }

    /** What one account took, and when. */
    private final class Account {
        private record Taken(long atNanos, long amount) {}

        private final Deque<Taken> lately = new ArrayDeque<>();
        private long inSecond;
        private long most;

        synchronized boolean takes(long amount) {
            long now = System.nanoTime();
            while (!lately.isEmpty() && now - lately.getFirst().atNanos() >= SECOND_NANOS) {
                inSecond -= lately.removeFirst().amount();
            }
            if (inSecond + amount > mostPerSecond) {
                return false;
            }
            lately.addLast(new Taken(now, amount));
            inSecond += amount;
            most = Math.max(most, inSecond);
            return true;
        }

        synchronized long most() {
            long since = most;
            most = 0;
            return since;
        }
    }
}
