package io.headgate.servers;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/** A real Redis process on a port of its own, which can be killed, started again and told things behind the gateways' backs. */
public final class RedisServer implements AutoCloseable {
    private static final int TRIES = 10;
    private static final long STARTS_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static @Nullable File program;

    private final Path directory;
    private final List<String> settings;
    private int port;
    private Process process;

    private RedisServer(Path directory, List<String> settings) {
        this.directory = directory;
        this.settings = settings;
    }

    /** @param settings such as {@code --maxmemory} and its value */
    public static RedisServer start(String... settings) {
        try {
            RedisServer redis = new RedisServer(Files.createTempDirectory("headgate-redis"), List.of(settings));
            redis.launch();
            return redis;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static synchronized File program() throws IOException {
        if (program == null) {
            program = ExecutableProvider.newJarResourceProvider().get();
        }
        return program;
    }

    /** On a free port the first time, and on the same one later. */
    private void launch() throws IOException {
        for (int tries = 1; ; tries++) {
            if (port == 0 || tries > 1) {
                try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                    port = free.getLocalPort();
                }
            }
            process = run();
            if (answers()) {
                return;
            }
            process.destroyForcibly();
            if (tries == TRIES) {
                throw new IOException("Redis does not start: " + Files.readString(directory.resolve("log")));
            }
        }
    }

    private Process run() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                program().getPath(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                directory.toString(),
                "--save",
                ""));
        command.addAll(settings);
        Process started = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
        return started;
    }

    private boolean answers() {
        long deadline = System.nanoTime() + STARTS_WITHIN_NANOS;
        while (process.isAlive() && System.nanoTime() - deadline < 0) {
            try {
                if (tell("PING").equals("+PONG")) {
                    return true;
                }
            } catch (UncheckedIOException notYet) {
                Thread.onSpinWait();
            }
        }
        return false;
    }

    public int port() {
        return port;
    }

    /** Sends a command of plain words; returns the first line of the answer. */
    public String tell(String command) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
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
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** After {@link #kill}, on the same port, with what was saved. */
    public void startAgain() {
        try {
            launch();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        kill();
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
