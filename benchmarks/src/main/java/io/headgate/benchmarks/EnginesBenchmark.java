package io.headgate.benchmarks;

import io.headgate.account.AccountListener;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.Outcome;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * The engines side by side: what each does a second, and how long an operation takes, called by the gateway ({@code namespace}) and by S3
 * clients over HTTP in the same process ({@code s3}). The engines take turns, so that whatever else the machine does meets all.
 */
final class EnginesBenchmark {
    private static final int PAGE_KEYS = 1_000;
    private static final int OBJECT_BYTES = 4096;
    private static final int FILLERS = 64;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final DateTimeFormatter BASIC =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final BucketName BUCKET = new BucketName(LocalGateway.BUCKET);

    /**
     * @param urls of the engines besides {@code sqlite}, each of an empty database or cluster
     * @param objects that are there before anything is measured
     * @param seconds of a turn
     * @param rounds how many turns each case has
     */
    record Plan(Map<String, String> urls, List<Integer> callers, int objects, int seconds, int rounds) {}

    private interface Operation {
        void run(SplittableRandom random) throws IOException, InterruptedException;
    }

    private final Plan plan;
    private final PrintStream out;

    /** An engine with all that is measured of it. */
    private record Subject(String engine, LocalGateway gateway, Map<String, Operation> operations) {}

    private EnginesBenchmark(Plan plan, PrintStream out) {
        this.plan = plan;
        this.out = out;
    }

    static void run(Plan plan, PrintStream out) throws IOException, InterruptedException {
        new EnginesBenchmark(plan, out).measure();
    }

    private void measure() throws IOException, InterruptedException {
        List<Subject> subjects = new ArrayList<>();
        try (Scratch scratch = Scratch.create();
                HttpClient http = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(TIMEOUT)
                        .build()) {
            try {
                subjects.add(subject("sqlite", Map.of(), scratch, http));
                for (Map.Entry<String, String> url : plan.urls().entrySet()) {
                    Map<String, String> settings =
                            Map.of("HEADGATE_NAMESPACE_ENGINE", url.getKey(), "HEADGATE_NAMESPACE_URL", url.getValue());
                    subjects.add(subject(url.getKey(), settings, scratch, http));
                }
                out.printf(
                        Locale.ROOT, "%d objects, %d rounds of %d s%n", plan.objects(), plan.rounds(), plan.seconds());
                out.printf(
                        Locale.ROOT,
                        "%-15s %7s %-8s %12s %10s %10s%n",
                        "operation",
                        "callers",
                        "engine",
                        "a second",
                        "p50 µs",
                        "p99 µs");
                for (String operation : subjects.getFirst().operations().keySet()) {
                    for (int callers : plan.callers()) {
                        compare(operation, callers, subjects);
                    }
                }
            } finally {
                subjects.forEach(subject -> subject.gateway().close());
            }
        }
    }

    private Subject subject(String engine, Map<String, String> settings, Scratch scratch, HttpClient http)
            throws IOException, InterruptedException {
        LocalGateway gateway =
                new LocalGateway(Files.createDirectory(scratch.path().resolve(engine)), settings, AccountListener.NONE);
        Map<String, Operation> operations = new LinkedHashMap<>();
        addOfNamespace(operations, gateway.namespace());
        addOfS3(operations, gateway, http);
        return new Subject(engine, gateway, operations);
    }

    private void addOfNamespace(Map<String, Operation> operations, Namespace namespace) throws InterruptedException {
        SyntheticObjects objects =
                new SyntheticObjects(namespace, LocalGateway.ACCOUNTS.getFirst(), Duration.ofHours(6));
        AtomicLong next = new AtomicLong();
        Operation put = random -> objects.put(BUCKET, key("synthetic", next.getAndIncrement()), random);
        List<long[]> unused = Callers.measured(FILLERS, _ -> next.get() < plan.objects(), random -> {
            put.run(random);
            return true;
        });
        operations.put("namespace put", put);
        operations.put("namespace get", random -> {
            ObjectKey key = new ObjectKey(key("synthetic", random.nextInt(plan.objects())));
            if (!(namespace.currentVersion(BUCKET, key) instanceof Outcome.Done<?>)) {
                throw new IllegalStateException("a look-up found nothing");
            }
        });
        operations.put("namespace list", random -> {
            String after = key("synthetic", random.nextInt(plan.objects()));
            Outcome<ObjectPage> page =
                    namespace.listObjects(new ObjectQuery(BUCKET, "synthetic/", "", after, PAGE_KEYS));
            if (!(page instanceof Outcome.Done<?>)) {
                throw new IllegalStateException("a page was refused: " + page);
            }
        });
    }

