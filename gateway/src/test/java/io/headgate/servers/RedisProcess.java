package io.headgate.servers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/** One {@code redis-server} in a directory of its own, on a port that it keeps when it is killed and started again. */
final class RedisProcess {
    /** The bus of a cluster's node is this far above its port. */
    static final int BUS_OFFSET = 10_000;

    /** Ports from here, and their buses, are below those that systems give to outgoing connections, so a killed server finds its own free. */
    private static final int FIRST_PORT = 10_000;

    private static final int PORTS = 10_000;
    private static final int TRIES = 10;
    private static final int SOCKET_LIMIT_MILLIS = 60_000;
    private static final long AWAIT_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final Pattern VERSION = Pattern.compile("\\bv=(\\d+)\\.");
    private static final int WANTED_VERSION = 7;

    private final Path program;
    private final Path directory;
    private final List<String> settings;
    private volatile int port;
    private volatile @Nullable Process process;
    private volatile boolean paused;

    private RedisProcess(Path program, Path directory, List<String> settings) {
        this.program = program;
        this.directory = directory;
        this.settings = settings;
    }

    /** The program in the tests' libraries, of version 6.2. */
    private static final class Bundled {
        static final Path PROGRAM = unpack();

        private static Path unpack() {
            try {
                return ExecutableProvider.newJarResourceProvider().get().toPath();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    /** The program on the PATH, which must be of version 7 or later. */
    private static final class Newest {
        static final Path PROGRAM = find();

        private static Path find() {
            for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
                Path candidate = Path.of(folder).resolve("redis-server");
                if (Files.isExecutable(candidate) && majorVersion(candidate) >= WANTED_VERSION) {
                    return candidate;
                }
            }
            throw new IllegalStateException("The PATH has no redis-server of version 7 or later;"
                    + " -Dheadgate.test.redis=off leaves out the tests on a Redis Cluster");
        }

        private static int majorVersion(Path program) {
            try {
                Process process = new ProcessBuilder(program.toString(), "--version")
                        .redirectErrorStream(true)
                        .start();
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
                Matcher version = VERSION.matcher(said);
                return version.find() ? Integer.parseInt(version.group(1)) : 0;
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    static Path bundled() {
        return Bundled.PROGRAM;
    }

    static Path newest() {
        return Newest.PROGRAM;
    }

    /**
     * Returns when the server answers. It dies with this JVM, unless that is killed.
     *
     * @param settings such as {@code --maxmemory} and its value
     */
    static RedisProcess start(Path program, List<String> settings) {
        try {
            RedisProcess redis = new RedisProcess(program, Files.createTempDirectory("headgate-redis"), settings);
            Runtime.getRuntime().addShutdownHook(new Thread(redis::remove));
            redis.launch(true);
            return redis;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** On a free port the first time, and on the same one later. */
    private void launch(boolean onAnyPort) throws IOException {
        for (int tries = 1; tries <= TRIES; tries++) {
            if (onAnyPort) {
                port = freePort();
            }
            Process started = run();
            process = started;
            if (answers(started)) {
                return;
            }
            kill();
        }
        throw new IOException("Redis does not start: " + Files.readString(directory.resolve("log")));
    }

    private static int freePort() throws IOException {
        while (true) {
            int candidate = FIRST_PORT + ThreadLocalRandom.current().nextInt(PORTS);
            if (free(candidate) && free(candidate + BUS_OFFSET)) {
                return candidate;
            }
        }
    }

    private static boolean free(int port) {
        try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    private Process run() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                directory.toString(),
                "--save",
                ""));
        command.addAll(settings);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()))
                .start();
    }

    /** Whether this process, not another that was quicker to take the port, has come up. */
    private boolean answers(Process started) {
        String own = "process_id:" + started.pid() + "\r\n";
        long deadline = System.nanoTime() + AWAIT_LIMIT_NANOS;
        while (started.isAlive() && System.nanoTime() - deadline < 0) {
            try {
                if (text("INFO", "server").contains(own) && text("PING").equals("PONG")) {
                    return true;
                }
            } catch (UncheckedIOException | RedisError notYet) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
        return false;
    }

    int port() {
        return port;
    }

    /** Whether it has been started and not been killed. */
    boolean running() {
        Process current = process;
        return current != null && current.isAlive();
    }

    boolean paused() {
        return paused;
    }

    /** At once, without a chance to save anything; returns when it is gone. */
    void kill() {
        Process current = process;
        if (current == null) {
            return;
        }
        current.destroyForcibly();
        paused = false;
        try {
            current.waitFor();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** After {@link #kill}, with what was saved; returns when it has loaded that. */
    void startAgain() {
        if (running()) {
            throw new IllegalStateException(this + " runs");
        }
        try {
            launch(false);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** It keeps its connections and does nothing from here on, as on a machine that hangs. */
    void pause() {
        paused = true;
        signal("STOP");
        await(this + " to stop", this::stopped);
    }

    void resume() {
        signal("CONT");
        paused = false;
    }

    private void signal(String name) {
        Process current = process;
        if (current == null) {
            throw new IllegalStateException("not started");
        }
        try {
            // by the shell, as a program named kill need not be there
            int code = new ProcessBuilder("sh", "-c", "kill -" + name + " " + current.pid())
                    .inheritIO()
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("No signal reaches " + this);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** True too where the system does not say. */
    private boolean stopped() {
        Process current = process;
        Path stat = Path.of("/proc", current == null ? "none" : Long.toString(current.pid()), "stat");
        try {
            String line = Files.exists(stat) ? Files.readString(stat) : ") T";
            return line.charAt(line.lastIndexOf(')') + 2) == 'T';
        } catch (IOException gone) {
            return true;
        }
    }

    /** Kills it and removes what it saved. */
    void remove() {
        kill();
        // a child that was rewriting the append-only file outlives it for a moment, and may add a file meanwhile
        await("the files of " + this + " to be gone", () -> {
            removeFiles();
            return true;
        });
    }

    private void removeFiles() {
        if (!Files.exists(directory)) {
            return;
        }
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Sends a command over a connection of its own.
     *
     * @param words their characters are bytes
     * @return a String, a Long, a List of such, or null
     * @throws RedisError if that is the answer
     * @throws UncheckedIOException if none comes
     */
    @Nullable Object ask(String... words) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(SOCKET_LIMIT_MILLIS);
            ByteArrayOutputStream command = new ByteArrayOutputStream();
            command.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            for (String word : words) {
                byte[] bytes = (word + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
                command.writeBytes(("$" + (bytes.length - 2) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
                command.writeBytes(bytes);
            }
            socket.getOutputStream().write(command.toByteArray());
            return read(new BufferedInputStream(socket.getInputStream()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** As {@link #ask}, where the answer is a text. */
    String text(String... words) {
        return String.valueOf(ask(words));
    }

    private static @Nullable Object read(InputStream answer) throws IOException {
        String line = line(answer);
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case '-' -> throw new RedisError(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> bulk(answer, Integer.parseInt(rest));
            case '*' -> list(answer, Integer.parseInt(rest));
            default -> throw new IOException("Not an answer of Redis: " + line);
        };
    }

    private static @Nullable String bulk(InputStream answer, int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = answer.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException("Redis hung up");
        }
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }

    private static @Nullable List<@Nullable Object> list(InputStream answer, int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> items = new ArrayList<>(length);
        for (int index = 0; index < length; index++) {
            items.add(read(answer));
        }
        return items;
    }

    private static String line(InputStream answer) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = answer.read(); next != '\r'; next = answer.read()) {
            if (next < 0) {
                throw new EOFException("Redis hung up");
            }
            line.append((char) next);
        }
        answer.skipNBytes(1);
        return line.toString();
    }

    /** Waits for a condition, which may ask servers: one that does not answer has not met it yet. */
    static void await(String what, BooleanSupplier condition) {
        await(what, condition, () -> "");
    }

    /** @param found told if the condition is not met in time */
    static void await(String what, BooleanSupplier condition, Supplier<String> found) {
        long deadline = System.nanoTime() + AWAIT_LIMIT_NANOS;
        while (!holds(condition)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("Waited too long for " + what + found.get());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static boolean holds(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (UncheckedIOException | RedisError notYet) {
            return false;
        }
    }

    @Override
    public String toString() {
        return "127.0.0.1:" + port;
    }
}
