package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.app.config.ConfigLoader;
import io.headgate.app.config.HeadgateConfig;
import io.headgate.namespace.cache.Wire;
import io.headgate.region.PeerSettings;
import io.headgate.region.Registry;
import io.headgate.servers.PostgresServer;
import io.headgate.servers.RedisCluster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** Several regions in one process, each with a namespace and an account of its own, whose gateways reach each other over wires. */
final class SeveralRegions implements AutoCloseable {
    private static final String TOKEN = "0123456789abcdef";

    /** The settings of a gateway that knows of no regions; the empty ones are left out. */
    static final Map<String, String> ALONE = Map.of(
            "HEADGATE_REGIONS", "",
            "HEADGATE_PEERS_LISTEN", "",
            "HEADGATE_PEERS_SECRET", "",
            "HEADGATE_REGISTRY_URL", "");

    private static final String SECRET = "the-secret-that-all-regions-of-these-tests-share";
    private static final Pattern READY =
            Pattern.compile("S3 on (http://127.0.0.1:\\d+), admin on (http://127.0.0.1:\\d+)");

    private final Path directory;
    private final PeerSettings peers;
    private final Map<String, Site> sites = new LinkedHashMap<>();

    enum Engine {
        SQLITE,
        POSTGRES,
        REDIS
    }

    /** None yet. */
    SeveralRegions(Path directory, PeerSettings peers) {
        this.directory = directory;
        this.peers = peers;
    }

    /** Adds a region, which is not started. */
    Site add(String name, Engine engine, String registryUrl) throws IOException {
        Site site = new Site(name, engine, registryUrl);
        sites.put(name, site);
        return site;
    }

    void start() throws Exception {
        for (Site site : sites.values()) {
            site.start();
        }
    }

    @Override
    public void close() throws IOException {
        for (Site site : sites.values()) {
            site.stop();
            site.wire.close();
        }
    }

    /** A region with one gateway. */
    final class Site {
        final String name;
        /** The way from other regions to this one. */
        final Wire wire = Wire.toNobody();
        /** Of the configuration, beside what all have. */
        final Map<String, String> settings = new HashMap<>();

        private final Engine engine;
        private final Map<String, S3Client> clients = new HashMap<>();
        private final List<S3Presigner> presigners = new ArrayList<>();
        private Optional<Serve> serve = Optional.empty();
        private URI s3 = URI.create("http://127.0.0.1:1");
        private URI admin = s3;

        private Site(String name, Engine engine, String registryUrl) throws IOException {
            this.name = name;
            this.engine = engine;
            settings.put("HEADGATE_REGISTRY_URL", registryUrl);
            switch (engine) {
                case SQLITE -> {
                    // in the data directory
                }
                case POSTGRES -> {
                    settings.put("HEADGATE_NAMESPACE_ENGINE", "postgres");
                    settings.put("HEADGATE_NAMESPACE_URL", database(PostgresServer.port()));
                }
                case REDIS -> {
                    settings.put("HEADGATE_NAMESPACE_ENGINE", "redis");
                    settings.put("HEADGATE_NAMESPACE_URL", RedisCluster.shared().url());
                    settings.put("HEADGATE_NAMESPACE_REPLICAS", "1");
                }
            }
        }

        /** Also after {@link #stop}. */
        void start() throws Exception {
            Serve started = Serve.start(config(), peers);
            serve = Optional.of(started);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            started.announce(new PrintStream(out, true, StandardCharsets.UTF_8));
            Matcher ready = READY.matcher(out.toString(StandardCharsets.UTF_8));
            assertThat(ready.find()).as("%s", out).isTrue();
            s3 = URI.create(ready.group(1));
            admin = URI.create(ready.group(2));
            started.peersAddress().ifPresent(address -> wire.leadTo(address.getPort()));
        }

        void stop() {
            wire.cut();
            clients.values().forEach(S3Client::close);
            clients.clear();
            presigners.forEach(S3Presigner::close);
            presigners.clear();
            serve.ifPresent(Serve::close);
            serve = Optional.empty();
        }

