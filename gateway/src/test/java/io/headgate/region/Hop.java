package io.headgate.region;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BodyException;
import io.headgate.http.Exchange;
import io.headgate.http.HttpServer;
import io.headgate.http.HttpServerConfig;
import io.headgate.http.RawClient;
import io.headgate.http.Response;
import io.headgate.s3.Responses;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.auth.BodyClaims;
import io.headgate.s3.auth.Payload;
import io.headgate.s3.auth.RelayedBody;
import io.headgate.s3.auth.VerifiedBody;
import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Two regions on one machine: a gateway of {@code us}, where clients come, and one of {@code eu}, which owns everything. */
final class Hop implements AutoCloseable {
    static final PeerSecret SECRET = new PeerSecret("a secret of the two regions");
    static final String USER = "alice & sons, Zürich";
    private static final HttpServerConfig ANY_PORT = HttpServerConfig.listeningOn("127.0.0.1", 0);

    /** What the clock shows, until it is set. */
    volatile Instant now = Instant.parse("2026-11-30T12:00:00Z");

    /** How much time has passed for time-outs: none, until the test says so. */
    final AtomicLong nanos = new AtomicLong();

    final PeerHandler receiver;
    final HttpServer owner;
    final Peers peers;
    final HttpServer entry;
    private volatile ForwardedHandler handler = (exchange, by) -> text("hello");

    Hop() throws IOException {
        this(List.of());
    }

    /** @param others gateways of {@code eu} beside the one here */
    Hop(List<URI> others) throws IOException {
        InstantSource clock = () -> now;
        receiver = new PeerHandler("eu", Map.of("us", SECRET), (exchange, by) -> handler.handle(exchange, by), clock);
        owner = HttpServer.start(PeerHandler.bounds(ANY_PORT), receiver, done -> {}, clock, new Random(1));
        List<URI> gateways = new ArrayList<>(others);
        gateways.add(address(owner));
        peers = new Peers(
                "us",
                List.of(new PeerRegion("eu", gateways, SECRET)),
                Optional.empty(),
                PeerSettings.DEFAULTS,
                clock,
                new Random(2),
                nanos::get);
        entry = HttpServer.start(ANY_PORT, this::forward, done -> {}, clock, new Random(3));
    }

    static URI address(HttpServer server) {
        return URI.create("http://127.0.0.1:" + server.address().getPort());
    }

    /** What the owner does with requests from now on. */
    Hop answering(ForwardedHandler with) {
        handler = with;
        return this;
    }

    RawClient client() throws IOException {
        return new RawClient(entry.address());
    }

    private Response forward(Exchange exchange) {
        boolean hasBody = exchange.head().method().startsWith("P");
        Optional<RelayedBody> body = hasBody
                ? RelayedBody.of(exchange.head(), payload(exchange), exchange.contentLength(), exchange.body())
                : Optional.empty();
        try {
            return switch (peers.forward("eu", exchange, "", USER, body)) {
                case Answer.Relayed(PeerResponse response) -> response.relayed();
                case Answer.Misdirected() -> text(409, "misdirected");
                case Answer.Unreachable(String reason) -> text(503, reason);
            };
        } catch (S3BodyException wrong) {
            return Responses.error(wrong.asAnswer(), exchange.head(), exchange.requestId());
        } catch (BodyException broken) {
            return text(400, "the client's body broke off");
        }
    }

    private static Payload payload(Exchange exchange) {
        String hash = exchange.head().header("x-amz-content-sha256");
        if (hash == null) {
            return new Payload.Unsigned();
        }
        return hash.startsWith("STREAMING") ? new Payload.UnsignedChunks() : new Payload.Sha256(hash);
    }

    /** The content of a forwarded request, read and verified as the operations do it. */
    static byte[] content(Exchange exchange, Forwarded by) throws IOException {
        VerifiedBody body = new VerifiedBody(
                BodyClaims.of(exchange.head(), by.payload(), exchange.contentLength()), exchange.body(), null);
        byte[] content = body.readNBytes((int) body.lengthBytes());
        body.finish();
        return content;
    }

    static Response text(String text) {
        return text(200, text);
    }

    static Response text(int status, String text) {
        return new Response(status, List.of(), new Response.Body.Bytes(text.getBytes(UTF_8)));
    }

    @Override
    public void close() {
        entry.stop(Duration.ZERO);
        peers.close();
        owner.stop(Duration.ZERO);
    }

    /** Whether each gateway of the other region seems to answer. */
    List<Boolean> live() {
        return peers.gateways().stream().map(GatewayView::isLive).toList();
    }

    /** Reads up to the end of a head. */
    static void readHead(Socket socket) throws IOException {
        for (int ends = 0; ends < 4; ) {
            int c = socket.getInputStream().read();
            if (c < 0) {
                throw new EOFException("no head");
            }
            ends = c == '\r' || c == '\n' ? ends + 1 : 0;
        }
    }

    /** The same to everybody who connects, until the socket is closed. */
    static void answerAll(ServerSocket listener, String answer) {
        while (!listener.isClosed()) {
            try (Socket socket = listener.accept()) {
                readHead(socket);
                socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
            } catch (IOException closed) {
                // The listener, or one who hung up.
            }
        }
    }
}
