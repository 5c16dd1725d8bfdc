package io.headgate.servers;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Azurite, Microsoft's own stand-in for Azure Storage, with two accounts; started once in this JVM, at its first use. It is an npm
 * package, which is installed at the first use on this machine into the user's cache ({@code XDG_CACHE_HOME}, {@code ~/.cache}).
 */
public final class Azurite {
    public static final String ACCOUNT = "azone";
    public static final String KEY = key(1);
    public static final String OTHER_ACCOUNT = "aztwo";
    public static final String OTHER_KEY = key(2);

    private static final String VERSION = "3.37.0";
    private static final Duration INSTALL_LIMIT = Duration.ofMinutes(10);
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Pattern LISTENS = Pattern.compile("listens on http://127\\.0\\.0\\.1:(\\d+)");

    private Azurite() {}

    /** Started when it is first asked for, by which time the class around it is ready for the thread that reads the output. */
    private static final class Running {
        static final int PORT = start();
    }

    private static String key(int seed) {
        byte[] bytes = new byte[64];
        Arrays.fill(bytes, (byte) seed);
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Where the account with that name is. */
    public static URI endpoint(String account) {
        return URI.create("http://127.0.0.1:" + Running.PORT + "/" + account);
    }

    private static int start() {
        try {
            Path main = installed().resolve("node_modules/azurite/dist/src/blob/main.js");
            ProcessBuilder builder = new ProcessBuilder(
                            program("node"),
                            main.toString(),
                            "--blobHost",
                            "127.0.0.1",
                            "--blobPort",
                            "0",
                            "--inMemoryPersistence",
                            "--skipApiVersionCheck",
                            "--disableTelemetry")
                    .redirectErrorStream(true);
            builder.environment().put("AZURITE_ACCOUNTS", ACCOUNT + ":" + KEY + ";" + OTHER_ACCOUNT + ":" + OTHER_KEY);
            Process process = builder.start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            CompletableFuture<Integer> port = new CompletableFuture<>();
            Thread.ofPlatform().daemon().name("azurite-output").start(() -> readOutput(process, port));
            return port.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception failed) {
            throw new IllegalStateException("Azurite does not start", failed);
        }
    }

    /** It tells of each request, and would wait if nobody read that. */
    private static void readOutput(Process process, CompletableFuture<Integer> port) {
        List<String> lines = new ArrayList<>();
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (!port.isDone()) {
                    lines.add(line);
                    Matcher listens = LISTENS.matcher(line);
                    if (listens.find()) {
                        port.complete(Integer.valueOf(listens.group(1)));
                    }
                }
            }
        } catch (IOException killed) {
            // the end of the output, as good as any
        }
        port.completeExceptionally(new IllegalStateException("Azurite has ended: " + String.join("\n", lines)));
    }

    /** The folder that Azurite is installed in; another process that installs it at the same time is waited for. */
    private static Path installed() throws IOException, InterruptedException {
        Path cache = Files.createDirectories(cacheDirectory());
        Path folder = cache.resolve("azurite-" + VERSION);
        Path lock = cache.resolve("azurite.lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            if (!Files.isDirectory(folder)) {
                Path fresh = Files.createTempDirectory(cache, "azurite-");
                install(fresh);
                Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
            }
        }
        return folder;
    }

    private static Path cacheDirectory() {
        String xdg = System.getenv("XDG_CACHE_HOME");
        Path base = xdg == null || xdg.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(xdg);
        return base.resolve("headgate-tests");
    }

    private static void install(Path folder) throws IOException, InterruptedException {
        Path log = folder.resolve("npm.log");
        Process npm = new ProcessBuilder(
                        program("npm"),
                        "install",
                        "--prefix",
                        folder.toString(),
                        "--no-save",
                        "--no-audit",
                        "--no-fund",
                        "azurite@" + VERSION)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = npm.waitFor(INSTALL_LIMIT.toSeconds(), TimeUnit.SECONDS);
        npm.destroyForcibly();
        if (!ended || npm.exitValue() != 0) {
            throw new IOException("npm cannot install Azurite: " + Files.readString(log));
        }
    }

    private static String program(String name) {
        for (String directory : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            Path program = Path.of(directory).resolve(name);
            if (Files.isExecutable(program)) {
                return program.toString();
            }
        }
        throw new IllegalStateException(
                "'" + name + "' is not on the PATH. The tests of Azure accounts run over Azurite,"
                        + " which needs Node.js 20 or newer with npm. Install them, or leave these tests out with"
                        + " -Dheadgate.test.azure=off");
    }
}
