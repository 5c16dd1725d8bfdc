package io.headgate.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/** A server on a free port with what it told its observer. */
final class ServerFixture implements AutoCloseable {
    final Queue<CompletedExchange> observed = new ConcurrentLinkedQueue<>();
    final HttpServer server;

    ServerFixture(HttpHandler handler) throws IOException {
        this(config -> config, handler);
    }

    ServerFixture(UnaryOperator<HttpServerConfig> config, HttpHandler handler) throws IOException {
        server = HttpServer.start(
                config.apply(HttpServerConfig.listeningOn("127.0.0.1", 0)),
                handler,
                observed::add,
                InstantSource.system(),
                new Random(42));
    }

    RawClient connect() throws IOException {
        return new RawClient(server.address());
    }

    static Response text(String body) {
        return new Response(200, List.of(), new Response.Body.Bytes(body.getBytes(UTF_8)));
    }

    static Response empty(int status) {
        return new Response(status, List.of(), new Response.Body.None(-1));
    }

    @Override
    public void close() {
        server.stop(Duration.ofSeconds(5));
    }
}
