package io.headgate.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A real Redis process on a port of its own, which can be killed, started again and told things behind the gateways' backs. */
public final class RedisServer implements AutoCloseable {
    private final RedisProcess process;

    private RedisServer(RedisProcess process) {
        this.process = process;
    }

    /** @param settings such as {@code --maxmemory} and its value */
    public static RedisServer start(String... settings) {
        return new RedisServer(RedisProcess.start(RedisProcess.bundled(), List.of(settings)));
    }

    public int port() {
        return process.port();
    }

    /** Sends a command of plain words; returns the first line of the answer. */
    public String tell(String command) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            String line = new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))
                    .readLine();
            if (line == null) {
                throw new IOException("Redis hung up");
            }
            return line;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** At once, without a chance to save anything. */
    public void kill() {
        process.kill();
    }

    /** After {@link #kill}, on the same port, with what was saved. */
    public void startAgain() {
        process.startAgain();
    }

    @Override
    public void close() {
        process.remove();
    }
}
