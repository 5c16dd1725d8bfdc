package io.headgate.region;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.headgate.http.RequestHead.Field;
import io.headgate.http.Tls;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 connection to another gateway, blocking, for one request at a time. Used by one thread at a time, but for {@link #abort}
 * and {@link #cutIfLate}, which end at once what that thread waits for.
 */
final class PeerConnection {
    private static final int BUFFER_BYTES = 8 * 1024;
    private static final int MAX_HEAD_BYTES = 128 * 1024;
    private static final int MAX_FIELDS = 512;

    private final SocketChannel channel;
    private final boolean secure;
    private final Deadlines deadlines;
    private InputStream in = InputStream.nullInputStream();
    private OutputStream out = OutputStream.nullOutputStream();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int bufferAt;
    private int bufferEnd;
    private int headLeftBytes;

    private volatile boolean timed;
    private volatile long lateNanos;
    private volatile boolean wasLate;

    /** When it was left idle, of one that is. */
    private long idleSinceNanos;

    private PeerConnection(SocketChannel channel, boolean secure, Deadlines deadlines) {
        this.channel = channel;
        this.secure = secure;
        this.deadlines = deadlines;
    }

    /** @throws IOException if it does not stand in time, or the other side is not whom it should be */
    static PeerConnection open(HostName host, int port, @Nullable SSLContext tls, Duration timeout, Deadlines deadlines)
            throws IOException {
        InetSocketAddress address = new InetSocketAddress(host.address(timeout), port);
        SocketChannel channel = SocketChannel.open();
        PeerConnection connection = new PeerConnection(channel, tls != null, deadlines);
        boolean standing = false;
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            deadlines.watch(connection);
            connection.within(timeout);
            channel.socket().connect(address, Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE));
            connection.use(tls == null ? channel.socket() : secured(channel.socket(), host.name(), port, tls));
            connection.withoutLimit();
            standing = true;
            return connection;
        } catch (IOException e) {
            throw connection.explained(e);
        } finally {
            if (!standing) {
                connection.abort();
            }
        }
    }

    private static Socket secured(Socket plain, String host, int port, SSLContext tls) throws IOException {
        SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket(plain, host, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(Tls.protocols());
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private void use(Socket socket) throws IOException {
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    /** The time that its time-outs are taken by. */
    long nanoTime() {
        return deadlines.nanoTime();
    }

    /** From now on, all that is under way must be done in that time, or the connection is cut. */
    void within(Duration time) {
        lateNanos = deadlines.nanoTime() + time.toNanos();
        timed = true;
    }

    void withoutLimit() {
        timed = false;
    }

    void cutIfLate(long nowNanos) {
        if (timed && nowNanos - lateNanos > 0) {
            wasLate = true;
            abort();
        }
    }

    /** Cuts the connection at once; whatever is under way on it fails. */
    void abort() {
        deadlines.forget(this);
        try {
            // Not the TLS socket, whose closing would wait for the write that is under way.
            channel.close();
        } catch (IOException ignored) {
            // It is gone either way, and nothing was promised about it.
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    void markIdle() {
        withoutLimit();
        idleSinceNanos = deadlines.nanoTime();
    }

    /** Of one that was idle: whether the other side still has it open, as far as is known here, and has said nothing meanwhile. */
    boolean isUsable(Duration maxIdle) {
        if (deadlines.nanoTime() - idleSinceNanos > maxIdle.toNanos() || bufferAt < bufferEnd) {
            return false;
        }
        try {
            channel.configureBlocking(false);
            boolean silent = channel.read(ByteBuffer.allocate(1)) == 0;
            channel.configureBlocking(true);
            return silent;
        } catch (IOException closed) {
            return false;
        }
    }

    void write(byte[] bytes, int length) throws IOException {
        try {
            out.write(bytes, 0, length);
        } catch (IOException e) {
            throw explained(e);
        }
    }

    /** Whether the other side has said something; not known with TLS, whose own messages come in between. */
    boolean hasInput() throws IOException {
        return bufferAt < bufferEnd || (!secure && in.available() > 0);
    }

    /** What can be read without waiting. */
    int available() {
        return bufferEnd - bufferAt;
    }

    /** The next head, interim or final. */
    AnswerHead readHead() throws IOException {
        headLeftBytes = MAX_HEAD_BYTES;
        String start = readLine();
        int status = status(start);
        List<Field> fields = new ArrayList<>(16);
        boolean persistent = start.startsWith("HTTP/1.1");
        for (String line = readLine(); !line.isEmpty(); line = readLine()) {
            int colon = line.indexOf(':');
            if (colon < 1 || fields.size() == MAX_FIELDS) {
                throw new IOException("the head of the answer is malformed");
            }
            Field field = new Field(
                    line.substring(0, colon), line.substring(colon + 1).strip());
            fields.add(field);
            if (field.name().equals("connection")
                    && field.value().toLowerCase(Locale.ROOT).contains("close")) {
                persistent = false;
            }
        }
        return new AnswerHead(status, fields, persistent);
    }

    private static int status(String line) throws IOException {
        boolean wellFormed = line.length() >= 12
                && line.startsWith("HTTP/1.")
                && line.charAt(8) == ' '
                && (line.length() == 12 || line.charAt(12) == ' ');
        int status = 0;
        for (int i = 9; wellFormed && i < 12; i++) {
            wellFormed = line.charAt(i) >= '0' && line.charAt(i) <= '9';
            status = 10 * status + line.charAt(i) - '0';
        }
        if (!wellFormed || status < 100 || status > 599) {
            throw new IOException("the answer is not HTTP/1.1");
        }
        return status;
    }

    /** For lines within a body, each of which is short. */
    String readLine(int maxBytes) throws IOException {
        headLeftBytes = maxBytes;
        return readLine();
    }

    private String readLine() throws IOException {
        StringBuilder before = new StringBuilder(0);
        while (true) {
            for (int i = bufferAt; i < bufferEnd; i++) {
                if (buffer[i] == '\n') {
                    String rest = new String(buffer, bufferAt, i - bufferAt, ISO_8859_1);
                    headLeftBytes -= i + 1 - bufferAt;
                    bufferAt = i + 1;
                    String line = before.isEmpty() ? rest : before.append(rest).toString();
                    if (headLeftBytes < 0) {
                        throw new IOException("the head of the answer is too large");
                    }
                    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
                }
            }
            before.append(new String(buffer, bufferAt, bufferEnd - bufferAt, ISO_8859_1));
            headLeftBytes -= bufferEnd - bufferAt;
            if (headLeftBytes < 0) {
                throw new IOException("the head of the answer is too large");
            }
            fill();
        }
    }

    private void fill() throws IOException {
        bufferAt = 0;
        bufferEnd = 0;
        int count = receive(buffer, 0, buffer.length);
        if (count < 0) {
            throw new EOFException("the other side closed the connection");
        }
        bufferEnd = count;
    }

    /** Reads some bytes, at least one. */
    int read(byte[] target, int offset, int length) throws IOException {
        if (bufferAt == bufferEnd) {
            if (length >= buffer.length) {
                int count = receive(target, offset, length);
                if (count < 0) {
                    throw new EOFException("the other side closed the connection");
                }
                return count;
            }
            fill();
        }
        int count = Math.min(length, bufferEnd - bufferAt);
        System.arraycopy(buffer, bufferAt, target, offset, count);
        bufferAt += count;
        return count;
    }

    private int receive(byte[] target, int offset, int length) throws IOException {
        try {
            return in.read(target, offset, length);
        } catch (IOException e) {
            throw explained(e);
        }
    }

    /** A connection that was cut because it was late says so. */
    private IOException explained(IOException e) {
        if (!wasLate || e instanceof SocketTimeoutException) {
            return e;
        }
        SocketTimeoutException late = new SocketTimeoutException("it took too long");
        late.initCause(e);
        return late;
    }
}
