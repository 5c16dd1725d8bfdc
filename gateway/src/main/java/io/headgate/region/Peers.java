package io.headgate.region;

import io.headgate.domain.BodyException;
import io.headgate.http.Exchange;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Tls;
import io.headgate.s3.PercentCoding;
import io.headgate.s3.auth.RelayedBody;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The other regions, as requests are sent to them. A request goes to one of a region's gateways that answer, in turn; to another one too if
 * nothing can have come of it at the first.
 *
 * <p>All of it runs on the caller's thread, which for a forwarded request is the one of its client: its body is read there, not before the
 * other region asks for it, and its answer is read as the client takes it. Thread-safe.
 */
public final class Peers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Peers.class);
    private static final int NONCE_BYTES = 16;
    private static final String HOST = "host";

    private final String ownRegion;
    private final PeerSettings settings;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Deadlines deadlines;
    private final Map<String, Peer> peers = new LinkedHashMap<>();

    private record Peer(PeerRegion region, List<PeerGateway> gateways, TrafficMeter traffic, AtomicInteger turn) {}

    /**
     * @param regions the others; one of the own name is left out
     * @param tls for gateways whose address begins with https; without it, what the Java platform trusts
     * @param clock within a minute of that of the other regions' gateways
     * @param random makes nonces, of which no two may be the same; used under a lock
     */
    public Peers(
            String ownRegion,
            List<PeerRegion> regions,
            Optional<Tls> tls,
            PeerSettings settings,
            InstantSource clock,
            RandomGenerator random) {
        this(ownRegion, regions, tls, settings, clock, random, System::nanoTime);
    }

    /** For tests, which tell how much time passes. */
    Peers(
            String ownRegion,
            List<PeerRegion> regions,
            Optional<Tls> tls,
            PeerSettings settings,
            InstantSource clock,
            RandomGenerator random,
            LongSupplier nanoTime) {
        this.deadlines = new Deadlines(nanoTime);
        this.ownRegion = ownRegion;
        this.settings = settings;
        this.clock = clock;
        this.random = random;
        SSLContext context = tls.map(Tls::context).orElseGet(Peers::trustOfThePlatform);
        for (PeerRegion region : regions) {
            if (!region.name().equals(ownRegion)) {
                List<PeerGateway> gateways = region.gateways().stream()
                        .map(address -> new PeerGateway(region.name(), address, context, settings, deadlines, clock))
                        .toList();
                peers.put(region.name(), new Peer(region, gateways, new TrafficMeter(), new AtomicInteger()));
            }
        }
    }

    private static SSLContext trustOfThePlatform() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("TLS is part of every Java platform", impossible);
        }
    }

    /**
     * Sends a client's request on as it came, but in path style and without its host: which hosts stand for buckets is each region's own
     * affair.
     *
     * @param hostBucket the bucket that the request's host stands for; empty if it is in the path
     * @param userId whom it was authenticated as
     * @param body its body, if the operation has one
     * @throws BodyException if the client's body breaks off, or turns out wrong ({@link io.headgate.s3.S3BodyException}); then nothing
     *     comes of the request
     */
    public Answer forward(
            String region, Exchange exchange, String hostBucket, String userId, Optional<RelayedBody> body)
            throws BodyException {
        RequestHead head = exchange.head();
        return send(
                region,
                new PeerRequest(
                        head.method(),
                        hostBucket.isEmpty() ? head.target() : "/" + hostBucket + head.target(),
                        head.fields().stream()
                                .filter(field -> !field.name().equals(PeerRequest.WITH_TAGS))
                                .toList(),
                        userId,
                        head.remoteAddress(),
                        exchange.requestId(),
                        body));
    }

    /**
     * Sends a request.
     *
     * @throws BodyException if its body cannot be read
     * @throws IllegalArgumentException if its head cannot be sent as HTTP
     */
    public Answer send(String region, PeerRequest request) throws BodyException {
        Peer peer = peers.get(region);
        if (peer == null) {
            return new Answer.Unreachable("region " + region + " is not known here");
        }
        peer.traffic.requests.increment();
        long begunNanos = System.nanoTime();
        Answer answer = sendInTurn(peer, request);
        switch (answer) {
            case Answer.Relayed relayed -> {
                peer.traffic.answers.increment();
                peer.traffic.answerNanos.add(System.nanoTime() - begunNanos);
            }
            case Answer.Misdirected() -> peer.traffic.misdirected.increment();
            case Answer.Unreachable(String reason) -> {
                peer.traffic.failures.increment();
                LOG.debug("request {}: region {} is unreachable: {}", request.requestId(), region, reason);
            }
        }
        return answer;
    }

    private Answer sendInTurn(Peer peer, PeerRequest request) throws BodyException {
        Signing signing = new Signing(peer.region, request);
        int count = peer.gateways.size();
        int first = peer.turn.getAndIncrement();
        String reason = "none of its " + count + " gateways answered lately";
        for (int i = 0; i < count; i++) {
            PeerGateway gateway = peer.gateways.get(Math.floorMod(first + i, count));
            PeerGateway.Admission admission = gateway.admit();
            if (admission == PeerGateway.Admission.REFUSED) {
                continue;
            }
            PeerExchange exchange = new PeerExchange(gateway, admission, request, signing, settings, peer.traffic);
            switch (exchange.run()) {
                case PeerExchange.Outcome.Answered(Answer answer) -> {
                    return answer;
                }
                case PeerExchange.Outcome.Failed(String why, boolean repeatable) -> {
                    reason = gateway.address() + ": " + why;
                    if (!repeatable) {
                        return new Answer.Unreachable(reason);
                    }
                }
            }
        }
        return new Answer.Unreachable(reason);
    }

    /** The gateways of all other regions, as they look now. */
    public List<GatewayView> gateways() {
        return peers.values().stream()
                .flatMap(peer -> peer.gateways.stream())
                .map(PeerGateway::view)
                .toList();
    }

    /** What has gone to each of the other regions. */
    public List<Traffic> traffic() {
        return peers.values().stream()
                .map(peer -> peer.traffic.read(peer.region.name()))
                .toList();
    }

    /** Cuts what is under way. */
    @Override
    public void close() {
        deadlines.close();
    }

    private String newNonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        synchronized (random) {
            random.nextBytes(nonce);
        }
        return HexFormat.of().formatHex(nonce);
    }

    /** Puts the fields of the hop on a request, with a new nonce each time. */
    private final class Signing implements PeerExchange.Signer {
        private final PeerRegion region;
        private final PeerRequest request;
        private final List<Field> kept;

        Signing(PeerRegion region, PeerRequest request) {
            this.region = region;
            this.request = request;
            this.kept = new ArrayList<>(request.fields().size() + 10);
            requireSendable(request.method());
            requireSendable(request.target());
            if (request.method().contains(" ")
                    || !request.target().startsWith("/")
                    || request.target().contains(" ")) {
                throw new IllegalArgumentException("a method or target with a space cannot be sent");
            }
            for (Field field : request.fields()) {
                if (PeerFields.isOfRequest(field)
                        && !PeerFields.isOfPeers(field)
                        && !field.name().equals(HOST)) {
                    requireSendable(field.name());
                    requireSendable(field.value());
                    kept.add(field);
                }
            }
            // HTTP/1.1 wants one, and the client's may stand for a bucket where it arrived and for another there.
            kept.add(new Field(HOST, region.name()));
        }

        @Override
        public PeerExchange.Signed sign() {
            String nonce = newNonce();
            List<Field> fields = new ArrayList<>(kept);
            fields.add(new Field(PeerFields.FROM, ownRegion));
            fields.add(new Field(PeerFields.TO, region.name()));
            fields.add(new Field(PeerFields.USER, PercentCoding.encodeForListing(request.userId())));
            fields.add(new Field(PeerFields.CLIENT, request.clientAddress()));
            fields.add(new Field(PeerFields.REQUEST_ID, request.requestId()));
            fields.add(new Field(PeerFields.TIME, Long.toString(clock.millis())));
            fields.add(new Field(PeerFields.NONCE, nonce));
            request.body()
                    .ifPresent(body -> fields.add(new Field(
                            PeerFields.BODY, body.lengthBytes() + (body.isTrailed() ? PeerFields.WITH_TRAILER : ""))));
            fields.add(new Field(
                    PeerFields.SIGNATURE, region.secret().ofRequest(request.method(), request.target(), fields)));
            return new PeerExchange.Signed(nonce, fields);
        }

        @Override
        public boolean isOfRegion(String nonce, AnswerHead answer) {
            String signature = PeerFields.only(answer.fields(), PeerFields.ANSWER);
            return signature != null
                    && PeerSecret.same(region.secret().ofAnswer(nonce, answer.status(), answer.fields()), signature)
                    && isOfSignedLength(answer.fields());
        }

        private static boolean isOfSignedLength(List<Field> fields) {
            String signed = PeerFields.only(fields, PeerFields.LENGTH);
            String framed = PeerFields.only(fields, "content-length");
            return signed == null || framed == null || signed.equals(framed);
        }
    }

    private static void requireSendable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7F || c > 0xFF) {
                throw new IllegalArgumentException("a head with the character " + (int) c + " cannot be sent");
            }
        }
    }
}
