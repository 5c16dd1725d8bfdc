package io.headgate.region;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.headgate.domain.BodyException;
import io.headgate.http.RequestHead.Field;
import io.headgate.s3.Decimal;
import io.headgate.s3.auth.RelayedBody;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One request to one gateway. Used by one thread, once. */
final class PeerExchange {
    private static final int SEND_BYTES = 32 * 1024;
    private static final int SIZE_DIGITS = 8;
    private static final int SIZE_LINE_BYTES = SIZE_DIGITS + 2;
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(ISO_8859_1);
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(ISO_8859_1);

    /** For an answer that came before the connection broke. */
    private static final Duration LAST_WORD = Duration.ofSeconds(2);

    private final PeerGateway gateway;
    private PeerGateway.Admission admission;
    private final PeerRequest request;
    private final Signer signer;
    private final PeerSettings settings;
    private final TrafficMeter traffic;
    private boolean bodyAsked;
    private boolean early;

    /** Signs a request anew for each attempt. */
    interface Signer {
        /** The fields to send, the last being the signature; and the nonce that the answer is signed with. */
        Signed sign();

        boolean isOfRegion(String nonce, AnswerHead answer);
    }

    record Signed(String nonce, List<Field> fields) {}

    /** What came of it. */
    sealed interface Outcome {
        record Answered(Answer answer) implements Outcome {}

        /**
         * No answer that counts.
         *
         * @param repeatable whether the request may be sent to another gateway
         */
        record Failed(String reason, boolean repeatable) implements Outcome {}
    }

    PeerExchange(
            PeerGateway gateway,
            PeerGateway.Admission admission,
            PeerRequest request,
            Signer signer,
            PeerSettings settings,
            TrafficMeter traffic) {
        this.gateway = gateway;
        this.admission = admission;
        this.request = request;
        this.signer = signer;
        this.settings = settings;
        this.traffic = traffic;
    }

    /** @throws BodyException if the request's body cannot be read, or is wrong; the other gateway does not get its end */
    Outcome run() throws BodyException {
        try {
            if (!gateway.enter()) {
                return new Outcome.Failed("too many requests are under way there", true);
            }
            Optional<PeerConnection> idle = gateway.takeIdle();
            if (idle.isPresent()) {
                Outcome outcome = over(idle.get(), true);
                // The other side may have closed it in the same moment, which says nothing of the gateway.
                if (outcome != null) {
                    return outcome;
                }
                if (!gateway.enter()) {
                    return new Outcome.Failed("too many requests are under way there", true);
                }
            }
            return overNewConnection();
        } finally {
            gateway.undecided(admission);
        }
    }

    private Outcome overNewConnection() throws BodyException {
        PeerConnection connection;
        try {
            connection = gateway.open();
        } catch (IOException e) {
            gateway.leave();
            return dead("it cannot be connected to: " + text(e), true);
        }
        Outcome outcome = over(connection, false);
        return outcome == null ? dead("it closed the connection", isRepeatable()) : outcome;
    }

    /** Returns null if the other side had closed the connection before it said anything, and the request can be sent again. */
    private @Nullable Outcome over(PeerConnection connection, boolean used) throws BodyException {
        boolean handedOn = false;
        long begunNanos = connection.nanoTime();
        try {
            Signed signed = signer.sign();
            AnswerHead head = answer(connection, signed);
            if (!signer.isOfRegion(signed.nonce(), head)) {
                return unsigned(head.status());
            }
            gateway.answered();
            Outcome outcome = answered(connection, head);
            handedOn = true;
            return outcome;
        } catch (BodyException ofTheClient) {
            throw ofTheClient;
        } catch (SocketTimeoutException late) {
            return bodyAsked ? new Outcome.Failed("it stalled", false) : silent(begunNanos);
        } catch (IOException broken) {
            if (used && isRepeatable()) {
                return null;
            }
            String reason = "the connection broke: " + text(broken);
            return used || bodyAsked ? new Outcome.Failed(reason, isRepeatable()) : dead(reason, isRepeatable());
        } finally {
            if (!handedOn) {
                gateway.release(connection, false);
            }
        }
    }

