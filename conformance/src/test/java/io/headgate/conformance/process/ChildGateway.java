package io.headgate.conformance.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** A gateway in a process of its own, over a data directory that outlives it, to be killed and started again. */
final class ChildGateway implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final String ACCESS_KEY = "PROCESSACCESSKEY";
    private static final String SECRET_KEY = "process/secret+key0123456789abcdefgh";
    private static final String ADMIN_TOKEN = "process-admin-token-0123456789";
    private static final Region REGION = Region.US_EAST_1;
    private static final int KEPT_LINES = 400;
    private final Path data;
    private final List<String> javaOptions;
    private final Map<String, String> environment;
    private final int port = freePort();
    private final int adminPort = freePort();
    private final HttpClient http = HttpClient.newHttpClient();
    private final Deque<String> output = new ArrayDeque<>();
    private Process process;

    /**
     * Describes a gateway, without starting it.
     *
     * @param environment beside the credentials
     */
    ChildGateway(Path data, List<String> javaOptions, Map<String, String> environment) {
        this.data = data;
        this.javaOptions = List.copyOf(javaOptions);
        this.environment = Map.copyOf(environment);
    }

    /** Starts the process and waits until it serves. */
    void start() {
        CompletableFuture<Void> ready = launch();
        try {
            ready.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw new AssertionError("the gateway is not ready:\n" + output(), failed);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** Starts the process and does not wait. */
    CompletableFuture<Void> launch() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(javaOptions);
        command.addAll(List.of("-jar", jar().toString(), "serve"));
        command.addAll(List.of("--data", data.toString()));
        command.addAll(List.of("--listen", "127.0.0.1:" + port, "--admin-listen", "127.0.0.1:" + adminPort));
        try {
            process = builder(command).start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Process started = process;
        Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
        Thread.ofPlatform().daemon().name("gateway-output").start(() -> readOutput(started, ready));
        return ready;
    }

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("HEADGATE_ROOT_ACCESS_KEY", ACCESS_KEY);
        builder.environment().put("HEADGATE_ROOT_SECRET_KEY", SECRET_KEY);
        builder.environment().put("HEADGATE_ADMIN_TOKEN", ADMIN_TOKEN);
        builder.environment().putAll(environment);
        return builder;
    }

    /** What a command printed that was run with this gateway's configuration; it must succeed. */
    String command(String... words) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-jar", jar().toString()));
        command.addAll(List.of(words));
        command.addAll(List.of("--data", data.toString(), "--admin-listen", "127.0.0.1:" + adminPort));
        try {
            Process running = builder(command).start();
            String printed;
            try (BufferedReader reader = running.inputReader()) {
                printed = String.join("\n", reader.lines().toList());
            }
            int status = running.waitFor();
            if (status != 0) {
                throw new AssertionError(List.of(words) + " ended with " + status + ": " + printed);
            }
            return printed;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** SIGKILL: the process gets no chance to do anything. */
    void kill() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** The latest lines that the processes wrote. */
    String output() {
        synchronized (output) {
            return String.join("\n", output);
        }
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    int port() {
        return port;
    }

    static StaticCredentialsProvider credentials() {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCESS_KEY, SECRET_KEY));
    }

    static Region region() {
        return REGION;
    }

    /** A client that never retries: what happens must be seen. */
    S3Client client() {
        return S3Client.builder()
                .endpointOverride(url())
                .region(REGION)
                .credentialsProvider(credentials())
                .forcePathStyle(true)
                .httpClientBuilder(
                        Apache5HttpClient.builder().maxConnections(64).socketTimeout(Duration.ofMinutes(2)))
                .overrideConfiguration(config -> config.retryStrategy(retry -> retry.maxAttempts(1)))
                .build();
    }

    /** The answer of the admin listener. */
    String admin(String path) {
        return admin("GET", path);
    }

    /** Likewise, to a change. */
    String admin(String method, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Authorization", "Bearer " + ADMIN_TOKEN)
                .header("Accept", "application/json")
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new AssertionError(path + " answered " + response.statusCode() + ": " + response.body());
            }
            return response.body();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** A metric's values by account. */
    Map<String, Long> metricByAccount(String name) {
        Map<String, Long> values = new TreeMap<>();
        Matcher line = Pattern.compile("^" + name + "\\{[^}]*account=\"([^\"]+)\"[^}]*} (\\S+)$", Pattern.MULTILINE)
                .matcher(admin("/metrics"));
        while (line.find()) {
            values.put(line.group(1), (long) Double.parseDouble(line.group(2)));
        }
        return values;
    }

    @Override
    public void close() {
        if (process != null) {
            kill();
        }
    }

    private void readOutput(Process from, CompletableFuture<Void> ready) {
        try (BufferedReader reader = from.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (output) {
                    if (Boolean.getBoolean("headgate.process.verbose")) {
                        System.out.println("gateway: " + line);
                    }
                    output.add(line);
                    if (output.size() > KEPT_LINES) {
                        output.remove();
                    }
                }
                if (line.startsWith("headgate ready")) {
                    ready.complete(null);
                }
            }
        } catch (IOException killed) {
            // the end of the output, as good as any
        }
        ready.completeExceptionally(new IllegalStateException("the gateway ended"));
    }

    /** The packaged application. */
    static Path jar() {
        String path = System.getProperty("headgate.conformance.jar", "../gateway/target/headgate.jar");
        return Path.of(path).toAbsolutePath().normalize();
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
