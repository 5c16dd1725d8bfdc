package io.headgate.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP/1.1 server that hands each request to a handler on a virtual thread of its own. What is not HTTP, or exceeds the
 * configured bounds, it answers itself with S3's error XML. Thread-safe.
 */
public final class HttpServer {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    private static final int RESPONSE_HEAD_BYTES = 8 * 1024;
    private static final int MAX_RESPONSE_HEAD_BYTES = 64 * 1024;
    private static final long CROWDED_IDLE_MILLIS = 10_000;

    private final Server server;
    private final InetSocketAddress address;
    private final RequestDispatcher dispatcher;

    private HttpServer(Server server, InetSocketAddress address, RequestDispatcher dispatcher) {
        this.server = server;
        this.address = address;
        this.dispatcher = dispatcher;
    }

    /**
     * Starts to listen.
     *
     * @param clock tells when a request came
     * @param random makes request ids unpredictable and unique; used under a lock, once a connection
     * @throws IOException if the address cannot be listened on
     */
    public static HttpServer start(
            HttpServerConfig config,
            HttpHandler handler,
            ExchangeObserver observer,
            InstantSource clock,
            RandomGenerator random)
            throws IOException {
        return start(config, Optional.empty(), handler, observer, clock, random);
    }

    /**
     * Starts to listen.
     *
     * @param tls spoken on every connection, if it is there
     */
    public static HttpServer start(
            HttpServerConfig config,
            Optional<Tls> tls,
            HttpHandler handler,
            ExchangeObserver observer,
            InstantSource clock,
            RandomGenerator random)
            throws IOException {
        Server server = new Server(threadPool(config), null, bufferPool());
        RequestDispatcher dispatcher = new RequestDispatcher(config, handler, observer, clock);
        HttpConfiguration http = httpConfiguration(config);
        if (tls.isPresent()) {
            // Jetty would add its own, which refuses a Host that the certificate does not name; buckets' hosts come
            // along here.
            http.addCustomizer(new SecureRequestCustomizer(false));
        }
        ConnectionFactory factory = new ConnectionFactory(http, config, dispatcher, random);
        ServerConnector connector = new ServerConnector(server, null, null, null, -1, -1, factories(factory, tls));
        connector.setHost(config.host());
        connector.setPort(config.port());
        connector.setIdleTimeout(config.idleTimeout().toMillis());
        connector.setAcceptQueueSize(1024);
        server.addConnector(connector);
        server.addBean(connectionLimit(config, server));
        server.setHandler(dispatcher);
        server.setErrorHandler(dispatcher::handleError);
        start(server);
        return new HttpServer(server, new InetSocketAddress(config.host(), connector.getLocalPort()), dispatcher);
    }

    /** Where it listens, with the port that was picked if 0 was asked for. */
    public InetSocketAddress address() {
        return address;
    }

    /** Requests being handled at this moment. */
    public long requestsInFlight() {
        return dispatcher.inFlight();
    }

    /** Stops to accept, waits so long for the requests in flight, then closes all connections. */
    public void stop(Duration drain) {
        server.setStopTimeout(Math.max(1, drain.toMillis()));
        try {
            server.stop();
        } catch (TimeoutException e) {
            LOG.warn("Requests still in flight after {} were cut", drain);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("The HTTP server did not stop in order", e);
        }
    }

    private static org.eclipse.jetty.server.ConnectionFactory[] factories(ConnectionFactory http, Optional<Tls> tls) {
        if (tls.isEmpty()) {
            return new org.eclipse.jetty.server.ConnectionFactory[] {http};
        }
        SslContextFactory.Server ssl = new SslContextFactory.Server();
        ssl.setSslContext(tls.get().context());
        ssl.setIncludeProtocols(Tls.protocols());
        ssl.setNeedClientAuth(tls.get().hasAuthorities());
        // Clients that know a gateway by its address name none.
        ssl.setSniRequired(false);
        return new org.eclipse.jetty.server.ConnectionFactory[] {new SslConnectionFactory(ssl, http.getProtocol()), http
        };
    }

    private static void start(Server server) throws IOException {
        try {
            server.start();
        } catch (IOException e) {
            stopQuietly(server, e);
            throw e;
        } catch (Exception e) {
            stopQuietly(server, e);
            throw new IllegalStateException("The HTTP server could not start", e);
        }
    }

    private static void stopQuietly(Server server, Exception cause) {
        try {
            server.stop();
        } catch (Exception e) {
            cause.addSuppressed(e);
        }
    }

    private static NetworkConnectionLimit connectionLimit(HttpServerConfig config, Server server) {
        NetworkConnectionLimit limit = new NetworkConnectionLimit(config.maxConnections(), server);
        // While it is full, silent connections make room sooner.
        limit.setEndPointIdleTimeout(Math.min(config.idleTimeout().toMillis(), CROWDED_IDLE_MILLIS));
        return limit;
    }

    private static ThreadPool threadPool(HttpServerConfig config) {
        if (config.virtualThreadSelectors()) {
            VirtualThreadPool pool = new VirtualThreadPool();
            // A task a connection at most, and connections are bounded; a bound here would let slow clients starve the
            // others.
            pool.setMaxConcurrentTasks(0);
            return pool;
        }
        QueuedThreadPool pool = new QueuedThreadPool();
        pool.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        return pool;
    }

    private static ArrayByteBufferPool bufferPool() {
        return new ArrayByteBufferPool(0, 8 * 1024, ServerConnection.INPUT_BUFFER_BYTES);
    }

    private static HttpConfiguration httpConfiguration(HttpServerConfig config) {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendXPoweredBy(false);
        http.setSendDateHeader(true);
        http.setUriCompliance(UriCompliance.UNSAFE);
        // Jetty's cache of common fields would hand out "utf-8" for a client's "UTF-8", and the signature covers what
        // was sent.
        http.setHeaderCacheCaseSensitive(true);
        http.setInputBufferSize(ServerConnection.INPUT_BUFFER_BYTES);
        http.setRequestHeaderSize(config.maxHeadBytes());
        http.setResponseHeaderSize(RESPONSE_HEAD_BYTES);
        http.setMaxResponseHeaderSize(MAX_RESPONSE_HEAD_BYTES);
        return http;
    }

    private static final class ConnectionFactory extends HttpConnectionFactory {
        private final HttpServerConfig config;
        private final RequestDispatcher dispatcher;
        private final RandomGenerator random;

        ConnectionFactory(
                HttpConfiguration http, HttpServerConfig config, RequestDispatcher dispatcher, RandomGenerator random) {
            super(http);
            this.config = config;
            this.dispatcher = dispatcher;
            this.random = random;
        }

        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            ServerConnection connection = new ServerConnection(
                    getHttpConfiguration(),
                    connector,
                    endPoint,
                    config.headTimeout().toNanos(),
                    nextSeed(),
                    dispatcher::answerLateHead);
            return configure(connection, connector, endPoint);
        }

        private long nextSeed() {
            synchronized (random) {
                return random.nextLong();
            }
        }
    }
}