    /** A request may just take long there; only a gateway that answered nobody meanwhile is left alone, and for none that may take long. */
    private Outcome silent(long sinceNanos) {
        String reason = "it did not answer in time";
        return mayTakeLong() || gateway.hasAnsweredSince(sinceNanos)
                ? new Outcome.Failed(reason, isRepeatable())
                : dead(reason, isRepeatable());
    }

    /** Not the region's word: no gateway, or one that refuses all of ours since its secret, clock or memory of nonces is not right. */
    private Outcome unsigned(int status) {
        String reason = "what answered " + status + " does not know the secret, or refused ours";
        return isOfOneRequest(status) ? new Outcome.Failed(reason, isRepeatable()) : dead(reason, isRepeatable());
    }

    /** What the server of a sound gateway answers by itself to a head that it does not take, or when a body cannot be read. */
    private static boolean isOfOneRequest(int status) {
        return switch (status) {
            case 400, 408, 413, 414, 417, 426, 431, 500, 501, 505 -> true;
            default -> false;
        };
    }

    private Outcome dead(String reason, boolean repeatable) {
        gateway.failed(reason, admission);
        return new Outcome.Failed(reason, repeatable);
    }

    /** Whether nothing can have come of the request yet, or it may come twice. */
    private boolean isRepeatable() {
        boolean read = request.method().equals("GET") || request.method().equals("HEAD");
        return !bodyAsked && (read || hasContent());
    }

    /** Whether the owner must ask for the body before it can do anything. Of an empty one it need not read the end. */
    private boolean hasContent() {
        return request.body().isPresent() && request.body().get().lengthBytes() > 0;
    }

    private AnswerHead answer(PeerConnection connection, Signed signed) throws IOException {
        connection.within(reaction());
        byte[] head = head(signed.fields());
        connection.write(head, head.length);
        while (true) {
            AnswerHead answer = connection.readHead();
            if (answer.status() == 100 && request.body().isPresent() && !bodyAsked) {
                bodyAsked = true;
                letOthersTry();
                return sendBody(connection, request.body().get());
            }
            if (!answer.isInterim()) {
                return answer;
            }
        }
    }

    /** A gateway that asks for a body seems to live: others need not wait until all of the body has come. */
    private void letOthersTry() {
        gateway.undecided(admission);
        admission = PeerGateway.Admission.LIVE;
    }

    private Duration reaction() {
        return mayTakeLong() ? settings.answer() : settings.reaction();
    }

    /** Whether the owner may be at work for long before it says anything. Who finds out whether a gateway lives does not wait so long. */
    private boolean mayTakeLong() {
        return !hasContent()
                && (request.method().equals("PUT") || request.method().equals("POST"))
                && admission == PeerGateway.Admission.LIVE;
    }

    private byte[] head(List<Field> fields) {
        StringBuilder head = new StringBuilder(1024);
        head.append(request.method()).append(' ').append(request.target()).append(" HTTP/1.1\r\n");
        for (Field field : fields) {
            head.append(field.name()).append(": ").append(field.value()).append("\r\n");
        }
        if (request.body().isPresent()) {
            head.append("transfer-encoding: chunked\r\nexpect: 100-continue\r\n");
        } else if (request.method().equals("PUT") || request.method().equals("POST")) {
            head.append("content-length: 0\r\n");
        }
        return head.append("\r\n").toString().getBytes(ISO_8859_1);
    }

