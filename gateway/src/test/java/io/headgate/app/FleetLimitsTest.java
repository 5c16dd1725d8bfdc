package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.admin.Metrics;
import io.headgate.app.config.ConfigLoader;
import io.headgate.app.config.HeadgateConfig.Credentials;
import io.headgate.app.config.Secret;
import io.headgate.http.HttpServer;
import io.headgate.http.HttpServerConfig;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresOptions;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Gateways over one namespace, before accounts that allow so many requests in any second. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
final class FleetLimitsTest {

    /** So few that what is under way at one time, and may arrive late together, is within those 5 %. */
    private static final int FEW = 2;

    private static final String BUCKET = "fleet";

    /** More than may wait at a gateway for an account that is busy. */
    private static final int MANY = 80;

    private final AtomicInteger slowedDown = new AtomicInteger();
    private final Map<String, CountedAccount> accounts = new TreeMap<>();
    private final PostgresOptions database = Postgres.fresh();
    private final List<Gateway> gateways = new ArrayList<>();
    private final List<HttpServer> servers = new ArrayList<>();
    private final List<S3Client> clients = new ArrayList<>();

    @TempDir
    private Path directory;

    /** @param limits requests/s that each account allows; 0 for any number */
    private void start(int count, Map<String, Integer> limits) throws Exception {
        limits.forEach((name, limit) -> accounts.put(name, new CountedAccount(limit == 0 ? Integer.MAX_VALUE : limit)));
        for (int i = 0; i < count; i++) {
            Gateway gateway = gateway(directory.resolve("gateway-" + i), limits);
            gateways.add(gateway);
            HttpServer server = HttpServer.start(
                    HttpServerConfig.listeningOn("127.0.0.1", 0),
                    gateway.s3(),
                    _ -> {},
                    InstantSource.system(),
                    () -> ThreadLocalRandom.current().nextLong());
            servers.add(server);
            clients.add(S3Client.builder()
                    .endpointOverride(
                            URI.create("http://127.0.0.1:" + server.address().getPort()))
                    .region(Region.US_EAST_1)
                    .forcePathStyle(true)
                    .credentialsProvider(
                            StaticCredentialsProvider.create(AwsBasicCredentials.create("root", "root-secret")))
                    .overrideConfiguration(client -> client.retryStrategy(AwsRetryStrategy.doNotRetry()))
                    .build());
        }
        clients.getFirst().createBucket(create -> create.bucket(BUCKET));
    }

    private Gateway gateway(Path own, Map<String, Integer> limits) throws Exception {
        Map<String, String> environment = new HashMap<>();
        environment.put("HEADGATE_NAMESPACE_ENGINE", "postgres");
        environment.put(
                "HEADGATE_NAMESPACE_URL", "postgresql://postgres:any@" + database.hosts() + "/" + database.database());
        environment.put("HEADGATE_NAMESPACE_CONNECTIONS", "8");
        // Shorter than these clients, who wait for their answers, would have to wait at the limits.
        environment.put("HEADGATE_PLACEMENT_MAX_WAIT", "100ms");
        environment.put("HEADGATE_DATA_DIR", own.toString());
        environment.put(
                "STORAGE_SHARDS",
                limits.entrySet().stream()
                        .map(account -> shard(account.getKey(), account.getValue(), own))
                        .collect(Collectors.joining(", ", "[", "]")));
        Metrics metrics = new Metrics();
        return Gateway.open(
                ConfigLoader.load(Optional.empty(), environment, List.of()),
                new Credentials("root", new Secret("root-secret")),
                metrics,
                metrics.accounts(),
                (name, store) -> accounts.get(name).before(store));
    }

    private static String shard(String name, int limit, Path own) {
        return "{name: %s, type: local, durability: none, path: '%s'%s}"
                .formatted(name, own.resolve(name), limit == 0 ? "" : ", limits: {requests_per_second: " + limit + "}");
    }

    @AfterEach
    void stop() {
        clients.forEach(S3Client::close);
        servers.forEach(server -> server.stop(Duration.ofSeconds(5)));
        gateways.forEach(Gateway::close);
    }

    /** Puts through some of the gateways, as fast as they go, until it is enough; returns how many were told to slow down. */
    private int putUntil(List<S3Client> some, int writersEach, BooleanSupplier enough) throws Exception {
        List<Future<?>> writers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (S3Client client : some) {
                for (int i = 0; i < writersEach; i++) {
                    String prefix = "writer-" + i + "/" + clients.indexOf(client) + "/";
                    writers.add(threads.submit(() -> {
                        for (int put = 0; !enough.getAsBoolean(); put++) {
                            if (!put(client, prefix + put)) {
                                slowedDown.incrementAndGet();
                            }
                        }
                        return true;
                    }));
                }
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        }
        return slowedDown.get();
    }

    /** Whether it was done; false if the client was told to slow down. */
    private static boolean put(S3Client client, String key) {
        try {
            client.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromString("twelve bytes"));
            return true;
        } catch (S3Exception refused) {
            assertThat(refused.awsErrorDetails().errorCode()).isEqualTo("SlowDown");
            return false;
        }
    }

    private void putUntil(List<S3Client> some, CountedAccount account, int more) throws Exception {
        int enough = account.requests() + more;
        assertThat(putUntil(some, FEW, () -> account.requests() >= enough)).isZero();
    }

    @Test
    void in_no_second_they_send_five_percent_over_eighty_percent_of_the_limit_whoever_writes() throws Exception {
        start(3, Map.of("limited", 300, "free", 0));
        CountedAccount limited = accounts.get("limited");
        putUntil(clients, limited, 400); // all at once, from idle
        putUntil(clients.subList(0, 1), limited, 250);
        putUntil(clients.subList(1, 3), limited, 250);
        putUntil(clients, limited, 250);

        assertThat(limited.mostInASecond()).isLessThanOrEqualTo(252);
        assertThat(limited.throttled()).isZero();
        assertThat(accounts.get("free").requests())
                .as("the other account takes the rest")
                .isPositive();
    }

    @Test
    void clients_are_told_to_slow_down_when_all_accounts_are_at_their_limits_and_the_accounts_never_are()
            throws Exception {
        start(1, Map.of("one", 50, "two", 50));
        int refused = putUntil(
                clients,
                MANY,
                () -> slowedDown.get() > 0
                        && accounts.values().stream().allMatch(account -> account.requests() >= 100));

        assertThat(refused).isPositive();
        assertThat(accounts.values()).allSatisfy(account -> {
            assertThat(account.throttled()).isZero();
        });
    }
}
