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
import java.util.concurrent.atomic.AtomicInteger;

/** A client that puts objects of 4 KiB under new keys and gets those that it put at the start. It repeats nothing that failed. */
final class SmallObjects implements OpenLoad.Client, AutoCloseable {
    static final int OBJECT_BYTES = 4 << 10;

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int STORED = 600;
    private static final DateTimeFormatter BASIC =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final String host;
    private final ClientSignature signature;
    private final byte[] content = new byte[OBJECT_BYTES];
    private final AtomicInteger nextKey = new AtomicInteger();

    /** @param now by which requests are signed, for the next hour */
    SmallObjects(InetSocketAddress gateway, Instant now) {
        host = gateway.getHostString() + ":" + gateway.getPort();
        signature = new ClientSignature(BASIC.format(now));
        new SplittableRandom(1).nextBytes(content);
    }

    /** Puts the objects that will be got. */
    void store() throws InterruptedException {
        for (int i = 0; i < STORED; i++) {
            if (!put("stored/" + i)) {
                throw new IllegalStateException("a healthy gateway failed a put");
            }
        }
    }

    @Override
    public boolean send(Operation operation, int number) throws InterruptedException {
        return switch (operation) {
            case PUT -> put("new/" + nextKey.getAndIncrement());
            // The same objects in the same order in every run.
            case GET -> get("stored/" + new SplittableRandom(number).nextInt(STORED));
        };
    }

    private boolean put(String key) throws InterruptedException {
        return send(
                request("PUT", key)
                        .PUT(HttpRequest.BodyPublishers.ofByteArray(content))
                        .build(),
                0);
    }

    private boolean get(String key) throws InterruptedException {
        return send(request("GET", key).build(), OBJECT_BYTES);
    }

    private HttpRequest.Builder request(String method, String key) {
        RequestHead head =
                signature.inQuery(method, "/" + LocalGateway.BUCKET + "/" + key, List.of(new Field("host", host)));
        return HttpRequest.newBuilder(URI.create("http://" + host + head.target()))
                .timeout(TIMEOUT);
    }

    private boolean send(HttpRequest request, int expectedBytes) throws InterruptedException {
        try {
            HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
            return response.statusCode() == 200 && response.body().length == expectedBytes;
        } catch (IOException broken) {
            return false;
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
