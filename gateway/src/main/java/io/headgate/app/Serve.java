package io.headgate.app;

import io.headgate.admin.AccessLog;
import io.headgate.admin.AdminHandler;
import io.headgate.admin.Metrics;
import io.headgate.admin.RotatingFile;
import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HeadgateConfig.AccessLogConfig;
import io.headgate.app.config.HeadgateConfig.HttpConfig;
import io.headgate.app.config.HeadgateConfig.RegionsConfig;
import io.headgate.app.config.HeadgateConfig.Selectors;
import io.headgate.app.config.HeadgateConfig.UserConfig;
import io.headgate.app.config.HostPort;
import io.headgate.app.config.Secret;
import io.headgate.http.ExchangeObserver;
import io.headgate.http.HttpHandler;
import io.headgate.http.HttpServer;
import io.headgate.http.HttpServerConfig;
import io.headgate.http.Tls;
import io.headgate.namespace.NamespaceException;
import io.headgate.region.PeerHandler;
import io.headgate.region.PeerSettings;
import io.headgate.region.RegistryException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.WritableByteChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A gateway that serves: the wired parts with their HTTP servers, logs and lock. */
final class Serve implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Serve.class);
    private static final Duration ADMIN_DRAIN = Duration.ofSeconds(1);
    private static final int ADMIN_CONNECTIONS = 256;

    /** What to close, the last opened first. */
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    private final List<String> announcement = new ArrayList<>();

    private final HeadgateConfig config;
    private final PeerSettings peerSettings;
    private final InstantSource clock = InstantSource.system();
    private final RandomGenerator random = new SecureRandom();
    private Optional<InetSocketAddress> peersAddress = Optional.empty();
    private Optional<Gateway> gateway = Optional.empty();

    private Serve(HeadgateConfig config, PeerSettings peerSettings) {
        this.config = config;
        this.peerSettings = peerSettings;
    }

    /**
     * Starts a gateway, which serves when this returns. The caller sees to it that it is closed in the end, then lets it
     * {@link #announce} itself.
     *
     * @throws StartException if it cannot start; then everything is closed again
     */
    static Serve start(HeadgateConfig config) throws StartException {
        return start(config, PeerSettings.DEFAULTS);
    }

    /** The same, with other bounds of the hop between regions. */
    static Serve start(HeadgateConfig config, PeerSettings peerSettings) throws StartException {
        Serve serve = new Serve(config, peerSettings);
        try {
            serve.open();
            return serve;
        } catch (NamespaceException | RegistryException | RegionWiring.RegionException failed) {
            serve.close();
            throw new StartException(failed.getMessage() == null ? failed.toString() : failed.getMessage(), failed);
        } catch (StartException | RuntimeException failed) {
            serve.close();
            throw failed;
        }
    }

    private void open() throws StartException {
        DataDirectory.Root root;
        Secret adminToken;
        if (DataDirectory.isNeeded(config)) {
            DataDirectory data = opened(DataDirectory.open(config.dataDir()));
            root = data.rootCredentials(config, random);
            adminToken = data.adminToken(config, random);
        } else {
            root = new DataDirectory.Root(config.root().orElseThrow(), false);
            adminToken = config.adminToken().orElseThrow();
        }
        Metrics metrics = new Metrics();
        Gateway gateway = opened(Gateway.open(config, root.credentials(), metrics, peerSettings));
        this.gateway = Optional.of(gateway);
        AdminHandler admin = new AdminHandler(
                gateway.namespace(),
                gateway.accounts(),
                gateway.placement(),
                gateway.drain(),
                gateway.roster(),
                clock,
                this::owners,
                config.region(),
                metrics,
                Check.settings(config),
                gateway.regions(),
                gateway.registryUpkeep(),
                adminToken.reveal());
        HttpServer adminServer = listen(adminConfig(), admin, _ -> {}, "admin_listen");
        opened.push(() -> adminServer.stop(ADMIN_DRAIN));
        ExchangeObserver observer = observer(metrics);
        if (config.regions().isPresent()) {
            listenForPeers(config.regions().get(), gateway, observer, metrics);
        }
        HttpServer s3Server = listen(serverConfig(config.listen()), gateway.s3(), observer, "listen");
        opened.push(() -> s3Server.stop(config.http().drainTimeout()));
        opened.push(admin::stopping);
        metrics.gauge("headgate.requests.in.flight", "S3 requests being handled", s3Server::requestsInFlight);
        if (root.made()) {
            announcement.add("root credentials, made now and kept in "
                    + DataDirectory.rootCredentialsFile(config.dataDir()) + ":");
            announcement.add("  access key  " + root.credentials().accessKey());
            announcement.add("  secret key  " + root.credentials().secretKey().reveal());
        }
        announcement.add("headgate ready: S3 on " + url(s3Server) + ", admin on " + url(adminServer));
    }

    /** The gateways of other regions are served before clients, and after them: what they send has clients too. */
    private void listenForPeers(RegionsConfig regions, Gateway gateway, ExchangeObserver observer, Metrics metrics)
            throws StartException {
        PeerHandler peers = gateway.peers().orElseThrow();
        HttpServerConfig server = PeerHandler.bounds(serverConfig(regions.listen()));
        HttpServer listening = listen(server, regions.tls().map(RegionWiring::tls), peers, observer, "peers.listen");
        opened.push(() -> listening.stop(config.http().drainTimeout()));
        peersAddress = Optional.of(listening.address());
        metrics.counter(
                "headgate.peer.refused", "Requests at peers.listen that no other region has signed", peers::refused);
    }

    /** Says once where it serves, and the root credentials if they were made at this start. */
    void announce(PrintStream out) {
        announcement.forEach(out::println);
        announcement.clear();
        out.flush();
    }

    /** What serves behind the listeners. */
    Gateway gateway() {
        return gateway.orElseThrow();
    }

    /** Where gateways of other regions are served, if there are several regions. */
    Optional<InetSocketAddress> peersAddress() {
        return peersAddress;
    }

    private <C extends AutoCloseable> C opened(C part) {
        opened.push(part);
        return part;
    }

    /** Lets the requests in flight end, then stops everything. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            AutoCloseable part = opened.pop();
            try {
                part.close();
            } catch (Exception failed) {
                LOG.warn("A part of the gateway did not stop in order", failed);
            }
        }
    }

    private ExchangeObserver observer(Metrics metrics) throws StartException {
        Optional<WritableByteChannel> destination = accessLogDestination();
        ExchangeObserver requests = metrics.requests();
        if (destination.isEmpty()) {
            return requests;
        }
        AccessLog accessLog =
                opened(AccessLog.start(destination.get(), config.accessLog().queuedBytes(), clock));
        metrics.counter("headgate.access.log.dropped", "Lines missing in the access log", accessLog::droppedLines);
        return exchange -> {
            requests.completed(exchange);
            accessLog.completed(exchange);
        };
    }

    /** Standard output and error are not buffered here, as the log writes in batches, and not closed. */
    private Optional<WritableByteChannel> accessLogDestination() throws StartException {
        AccessLogConfig log = config.accessLog();
        return switch (log.destination()) {
            case OFF -> Optional.empty();
            case STDOUT -> Optional.of(new FileOutputStream(FileDescriptor.out).getChannel());
            case STDERR -> Optional.of(new FileOutputStream(FileDescriptor.err).getChannel());
            case FILE -> {
                try {
                    yield Optional.of(new RotatingFile(log.path(), log.maxFileBytes(), log.keptFiles()));
                } catch (IOException failed) {
                    throw new StartException("the access log " + log.path() + " cannot be written: " + failed, failed);
                }
            }
        };
    }

    private HttpServer listen(HttpServerConfig server, HttpHandler handler, ExchangeObserver observer, String key)
            throws StartException {
        return listen(server, Optional.empty(), handler, observer, key);
    }

    private HttpServer listen(
            HttpServerConfig server, Optional<Tls> tls, HttpHandler handler, ExchangeObserver observer, String key)
            throws StartException {
        try {
            return HttpServer.start(server, tls, handler, observer, clock, random);
        } catch (IOException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            String address = new HostPort(server.host(), server.port()).toString();
            throw new StartException("%s: cannot listen on %s: %s".formatted(key, address, cause.getMessage()), failed);
        }
    }

    private HttpServerConfig serverConfig(HostPort listen) {
        HttpConfig http = config.http();
        return new HttpServerConfig(
                listen.host(),
                listen.port(),
                http.selectors() == Selectors.VIRTUAL,
                http.idleTimeout(),
                http.headTimeout(),
                http.minBytesPerSecond(),
                http.minRateGrace(),
                http.maxConnections(),
                http.maxHeadBytes(),
                http.maxHeaderFields(),
                http.maxTargetBytes(),
                http.copyBufferBytes(),
                http.maxCopyBuffers());
    }

    private HttpServerConfig adminConfig() {
        HostPort listen = config.adminListen();
        if (!isLoopback(listen.host())) {
            LOG.warn(
                    "The admin address {} can be reached from other machines; metrics and health ask for no token",
                    listen);
        }
        return HttpServerConfig.listeningOn(listen.host(), listen.port()).withMaxConnections(ADMIN_CONNECTIONS);
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (IOException unknown) {
            return false;
        }
    }

    private Collection<String> owners() {
        List<String> owners = new ArrayList<>(List.of(Gateway.ROOT_USER));
        config.users().stream().map(UserConfig::id).forEach(owners::add);
        return owners;
    }

    private static String url(HttpServer server) {
        InetSocketAddress address = server.address();
        return "http://" + new HostPort(address.getHostString(), address.getPort());
    }
}
