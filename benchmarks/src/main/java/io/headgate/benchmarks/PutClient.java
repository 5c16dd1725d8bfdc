package io.headgate.benchmarks;

import io.headgate.benchmarks.Sample.Operation;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Puts objects of one size, through the gateways in turn, and never again. Thread-safe. */
final class PutClient implements OpenLoad.Client, AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final DateTimeFormatter BASIC =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final List<String> hosts;
    private final ClientSignature signature;
    private final byte[] content;
    private final AtomicLong keys = new AtomicLong();
    private final LongAdder slowedDown = new LongAdder();
    private final LongAdder failed = new LongAdder();

    /** @param now by which requests are signed, for the next hour */
    PutClient(List<InetSocketAddress> gateways, int objectBytes, Instant now) {
        hosts = gateways.stream()
                .map(gateway -> gateway.getHostString() + ":" + gateway.getPort())
                .toList();
        signature = new ClientSignature(BASIC.format(now));
        content = new byte[objectBytes];
        new SplittableRandom(1).nextBytes(content);
    }

    /** How many puts were answered 503 SlowDown. */
    long slowedDown() {
        return slowedDown.sum();
    }

    /** How many were answered otherwise, but not as asked, or not at all. */
    long failed() {
        return failed.sum();
    }

    @Override
    public boolean send(Operation operation, int number) throws InterruptedException {
        long key = keys.getAndIncrement();
        String host = hosts.get((int) (key % hosts.size()));
        RequestHead head =
                signature.inQuery("PUT", "/" + Fleet.BUCKET + "/object-" + key, List.of(new Field("host", host)));
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + host + head.target()))
                .timeout(TIMEOUT)
                .PUT(HttpRequest.BodyPublishers.ofByteArray(content))
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            boolean done = response.statusCode() == 200;
            if (response.statusCode() == 503 && response.body().contains("<Code>SlowDown</Code>")) {
                slowedDown.increment();
            } else if (!done) {
                failed.increment();
            }
            return done;
        } catch (IOException broken) {
            failed.increment();
            return false;
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
