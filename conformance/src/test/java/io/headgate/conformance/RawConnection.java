package io.headgate.conformance;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One TCP connection to the endpoint and the little of HTTP/1.1 that is needed to read answers from it. */
final class RawConnection implements AutoCloseable {
    private static final Duration READ_LIMIT = Duration.ofSeconds(30);

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private RawConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
        socket.setSoTimeout(Math.toIntExact(READ_LIMIT.toMillis()));
        socket.setTcpNoDelay(true);
    }

    static RawConnection open(Endpoint endpoint) {
        try {
            return new RawConnection(new Socket(endpoint.host(), endpoint.port()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Sends one request over a connection of its own and reads the final answer. */
    static RawResponse send(Endpoint endpoint, RawRequest request) {
        try (RawConnection connection = open(endpoint)) {
            connection.write(request);
            return connection.read(request.method());
        }
    }

    /** Sends head and body. A server that has already answered may have stopped reading: what it answered is still to be read. */
    void write(RawRequest request) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(request.head());
        all.writeBytes(request.body());
        try {
            write(all.toByteArray());
        } catch (UncheckedIOException stoppedReading) {
            if (!(stoppedReading.getCause() instanceof SocketException)) {
                throw stoppedReading;
            }
        }
    }

    void write(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The next final answer; interim ones are skipped. */
    RawResponse read(String method) {
        RawResponse response = readAny(method);
        while (response.status() / 100 == 1) {
            response = readAny(method);
        }
        return response;
    }

    /** The next answer, which may be an interim one such as 100. */
    RawResponse readAny(String method) {
        try {
            String statusLine = readLine();
            int status = Integer.parseInt(statusLine.split(" ", 3)[1]);
            List<RawRequest.Header> headers = new ArrayList<>();
            for (String line = readLine(); !line.isEmpty(); line = readLine()) {
                int colon = line.indexOf(':');
                headers.add(new RawRequest.Header(
                        line.substring(0, colon), line.substring(colon + 1).strip()));
            }
            RawResponse head = new RawResponse(status, headers, new byte[0]);
            boolean bodiless = method.equals("HEAD") || status / 100 == 1 || status == 204 || status == 304;
            return bodiless ? head : new RawResponse(status, headers, readBody(head));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private byte[] readBody(RawResponse head) throws IOException {
        Optional<String> length = head.header("Content-Length");
        if (length.isPresent()) {
            int expected = Integer.parseInt(length.get());
            byte[] body = in.readNBytes(expected);
            if (body.length < expected) {
                throw new EOFException("The body ended after " + body.length + " of " + expected + " bytes");
            }
            return body;
        }
        if (head.header("Transfer-Encoding").isEmpty()) {
            return in.readAllBytes();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = chunkSize(); size > 0; size = chunkSize()) {
            body.writeBytes(in.readNBytes(size));
            readLine();
        }
        for (String trailer = readLine(); !trailer.isEmpty(); trailer = readLine()) {
            // Trailers of answers carry nothing that the tests look at.
        }
        return body.toByteArray();
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(readLine().split(";", 2)[0].strip(), 16);
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("The server closed the connection");
            }
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** Whether the server closes the connection, rather than sending anything more. */
    boolean isClosedByServer() {
        try {
            return in.read() < 0;
        } catch (SocketException reset) {
            return true;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
