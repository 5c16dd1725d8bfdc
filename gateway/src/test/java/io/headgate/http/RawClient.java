package io.headgate.http;

import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A client that sends the very bytes it is told to and reads whole responses. */
public final class RawClient implements Closeable {
    /** A response as received; names in lower case, of repeated fields the last. */
    public record Reply(int status, Map<String, String> fields, byte[] body) {
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        public String field(String name) {
            return fields.get(name);
        }
    }

    private final Socket socket;
    private final InputStream in;

    public RawClient(InetSocketAddress address) throws IOException {
        socket = new Socket();
        socket.connect(address, 5_000);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(20_000);
        in = new java.io.BufferedInputStream(socket.getInputStream());
    }

    public Socket socket() {
        return socket;
    }

    public RawClient send(String latin1) throws IOException {
        return send(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    public RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    public Reply get(String target) throws IOException {
        return send("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n").reply();
    }

    public Reply reply() throws IOException {
        return reply(false);
    }

    /** @param head whether it answers a HEAD, and so has no body whatever its length says */
    public Reply reply(boolean head) throws IOException {
        String statusLine = line();
        int status = Integer.parseInt(statusLine.split(" ")[1]);
        Map<String, String> fields = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            fields.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        byte[] body = new byte[0];
        if (!head && status >= 200 && status != 204 && status != 304) {
            String length = fields.get("content-length");
            body = length == null ? in.readAllBytes() : exactly(Integer.parseInt(length));
        }
        return new Reply(status, fields, body);
    }

    /** Sends the same over and over, a little at a time, until the server answers or cuts the connection. */
    void trickleUntilAnswered(String latin1) {
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10)).until(() -> {
            try {
                send(latin1);
            } catch (IOException cut) {
                return true;
            }
            return in.available() > 0;
        });
    }

    /** Whether the server closes the connection without another byte. */
    public boolean isClosedByServer() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    public String everything() throws IOException {
        try {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (java.net.SocketException reset) {
            return "";
        }
    }

    public InputStream in() {
        return in;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private byte[] exactly(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("The body ended after " + bytes.length + " of " + length + " bytes");
        }
        return bytes;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            int c = in.read();
            if (c < 0) {
                throw new EOFException("No more lines after '" + line + "'");
            }
            if (c == '\n') {
                return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
            }
            line.write(c);
        }
    }
}
