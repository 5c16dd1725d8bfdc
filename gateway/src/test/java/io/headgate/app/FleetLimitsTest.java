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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** Three gateways over one namespace, before an account that allows 300 requests a second and one that allows any number. */
@Timeout(180)
final class FleetLimitsTest {
    private static final int LIMIT = 300;
    /** 5 % over 80 % of the limit. */
    private static final int MOST = 252;

    /** So few that what is under way at one time, and may arrive late together, is within those 5 %. */
    private static final int CLIENTS_A_GATEWAY = 2;

    private static final String BUCKET = "fleet";

    private final CountedAccount limited = new CountedAccount(LIMIT);
    private final CountedAccount free = new CountedAccount(Integer.MAX_VALUE);
    private final PostgresOptions database = Postgres.fresh();
    private final List<Gateway> gateways = new ArrayList<>();
    private final List<HttpServer> servers = new ArrayList<>();
    private final List<S3Client> clients = new ArrayList<>();

    @TempDir
    private Path directory;

    @BeforeEach
    void start() throws Exception {
        for (int i = 0; i < 3; i++) {
            Gateway gateway = gateway(directory.resolve("gateway-" + i));
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
                    .build());
        }
        clients.getFirst().createBucket(create -> create.bucket(BUCKET));
    }

    private Gateway gateway(Path own) throws Exception {
        Map<String, String> environment = new HashMap<>();
        environment.put("HEADGATE_NAMESPACE_ENGINE", "postgres");
        environment.put(
                "HEADGATE_NAMESPACE_URL", "postgresql://postgres:any@" + database.hosts() + "/" + database.database());
        environment.put("HEADGATE_NAMESPACE_CONNECTIONS", "8");
        environment.put("HEADGATE_DATA_DIR", own.toString());
        environment.put(
                "STORAGE_SHARDS",
                "[{name: limited, type: local, durability: none, path: '" + own.resolve("limited")
                        + "', limits: {requests_per_second: " + LIMIT + "}},"
                        + " {name: free, type: local, durability: none, path: '" + own.resolve("free") + "'}]");
        Metrics metrics = new Metrics();
        return Gateway.open(
                ConfigLoader.load(Optional.empty(), environment, List.of()),
                new Credentials("root", new Secret("root-secret")),
                metrics,
                metrics.accounts(),
                (name, store) -> (name.equals("limited") ? limited : free).before(store));
    }

    @AfterEach
    void stop() {
        clients.forEach(S3Client::close);
        servers.forEach(server -> server.stop(Duration.ofSeconds(5)));
        gateways.forEach(Gateway::close);
    }

    /** Puts through some of the gateways, as fast as they go, until it is enough. */
    private void putThrough(List<S3Client> some, BooleanSupplier enough) throws Exception {
        List<Future<Integer>> writers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (S3Client client : some) {
                for (int i = 0; i < CLIENTS_A_GATEWAY; i++) {
                    String prefix = "writer-" + i + "/" + clients.indexOf(client) + "/";
                    writers.add(threads.submit(() -> {
                        int put = 0;
                        while (!enough.getAsBoolean()) {
                            String key = prefix + put++;
                            client.putObject(
                                    request -> request.bucket(BUCKET).key(key), RequestBody.fromString("twelve bytes"));
                        }
                        return put;
                    }));
                }
            }
            for (Future<Integer> writer : writers) {
                writer.get();
            }
        }
    }

    private void putUntil(List<S3Client> some, int requests) throws Exception {
        int enough = limited.requests() + requests;
        putThrough(some, () -> limited.requests() >= enough);
    }

    @Test
    void in_no_second_they_send_it_five_percent_over_eighty_percent_of_its_limit_whoever_writes() throws Exception {
        putUntil(clients, 600); // all at once, from idle
        putUntil(clients.subList(0, 1), 400);
        putUntil(clients.subList(1, 3), 400);
        putUntil(clients, 400);

        assertThat(limited.mostInASecond()).isLessThanOrEqualTo(MOST);
        assertThat(limited.throttled()).isZero();
        assertThat(free.requests()).as("the other account takes the rest").isPositive();
        assertThat(gateways)
                .allSatisfy(gateway -> assertThat(gateway.accounts()
                                .byName("limited")
                                .orElseThrow()
                                .meter()
                                .requests()
                                .ceilingPerSecond())
                        .isEqualTo(LIMIT));
    }
}
