package io.headgate.benchmarks;

import io.headgate.admin.Metrics;
import io.headgate.app.Gateway;
import io.headgate.app.config.ConfigException;
import io.headgate.app.config.ConfigLoader;
import io.headgate.app.config.HeadgateConfig.Credentials;
import io.headgate.app.config.Secret;
import io.headgate.domain.BucketName;
import io.headgate.http.HttpServer;
import io.headgate.http.HttpServerConfig;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Gateways in this process, with one bucket: one over a namespace of its own, or several over a database. */
final class Fleet implements AutoCloseable {
    static final String BUCKET = "bench";

    private final List<Gateway> gateways = new ArrayList<>();
    private final List<HttpServer> servers = new ArrayList<>();

    /**
     * Starts them on free ports of the loopback interface.
     *
     * @param directory empty
     * @param database URL of an empty PostgreSQL database; without it there is one gateway
     * @param shards the accounts, in JSON
     */
    Fleet(Path directory, int gateways, Optional<String> database, String shards, Map<String, String> settings)
            throws IOException {
        for (int i = 0; i < gateways; i++) {
            Map<String, String> all = new HashMap<>(settings);
            Path own = Files.createDirectory(directory.resolve("gateway-" + i));
            all.put("HEADGATE_DATA_DIR", own.toString());
            all.put("HEADGATE_REGION", ClientSignature.REGION);
            all.put("HEADGATE_NAMESPACE_DURABILITY", "none");
            all.put("STORAGE_SHARDS", shards);
            database.ifPresent(url -> {
                all.put("HEADGATE_NAMESPACE_ENGINE", "postgres");
                all.put("HEADGATE_NAMESPACE_URL", url);
            });
            start(all);
        }
        namespace().createBucket(new Bucket(new BucketName(BUCKET), "root", "", Instant.now()));
    }

    private void start(Map<String, String> environment) throws IOException {
        Metrics metrics = new Metrics();
        try {
            Gateway gateway = Gateway.open(
                    ConfigLoader.load(Optional.empty(), environment, List.of()),
                    new Credentials(ClientSignature.ACCESS_KEY, new Secret(ClientSignature.SECRET)),
                    metrics,
                    metrics.accounts(),
                    (_, store) -> store);
            gateways.add(gateway);
            servers.add(HttpServer.start(
                    HttpServerConfig.listeningOn("127.0.0.1", 0),
                    gateway.s3(),
                    _ -> {},
                    InstantSource.system(),
                    () -> ThreadLocalRandom.current().nextLong()));
        } catch (ConfigException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    List<InetSocketAddress> addresses() {
        return servers.stream().map(HttpServer::address).toList();
    }

    Namespace namespace() {
        return gateways.getFirst().namespace();
    }

    /** To be called when every request has been answered. */
    @Override
    public void close() {
        servers.forEach(server -> server.stop(Duration.ZERO));
        gateways.forEach(Gateway::close);
    }
}
