package io.headgate.benchmarks;

import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * What the hop to another region costs: the same requests to the gateway of the bucket's region, and to one of another region. Both are in
 * this process, with the clients, and take turns.
 */
final class HopBenchmark {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final int SMALL_BYTES = 4096;
    private static final int LARGE_BYTES = 64 << 20;
    private static final int KEYS = 64;
    private static final String OTHER_REGION = "eu-west-1";
    private static final String SECRET = "a-secret-of-two-regions-for-a-benchmark";
    private static final DateTimeFormatter BASIC =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    /**
     * @param seconds of a turn
     * @param rounds how many turns each case has
     */
    record Plan(List<Integer> callers, int seconds, int rounds) {}

    private interface Operation {
        void run(String host, int key) throws IOException, InterruptedException;
    }

    private final Plan plan;
    private final PrintStream out;
    private final ClientSignature signature = new ClientSignature(BASIC.format(Instant.now()));
    private final HttpClient http;

    private HopBenchmark(Plan plan, PrintStream out, HttpClient http) {
        this.plan = plan;
        this.out = out;
        this.http = http;
    }

    static void run(Plan plan, PrintStream out) throws IOException, InterruptedException {
        int ownerPort = freePort();
        int otherPort = freePort();
        try (Scratch scratch = Scratch.create();
                HttpClient http = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(TIMEOUT)
                        .build();
                LocalGateway owner = region(ClientSignature.REGION, ownerPort, otherPort, scratch.path());
                LocalGateway other = region(OTHER_REGION, ownerPort, otherPort, scratch.path())) {
            new HopBenchmark(plan, out, http).measure(host(owner), host(other));
        }
    }

    private static LocalGateway region(String name, int ownerPort, int otherPort, Path directory) throws IOException {
        String regions =
                "[{\"name\": \"%s\", \"gateways\": \"http://127.0.0.1:%d\"}, {\"name\": \"%s\", \"gateways\": \"http://127.0.0.1:%d\"}]"
                        .formatted(ClientSignature.REGION, ownerPort, OTHER_REGION, otherPort);
        return LocalGateway.ofRegion(
                Files.createDirectory(directory.resolve(name)),
                Map.of(
                        "HEADGATE_REGION",
                        name,
                        "HEADGATE_REGIONS",
                        regions,
                        "HEADGATE_PEERS_SECRET",
                        SECRET,
                        "HEADGATE_PEERS_LISTEN",
                        "127.0.0.1:" + (name.equals(OTHER_REGION) ? otherPort : ownerPort),
                        "HEADGATE_REGISTRY_URL",
                        "file:" + directory.resolve("registry.db")));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static String host(LocalGateway gateway) {
        return gateway.address().getHostString() + ":" + gateway.address().getPort();
    }

    private void measure(String owner, String other) throws IOException, InterruptedException {
        send(owner, "PUT", "", HttpRequest.BodyPublishers.noBody());
        out.printf(Locale.ROOT, "%d rounds of %d s%n", plan.rounds(), plan.seconds());
        out.printf(
                Locale.ROOT,
                "%-12s %7s %-8s %10s %10s %10s %10s%n",
                "operation",
                "callers",
                "way",
                "a second",
                "MB/s",
                "p50 ms",
                "p99 ms");
        for (int size : new int[] {SMALL_BYTES, LARGE_BYTES}) {
            byte[] content = new byte[size];
            new SplittableRandom(1).nextBytes(content);
            for (int key = 0; key < KEYS; key++) {
                put(owner, size, key, content);
            }
            Map<String, Operation> operations = new LinkedHashMap<>();
            operations.put("PUT", (host, key) -> put(host, size, key, content));
            operations.put(
                    "GET", (host, key) -> send(host, "GET", size + "-" + key, HttpRequest.BodyPublishers.noBody()));
            for (Map.Entry<String, Operation> operation : operations.entrySet()) {
                for (int callers : plan.callers()) {
                    String name = operation.getKey() + (size == SMALL_BYTES ? " 4 KiB" : " 64 MiB");
                    compare(name, operation.getValue(), size, callers, owner, other);
                }
            }
        }
    }

    private void put(String host, int size, int key, byte[] content) throws IOException, InterruptedException {
        send(host, "PUT", size + "-" + key, HttpRequest.BodyPublishers.ofByteArray(content));
    }

    private void send(String host, String method, String key, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        String path = "/" + LocalGateway.BUCKET + (key.isEmpty() ? "" : "/" + key);
        RequestHead head = signature.inQuery(method, path, List.of(new Field("host", host)));
        HttpResponse<Void> response = http.send(
                HttpRequest.newBuilder(URI.create("http://" + host + head.target()))
                        .timeout(TIMEOUT)
                        .method(method, body)
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        if (response.statusCode() != 200) {
            throw new IllegalStateException(method + " " + path + " was answered " + response.statusCode());
        }
    }

    /** The first turns warm up. */
    private void compare(String name, Operation operation, int bytes, int callers, String owner, String other)
            throws InterruptedException {
        List<long[]> direct = new ArrayList<>();
        List<long[]> through = new ArrayList<>();
        for (int round = 0; round <= plan.rounds(); round++) {
            List<long[]> one = turn(operation, owner, callers);
            List<long[]> two = turn(operation, other, callers);
            if (round > 0) {
                direct.addAll(one);
                through.addAll(two);
            }
        }
        line(name, callers, "direct", bytes, direct);
        line(name, callers, "through", bytes, through);
    }

    private void line(String name, int callers, String way, int bytes, List<long[]> all) {
        long[] sorted = all.stream().flatMapToLong(LongStream::of).sorted().toArray();
        double seconds = LongStream.of(sorted).sum() / 1e9 / callers;
        double rate = sorted.length / seconds;
        out.printf(
                Locale.ROOT,
                "%-12s %7d %-8s %,10.0f %,10.0f %,10.3f %,10.3f%n",
                name,
                callers,
                way,
                rate,
                rate * bytes / 1e6,
                Summary.percentile(sorted, 0.50) / 1e6,
                Summary.percentile(sorted, 0.99) / 1e6);
    }

    private List<long[]> turn(Operation operation, String host, int callers) throws InterruptedException {
        return Callers.turn(callers, Duration.ofSeconds(plan.seconds()), random -> {
            operation.run(host, random.nextInt(KEYS));
            return true;
        });
    }
}