        private HeadgateConfig config() throws Exception {
            Map<String, String> environment = new HashMap<>();
            environment.put("HEADGATE_REGION", name);
            environment.put("HEADGATE_LISTEN", "127.0.0.1:0");
            environment.put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:0");
            environment.put(
                    "HEADGATE_DATA_DIR", directory.resolve(name + "-data").toString());
            environment.put("HEADGATE_ROOT_ACCESS_KEY", "root");
            environment.put("HEADGATE_ROOT_SECRET_KEY", "root-secret");
            environment.put("HEADGATE_ADMIN_TOKEN", TOKEN);
            environment.put("HEADGATE_ACCESS_LOG_DESTINATION", "off");
            environment.put("HEADGATE_HTTP_DRAIN_TIMEOUT", "1s");
            environment.put("HEADGATE_MULTIPART_MIN_PART_SIZE", "1B");
            environment.put("HEADGATE_USERS", "[" + user("alice") + ", " + user("bob") + "]");
            environment.put(
                    "STORAGE_SHARDS",
                    "[{\"name\": \"disk\", \"type\": \"local\", \"path\": \"" + directory.resolve(name) + "\"}]");
            environment.put("HEADGATE_PEERS_LISTEN", "127.0.0.1:0");
            environment.put("HEADGATE_PEERS_SECRET", SECRET);
            environment.put(
                    "HEADGATE_REGIONS",
                    sites.values().stream().map(Site::entry).collect(Collectors.joining(",", "[", "]")));
            environment.putAll(settings);
            environment.values().removeIf(String::isEmpty);
            return ConfigLoader.load(Optional.empty(), environment, List.of());
        }

        private String entry() {
            return "{\"name\": \"%s\", \"gateways\": \"http://127.0.0.1:%d\", \"endpoint\": \"https://%s.example.com\"}"
                    .formatted(name, wire.port(), name);
        }

        URI s3() {
            return s3;
        }

        Serve serve() {
            return serve.orElseThrow();
        }

        /** One that does not try again. */
        S3Client as(String user) {
            return clients.computeIfAbsent(
                    user,
                    who -> S3Client.builder()
                            .endpointOverride(s3)
                            .region(Region.of(name))
                            .forcePathStyle(true)
                            .overrideConfiguration(override -> override.retryStrategy(AwsRetryStrategy.doNotRetry()))
                            .credentialsProvider(credentials(who))
                            .build());
        }

        S3Presigner presigner(String user, boolean pathStyle, URI endpoint) {
            S3Presigner presigner = S3Presigner.builder()
                    .endpointOverride(endpoint)
                    .region(Region.of(name))
                    .serviceConfiguration(S3Configuration.builder()
                            .pathStyleAccessEnabled(pathStyle)
                            .build())
                    .credentialsProvider(credentials(user))
                    .build();
            presigners.add(presigner);
            return presigner;
        }

        /** What the admin address says. */
        String admin(String path, String accept) throws Exception {
            try (HttpClient http = HttpClient.newHttpClient()) {
                HttpRequest request = HttpRequest.newBuilder(admin.resolve(path))
                        .header("Authorization", "Bearer " + TOKEN)
                        .header("Accept", accept)
                        .build();
                return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
            }
        }
    }

    static void create(Site where, String user, String bucket) {
        where.as(user).createBucket(create -> create.bucket(bucket));
    }

    static void put(Site through, String user, String bucket, String key, String content) {
        through.as(user).putObject(put -> put.bucket(bucket).key(key), RequestBody.fromString(content));
    }

    static String get(Site through, String user, String bucket, String key) {
        return through.as(user)
                .getObjectAsBytes(get -> get.bucket(bucket).key(key))
                .asUtf8String();
    }

    /** {@code ok}, or the code of the error. */
    static String result(Supplier<?> call) {
        try {
            Object unused = call.get();
            return "ok";
        } catch (S3Exception failed) {
            return failed.awsErrorDetails().errorCode();
        }
    }

    static Registry registry(Site site) {
        return site.serve().gateway().regions().orElseThrow().registry();
    }

    /** A new database behind a port, as a URL. */
    static String database(int port) {
        return "postgresql://postgres@127.0.0.1:" + port + "/" + PostgresServer.freshDatabase();
    }

    private static String user(String id) {
        return "{\"id\": \"%s\", \"access_key\": \"%s\", \"secret_key\": \"%s-secret\"}".formatted(id, id, id);
    }

    private static StaticCredentialsProvider credentials(String user) {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(user, user + "-secret"));
    }
}
