package io.headgate.region;

import io.headgate.http.Exchange;
import io.headgate.http.HttpHandler;
import io.headgate.http.HttpServerConfig;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.s3.PercentCoding;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.auth.Payload;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The internal endpoint: takes what gateways of other regions forward. A request is let through only with the signature of a region that
 * is known, for this region, signed within a minute of this clock, and once; all else is refused without a word why. Thread-safe.
 */
public final class PeerHandler implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(PeerHandler.class);

    static final Duration TOLERANCE = Duration.ofSeconds(60);
    /** At 16 bytes each; 16,000 requests a second. */
    private static final int MAX_NONCES = 1 << 20;

    private static final long LOG_EVERY_MILLIS = 1000;
    private static final int NONCE_DIGITS = 32;

    /** What a head may grow by on the hop. */
    private static final int PEER_HEAD_BYTES = 8 * 1024;

    private static final int PEER_FIELDS = 16;
    /** The largest that a server takes. */
    private static final int MAX_HEAD_BYTES = 64 * 1024;

    private final String ownRegion;
    private final Map<String, PeerSecret> secrets;
    private final ForwardedHandler handler;
    private final InstantSource clock;
    private final NonceMemory nonces = new NonceMemory(TOLERANCE.toMillis(), MAX_NONCES);
    private final LongAdder refused = new LongAdder();
    private final AtomicLong loggedAtMillis = new AtomicLong(Long.MIN_VALUE);

    /**
     * @param secrets by the name of the other region, what it signs with when it sends to this one
     * @param clock within a minute of that of the other regions' gateways
     */
    public PeerHandler(
            String ownRegion, Map<String, PeerSecret> secrets, ForwardedHandler handler, InstantSource clock) {
        this.ownRegion = ownRegion;
        this.secrets = Map.copyOf(secrets);
        this.handler = handler;
        this.clock = clock;
    }

    /**
     * The bounds of the internal listener, from those of the clients' one: heads that have grown on the hop fit, and slow clients are cut
     * off where they arrive, not here.
     */
    public static HttpServerConfig bounds(HttpServerConfig ofClients) {
        return ofClients
                .withMaxHead(
                        Math.min(ofClients.maxHeadBytes() + PEER_HEAD_BYTES, MAX_HEAD_BYTES),
                        ofClients.maxHeaderFields() + PEER_FIELDS)
                .withMinRate(0, ofClients.minRateGrace())
                .withTimeouts(ofClients.idleTimeout().multipliedBy(2), ofClients.headTimeout());
    }

    /** The answer to a request for a bucket of another region; the body must not have been read. */
    public static Response misdirected() {
        return new Response(421, List.of(new Field(PeerFields.MISDIRECTED, "1")), new Response.Body.None(0));
    }

    /** How many requests were refused. */
    public long refused() {
        return refused.sum();
    }

    @Override
    public Response handle(Exchange exchange) {
        RequestHead head = exchange.head();
        List<Field> fields = head.fields();
        String from = PeerFields.only(fields, PeerFields.FROM);
        PeerSecret secret = from == null ? null : secrets.get(from);
        String nonce = PeerFields.only(fields, PeerFields.NONCE);
        if (from == null || secret == null || nonce == null) {
            return refuse(head, "not signed by a known region");
        }
        String reason = whyNot(head, secret, nonce);
        if (reason != null) {
            return refuse(head, reason);
        }
        Forwarded by = forwarded(from, fields);
        if (by == null) {
            return refuse(head, "the fields of the hop are malformed");
        }
        boolean hasBody = by.payload() instanceof Payload.Relayed;
        Exchange forwarded = new ForwardedExchange(exchange, asSent(head, hasBody), by.requestId(), hasBody);
        return signed(answer(forwarded, by), secret, nonce);
    }

    /** A bug here is the same to the client as one where its request arrived. */
    private Response answer(Exchange forwarded, Forwarded by) {
        try {
            return handler.handle(forwarded, by);
        } catch (RuntimeException bug) {
            LOG.error("Request {} failed", by.requestId(), bug);
            return Responses.error(new S3Exception(S3Error.INTERNAL_ERROR), forwarded.head(), by.requestId());
        }
    }

    private @Nullable String whyNot(RequestHead head, PeerSecret secret, String nonce) {
        List<Field> fields = head.fields();
        String signature = PeerFields.only(fields, PeerFields.SIGNATURE);
        if (signature == null || !PeerSecret.same(secret.ofRequest(head.method(), head.target(), fields), signature)) {
            return "the signature is wrong";
        }
        if (!ownRegion.equals(PeerFields.only(fields, PeerFields.TO))) {
            return "it is for another region";
        }
        long now = clock.millis();
        long time;
        long bits;
        try {
            String sentAt = PeerFields.only(fields, PeerFields.TIME);
            time = sentAt == null ? Long.MIN_VALUE : Long.parseLong(sentAt);
            bits = bits(nonce);
        } catch (NumberFormatException malformed) {
            return "the time or the nonce is malformed";
        }
        if (time < now - TOLERANCE.toMillis() || time > now + TOLERANCE.toMillis()) {
            return "it was signed at another time than now; do the clocks agree?";
        }
        return switch (nonces.take(bits, time, now)) {
            case NEW -> null;
            case SEEN -> "it was sent before";
            case NO_ROOM -> "too many requests came in a minute";
        };
    }

    private static long bits(String nonce) {
        if (nonce.length() != NONCE_DIGITS) {
            throw new NumberFormatException("not a nonce");
        }
        return Long.parseUnsignedLong(nonce, 0, NONCE_DIGITS / 2, 16)
                ^ Long.parseUnsignedLong(nonce, NONCE_DIGITS / 2, NONCE_DIGITS, 16);
    }

    private static @Nullable Forwarded forwarded(String from, List<Field> fields) {
        String user = PeerFields.only(fields, PeerFields.USER);
        String requestId = PeerFields.only(fields, PeerFields.REQUEST_ID);
        if (user == null || requestId == null) {
            return null;
        }
        try {
            String body = PeerFields.only(fields, PeerFields.BODY);
            Payload payload =
                    body == null ? new Payload.Unsigned() : new Payload.Relayed(body.endsWith(PeerFields.WITH_TRAILER));
            return new Forwarded(from, PercentCoding.decode(user, false), requestId, payload);
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    /** The head without what the hop put on it; the length of the content stands where the payload's framing wants it. */
    private static RequestHead asSent(RequestHead head, boolean hasBody) {
        List<Field> fields = new ArrayList<>(head.fields().size());
        for (Field field : head.fields()) {
            boolean ofTheHop = PeerFields.isOfPeers(field) || !PeerFields.isOfRequest(field);
            if (!ofTheHop && !(hasBody && field.name().equals("x-amz-decoded-content-length"))) {
                fields.add(field);
            }
        }
        String body = PeerFields.only(head.fields(), PeerFields.BODY);
        if (hasBody && body != null) {
            fields.add(new Field(
                    "x-amz-decoded-content-length",
                    body.endsWith(PeerFields.WITH_TRAILER)
                            ? body.substring(0, body.length() - PeerFields.WITH_TRAILER.length())
                            : body));
        }
        String client = PeerFields.only(head.fields(), PeerFields.CLIENT);
        return new RequestHead(head.method(), head.target(), fields, client == null ? "" : client);
    }

    private static Response signed(Response response, PeerSecret secret, String nonce) {
        List<Field> fields = new ArrayList<>(response.headers().size() + 2);
        for (Field field : response.headers()) {
            if (PeerFields.isOfAnswer(field)) {
                fields.add(field);
            }
        }
        long length = switch (response.body()) {
            case Response.Body.None(long contentLengthBytes) -> contentLengthBytes;
            case Response.Body.Bytes(byte[] bytes) -> bytes.length;
            case Response.Body.Channel(var ignored, long lengthBytes) -> lengthBytes;
            case Response.Body.Stream ignored -> -1;
        };
        if (length >= 0) {
            fields.add(new Field(PeerFields.LENGTH, Long.toString(length)));
        }
        fields.add(new Field(PeerFields.ANSWER, secret.ofAnswer(nonce, response.status(), fields)));
        return new Response(response.status(), fields, response.body());
    }

    private Response refuse(RequestHead head, String reason) {
        refused.increment();
        long now = clock.millis();
        long last = loggedAtMillis.get();
        // Whoever sends many must not fill the log.
        if ((last == Long.MIN_VALUE || Math.abs(now - last) >= LOG_EVERY_MILLIS)
                && loggedAtMillis.compareAndSet(last, now)) {
            LOG.warn(
                    "refused a request from {} at the internal address: {}; {} so far",
                    head.remoteAddress(),
                    reason,
                    refused.sum());
        }
        return new Response(403, List.of(), new Response.Body.None(0));
    }
}
