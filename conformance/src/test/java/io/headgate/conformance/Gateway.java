package io.headgate.conformance;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * The packaged gateway as a child process, over a fresh data directory and the {@link Parts} that were chosen. It is killed, and the
 * directory deleted, when this JVM ends, however it ends short of a kill.
 *
 * <p>With {@code headgate.conformance.regions=wrong} there are three regions, and the suite asks a gateway of one that has no bucket: the
 * chosen parts are those of the region where all buckets are made.
 */
final class Gateway {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(15);
    private static final String ACCESS_KEY = "CONFORMANCEACCESSKEY";
    private static final String SECRET_KEY = "conformance/secret+key0123456789abcdefgh";
    private static final String REGION = "us-east-1";
    private static final String DOMAIN = "s3.headgate.test";
    private static final String WRONG_REGION = "eu-west-1";
    private static final String THIRD_REGION = "ap-south-1";

    private final Process process;
    private final Path data;
    private final URI url;

    private Gateway(Process process, Path data, URI url) {
        this.process = process;
        this.data = data;
        this.url = url;
    }

    /** Starts the gateway to ask, and those that it needs, and waits until they serve. */
    static Gateway start() {
        if (!Endpoint.setting("regions").orElse("").equals("wrong")) {
            return start(Parts.name(), Map.of(), Parts.chosen());
        }
        Map<String, Integer> ports = Map.of(REGION, freePort(), WRONG_REGION, freePort(), THIRD_REGION, freePort());
        Path names = temporaryDirectory();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteTree(names)));
        Gateway unused = start("owner", ofRegion(REGION, ports, names), Parts.chosen());
        Gateway alsoUnused = start("third", ofRegion(THIRD_REGION, ports, names), Map.of());
        return start("wrong-region", ofRegion(WRONG_REGION, ports, names), Map.of());
    }

    private static Map<String, String> ofRegion(String region, Map<String, Integer> ports, Path names) {
        Map<String, String> settings = new HashMap<>(RegionSettings.of(region, ports, names.resolve("registry.db")));
        settings.put("HEADGATE_PEERS_NEW_BUCKETS", REGION);
        return settings;
    }

    /** Starts a gateway; its output also goes to a log in the build directory. */
    private static Gateway start(String name, Map<String, String> more, Map<String, String> parts) {
        try {
            Path jar = jar();
            Path data = temporaryDirectory();
            int port = freePort();
            ProcessBuilder builder = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx512m",
                    "-jar",
                    jar.toString(),
                    "serve",
                    "--data",
                    data.toString(),
                    "--listen",
                    "127.0.0.1:" + port,
                    "--admin-listen",
                    "127.0.0.1:" + freePort());
            builder.redirectErrorStream(true);
            builder.environment()
                    .keySet()
                    .removeIf(variable -> variable.startsWith("HEADGATE_") || variable.equals("STORAGE_SHARDS"));
            builder.environment().put("HEADGATE_ROOT_ACCESS_KEY", ACCESS_KEY);
            builder.environment().put("HEADGATE_ROOT_SECRET_KEY", SECRET_KEY);
            builder.environment().put("HEADGATE_REGION", REGION);
            builder.environment().put("HEADGATE_DOMAIN", DOMAIN);
            builder.environment().putAll(parts);
            builder.environment().putAll(more);
            Gateway gateway = new Gateway(builder.start(), data, URI.create("http://127.0.0.1:" + port));
            Runtime.getRuntime().addShutdownHook(new Thread(gateway::stop, "gateway-stop"));
            gateway.awaitReady(name);
            if (!parts.isEmpty()) {
                Parts.settle();
            }
            return gateway;
        } catch (IOException failed) {
            throw new UncheckedIOException("The gateway could not be started", failed);
        }
    }

    private static Path temporaryDirectory() {
        try {
            return Files.createTempDirectory("headgate-conformance");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    Endpoint endpoint() {
        return new Endpoint(url, ACCESS_KEY, SECRET_KEY, REGION, Optional.of(DOMAIN));
    }

    private static Path jar() {
        Path jar = Path.of(Endpoint.setting("jar").orElse("../gateway/target/headgate.jar"))
                .toAbsolutePath()
                .normalize();
        if (!Files.isRegularFile(jar)) {
            throw new IllegalStateException("No gateway to test: build " + jar
                    + " first (mvn package), or set headgate.conformance.url to a running endpoint");
        }
        return jar;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void awaitReady(String name) throws IOException {
        Path log = Files.createDirectories(Path.of("target")).resolve("gateway-" + name + ".log");
        CompletableFuture<Void> ready = new CompletableFuture<>();
        List<String> startup = new ArrayList<>();
        Thread.ofPlatform().daemon().name("gateway-output").start(() -> copyOutput(log, ready, startup));
        try {
            ready.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            stop();
            synchronized (startup) {
                throw new IllegalStateException(
                        "The gateway did not say \"headgate ready\" within " + START_LIMIT + "; its output:\n"
                                + String.join("\n", startup),
                        failed);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            stop();
            throw new IllegalStateException("Interrupted while the gateway started", interrupted);
        }
    }

    private void copyOutput(Path log, CompletableFuture<Void> ready, List<String> startup) {
        try (BufferedReader output = process.inputReader();
                BufferedWriter copy = Files.newBufferedWriter(log)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                copy.write(line);
                copy.newLine();
                copy.flush();
                if (!ready.isDone()) {
                    synchronized (startup) {
                        startup.add(line);
                    }
                }
                if (line.startsWith("headgate ready")) {
                    ready.complete(null);
                }
            }
            ready.completeExceptionally(new IllegalStateException("The gateway closed its output"));
        } catch (IOException failed) {
            ready.completeExceptionally(failed);
        }
    }

    private void stop() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        deleteTree(data);
    }

    /** Deletes a directory and what is in it. */
    static void deleteTree(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("Could not delete " + directory, failed);
        }
    }
}