    private void addOfS3(Map<String, Operation> operations, LocalGateway gateway, HttpClient http)
            throws IOException, InterruptedException {
        String host =
                gateway.address().getHostString() + ":" + gateway.address().getPort();
        ClientSignature signature = new ClientSignature(BASIC.format(Instant.now()));
        byte[] content = new byte[OBJECT_BYTES];
        new SplittableRandom(1).nextBytes(content);
        HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofByteArray(content);
        HttpRequest.BodyPublisher nothing = HttpRequest.BodyPublishers.noBody();
        AtomicLong next = new AtomicLong();
        Operation put = _ -> send(http, signature, host, "PUT", key("real", next.getAndIncrement()), "", body);
        SplittableRandom random = new SplittableRandom(2);
        while (next.get() < PAGE_KEYS) {
            put.run(random);
        }
        operations.put("s3 put", put);
        operations.put(
                "s3 get", any -> send(http, signature, host, "GET", key("real", any.nextInt(PAGE_KEYS)), "", nothing));
        operations.put(
                "s3 head",
                any -> send(http, signature, host, "HEAD", key("real", any.nextInt(PAGE_KEYS)), "", nothing));
        operations.put("s3 list", any -> {
            String query = "&list-type=2&max-keys=" + PAGE_KEYS + "&prefix=synthetic%2F&start-after="
                    + key("synthetic", any.nextInt(plan.objects())).replace("/", "%2F");
            send(http, signature, host, "GET", "", query, nothing);
        });
    }

    private static void send(
            HttpClient http,
            ClientSignature signature,
            String host,
            String method,
            String key,
            String query,
            HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        String path = "/" + LocalGateway.BUCKET + (key.isEmpty() ? "" : "/" + key);
        RequestHead head = signature.inQuery(method, path, query, List.of(new Field("host", host)));
        HttpResponse<byte[]> response = http.send(
                HttpRequest.newBuilder(URI.create("http://" + host + head.target()))
                        .timeout(TIMEOUT)
                        .method(method, body)
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IllegalStateException(method + " " + path + " was answered " + response.statusCode());
        }
    }

    /** The first turns warm up. */
    private void compare(String operation, int callers, List<Subject> subjects) throws InterruptedException {
        Map<String, List<long[]>> latencies = new LinkedHashMap<>();
        for (int round = 0; round <= plan.rounds(); round++) {
            for (Subject subject : subjects) {
                List<long[]> turn =
                        turn(Objects.requireNonNull(subject.operations().get(operation)), callers);
                if (round > 0) {
                    latencies
                            .computeIfAbsent(subject.engine(), _ -> new ArrayList<>())
                            .addAll(turn);
                }
            }
        }
        latencies.forEach((engine, all) -> {
            long[] sorted = all.stream().flatMapToLong(LongStream::of).sorted().toArray();
            out.printf(
                    Locale.ROOT,
                    "%-15s %7d %-8s %,12.0f %,10.0f %,10.0f%n",
                    operation,
                    callers,
                    engine,
                    (double) sorted.length / plan.rounds() / plan.seconds(),
                    Summary.percentile(sorted, 0.50) / 1e3,
                    Summary.percentile(sorted, 0.99) / 1e3);
        });
    }

    private List<long[]> turn(Operation operation, int callers) throws InterruptedException {
        return Callers.turn(callers, Duration.ofSeconds(plan.seconds()), random -> {
            operation.run(random);
            return true;
        });
    }

    /** In no order: the multiplier is odd, so every number has a key of its own. */
    private static String key(String folder, long number) {
        return "%s/%016x.jpg".formatted(folder, number * 0x9E3779B97F4A7C15L);
    }
}
