package io.headgate.benchmarks;

import io.headgate.account.AccountListener;
import io.headgate.admin.Metrics;
import io.headgate.app.Gateway;
import io.headgate.app.config.ConfigException;
import io.headgate.app.config.ConfigLoader;
import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HeadgateConfig.Credentials;
import io.headgate.app.config.HostPort;
import io.headgate.app.config.Secret;
import io.headgate.blob.BlobStore;
import io.headgate.domain.BucketName;
import io.headgate.http.HttpServer;
import io.headgate.http.HttpServerConfig;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import io.headgate.region.PeerHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * A gateway in this process, the one that is served: three local accounts, one of which can be made to fail. Nothing is flushed to disk,
 * so that the figures are those of the gateway and not of the machine's disk.
 */
final class LocalGateway implements AutoCloseable {
    /** The account that can be made to fail is the second. */
    static final List<String> ACCOUNTS = List.of("one", "two", "three");

    static final String BUCKET = "bench";

    private static final String DEGRADING = "two";

    private final Gateway gateway;
    private final HttpServer server;
    private final Optional<HttpServer> peers;
    private final Map<String, FaultyAccount> stores = new HashMap<>();

    /**
     * Starts it on a free port of the loopback interface, with an empty bucket.
     *
     * @param directory empty
     * @param settings beside those of the accounts, as environment variables
     */
    LocalGateway(Path directory, Map<String, String> settings, AccountListener listener) throws IOException {
        this(config(directory, settings), listener);
        gateway.namespace().createBucket(new Bucket(new BucketName(BUCKET), "root", "", Instant.now()));
    }

    /**
     * One of several regions, without a bucket.
     *
     * @param settings with the keys of regions, which share one secret
     */
    static LocalGateway ofRegion(Path directory, Map<String, String> settings) throws IOException {
        return new LocalGateway(config(directory, settings), AccountListener.NONE);
    }

    private LocalGateway(HeadgateConfig config, AccountListener listener) throws IOException {
        gateway = Gateway.open(
                config,
                new Credentials(ClientSignature.ACCESS_KEY, new Secret(ClientSignature.SECRET)),
                new Metrics(),
                listener,
                this::faulty);
        server = HttpServer.start(
                HttpServerConfig.listeningOn("127.0.0.1", 0),
                gateway.s3(),
                _ -> {},
                InstantSource.system(),
                () -> ThreadLocalRandom.current().nextLong());
        peers = config.regions().isPresent()
                ? Optional.of(listenForPeers(config.regions().get().listen()))
                : Optional.empty();
    }

    private HttpServer listenForPeers(HostPort listen) throws IOException {
        return HttpServer.start(
                PeerHandler.bounds(HttpServerConfig.listeningOn(listen.host(), listen.port())),
                gateway.peers().orElseThrow(),
                _ -> {},
                InstantSource.system(),
                () -> ThreadLocalRandom.current().nextLong());
    }

    private static HeadgateConfig config(Path directory, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("HEADGATE_DATA_DIR", directory.toString());
        all.putIfAbsent("HEADGATE_REGION", ClientSignature.REGION);
        all.put("HEADGATE_NAMESPACE_DURABILITY", "none");
        all.put(
                "STORAGE_SHARDS",
                ACCOUNTS.stream()
                        .map(name ->
                                "{\"name\": \"%s\", \"type\": \"local\", \"path\": \"%s\", \"durability\": \"none\"}"
                                        .formatted(name, directory.resolve(name)))
                        .collect(Collectors.joining(", ", "[", "]")));
        try {
            return ConfigLoader.load(Optional.empty(), all, List.of());
        } catch (ConfigException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    private BlobStore faulty(String account, BlobStore real) {
        FaultyAccount store = new FaultyAccount(real);
        stores.put(account, store);
        return store;
    }

    Namespace namespace() {
        return gateway.namespace();
    }

    InetSocketAddress address() {
        return server.address();
    }

    /** The account that can be made to fail. */
    FaultyAccount faulty() {
        FaultyAccount degrading = stores.get(DEGRADING);
        if (degrading == null) {
            throw new IllegalStateException("no account " + DEGRADING);
        }
        return degrading;
    }

    /** To be called when every request has been answered. */
    @Override
    public void close() {
        server.stop(Duration.ZERO);
        peers.ifPresent(listening -> listening.stop(Duration.ZERO));
        gateway.close();
    }
}