    /** Each piece that is read goes out in one write, as a chunk of its own. */
    private AnswerHead sendBody(PeerConnection connection, RelayedBody body) throws IOException {
        byte[] buffer = new byte[SEND_BYTES];
        while (true) {
            connection.withoutLimit();
            int room = buffer.length - SIZE_LINE_BYTES - 2 - LAST_CHUNK.length;
            int count = read(body, buffer, room);
            int end = SIZE_LINE_BYTES + count;
            for (int i = 0; i < SIZE_DIGITS; i++) {
                buffer[i] = DIGITS[(count >>> (4 * (SIZE_DIGITS - 1 - i))) & 0xF];
            }
            buffer[SIZE_DIGITS] = '\r';
            buffer[SIZE_DIGITS + 1] = '\n';
            buffer[end++] = '\r';
            buffer[end++] = '\n';
            boolean last = body.isEnded();
            if (last) {
                System.arraycopy(LAST_CHUNK, 0, buffer, end, LAST_CHUNK.length);
                end += LAST_CHUNK.length;
            }
            if (!last && connection.hasInput()) {
                early = true;
                return finalHead(connection, settings.stall());
            }
            connection.within(settings.stall());
            try {
                connection.write(buffer, end);
            } catch (IOException broken) {
                return lastWord(connection, broken);
            }
            traffic.sentBytes.add(count);
            if (last) {
                return finalHead(connection, settings.answer());
            }
        }
    }

    private static int read(RelayedBody body, byte[] buffer, int length) throws BodyException {
        int count;
        try {
            count = body.read(buffer, SIZE_LINE_BYTES, length);
        } catch (BodyException wrong) {
            throw wrong;
        } catch (IOException e) {
            throw new BodyException("The body could not be read", e);
        }
        if (count < 0) {
            throw new BodyException("The body was read before");
        }
        return count;
    }

    private static AnswerHead finalHead(PeerConnection connection, Duration time) throws IOException {
        connection.within(time);
        AnswerHead head = connection.readHead();
        while (head.isInterim()) {
            head = connection.readHead();
        }
        return head;
    }

    /** Who answers early and reads no further closes the connection in the end; the answer may be there yet. */
    private AnswerHead lastWord(PeerConnection connection, IOException broken) throws IOException {
        if (!connection.isOpen()) {
            throw broken;
        }
        early = true;
        try {
            return finalHead(connection, LAST_WORD);
        } catch (IOException nothing) {
            broken.addSuppressed(nothing);
            throw broken;
        }
    }

    private Outcome answered(PeerConnection connection, AnswerHead head) throws IOException {
        List<Field> fields = new ArrayList<>(head.fields().size());
        for (Field field : head.fields()) {
            if (PeerFields.isOfAnswer(field) && !PeerFields.isOfPeers(field)) {
                fields.add(field);
            }
        }
        OptionalLong length = contentLength(head);
        boolean hasBody = head.hasBody(request.method());
        boolean bodySent = request.body().isEmpty() || (bodyAsked && !early);
        boolean reusable = head.persistent() && bodySent;
        InputStream body = null;
        if (hasBody) {
            body = new AnswerBody(
                    connection, gateway, length.orElse(-1), reusable, settings.stall(), traffic.receivedBytes);
        } else {
            gateway.release(connection, reusable);
        }
        PeerResponse response = new PeerResponse(head.status(), fields, length, Optional.ofNullable(body));
        boolean misdirected =
                head.status() == 421 && PeerFields.only(head.fields(), PeerFields.MISDIRECTED) != null && !bodyAsked;
        if (misdirected) {
            response.close();
            return new Outcome.Answered(new Answer.Misdirected());
        }
        return new Outcome.Answered(new Answer.Relayed(response));
    }

    /** The length of the body; empty if it comes in chunks, or none was told. */
    private OptionalLong contentLength(AnswerHead head) throws IOException {
        String text = PeerFields.only(head.fields(), "content-length");
        String coding = PeerFields.only(head.fields(), "transfer-encoding");
        if (head.hasBody(request.method()) && (text == null) == (coding == null)) {
            throw new EOFException("the length of the answer is not told");
        }
        if (text == null) {
            return OptionalLong.empty();
        }
        try {
            long length = Decimal.parse(text);
            if (length >= 0) {
                return OptionalLong.of(length);
            }
        } catch (NumberFormatException malformed) {
            // The same as a negative one.
        }
        throw new IOException("the length of the answer is malformed");
    }

    private static String text(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
