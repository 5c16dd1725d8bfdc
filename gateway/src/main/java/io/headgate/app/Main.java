package io.headgate.app;

import io.headgate.app.config.ConfigException;
import io.headgate.app.config.ConfigLoader;
import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HostPort;
import io.headgate.app.config.Secret;
import io.headgate.cli.AdminClient;
import io.headgate.cli.Command;
import io.headgate.cli.CommandLine;
import io.headgate.cli.ExitCode;
import io.headgate.cli.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/** The entry point of the packaged application. */
public final class Main {
    private static final Duration ADMIN_TIMEOUT = Duration.ofSeconds(30);

    private final Map<String, String> environment;
    private final PrintStream out;
    private final PrintStream err;
    private final Path benchmarks;

    /** @param benchmarks where the application of the benchmarks is, if it has been built */
    Main(Map<String, String> environment, PrintStream out, PrintStream err, Path benchmarks) {
        this.environment = environment;
        this.out = out;
        this.err = err;
        this.benchmarks = benchmarks;
    }

    /** Runs the command named by the arguments and exits with its status. */
    public static void main(String[] args) {
        Main main = new Main(System.getenv(), System.out, System.err, benchmarks());
        System.exit(main.run(List.of(args)).status());
    }

    /** The other module's application, seen from this one's jar. */
    private static Path benchmarks() {
        Path jar = Path.of(System.getProperty("java.class.path")).toAbsolutePath();
        return jar.resolveSibling("../../benchmarks/target/headgate-benchmarks.jar")
                .normalize();
    }

    /** Returns when the command is done; {@code serve} never is, unless it cannot start. */
    ExitCode run(List<String> arguments) {
        try {
            return switch (CommandLine.parse(arguments)) {
                case Command.Serve(Command.Settings settings) -> serve(config(settings));
                case Command.Admin admin -> admin(admin);
                case Command.Fsck fsck -> fsck(fsck);
                case Command.Backup(String file, Command.Settings settings) -> {
                    HeadgateConfig config = config(settings);
                    backups(config).backup(Path.of(file), adminClientIfToken(config));
                    yield ExitCode.OK;
                }
                case Command.Restore(String file, Command.Settings settings) -> {
                    backups(config(settings)).restore(Path.of(file));
                    yield ExitCode.OK;
                }
                case Command.CopyNamespace(String from, String to, boolean online) -> {
                    logWarningsOnly();
                    NamespaceCopy copy = new NamespaceCopy(
                            namespaceConfig(from), namespaceConfig(to), InstantSource.system(), out, err);
                    yield copy.run(online);
                }
                case Command.Bench(List<String> rest) -> bench(rest);
                case Command.NotImplemented(String name) -> {
                    err.println("headgate: " + name + " is not implemented yet");
                    yield ExitCode.NOT_IMPLEMENTED;
                }
                case Command.Help(String text) -> {
                    out.print(text);
                    yield ExitCode.OK;
                }
                case Command.Version() -> {
                    out.println("headgate " + version());
                    yield ExitCode.OK;
                }
            };
        } catch (UsageException wrong) {
            err.println("headgate: " + wrong.getMessage());
            return ExitCode.USAGE;
        } catch (ConfigException wrong) {
            wrong.lines().forEach(line -> err.println("headgate: " + line));
            return ExitCode.CONFIGURATION;
        } catch (StartException failed) {
            err.println("headgate: " + failed.getMessage());
            return ExitCode.FAILED;
        }
    }

    private HeadgateConfig config(Command.Settings settings) throws ConfigException {
        Optional<Path> file = Optional.ofNullable(environment.get("HEADGATE_CONFIG"))
                .filter(name -> !name.isEmpty())
                .map(Path::of);
        List<ConfigLoader.Flag> flags = new ArrayList<>();
        for (Command.Flag flag : settings.flags()) {
            switch (flag.name()) {
                case "--config" -> file = Optional.of(Path.of(flag.value()));
                case "--data" -> flags.add(new ConfigLoader.Flag(flag.name(), "data_dir", flag.value()));
                case "--listen" -> flags.add(new ConfigLoader.Flag(flag.name(), "listen", flag.value()));
                case "--admin-listen" -> flags.add(new ConfigLoader.Flag(flag.name(), "admin_listen", flag.value()));
                default -> throw new IllegalStateException("no key for the flag " + flag.name());
            }
        }
        return ConfigLoader.load(file, environment, flags);
    }

    /**
     * A configuration that says where a namespace is.
     *
     * @param place a configuration file, the URL of a database or a cluster, or {@code sqlite:} and a data directory
     */
    private HeadgateConfig namespaceConfig(String place) throws ConfigException {
        Map<String, String> others = new HashMap<>(environment);
        // Settings for one of the two would be for both.
        others.keySet().removeIf(name -> name.startsWith("HEADGATE_") || name.equals("STORAGE_SHARDS"));
        Optional<Path> file = Optional.empty();
        if (place.startsWith("sqlite:")) {
            others.put("HEADGATE_NAMESPACE_ENGINE", "sqlite");
            others.put("HEADGATE_DATA_DIR", place.substring("sqlite:".length()));
        } else if (place.contains("://")) {
            others.put("HEADGATE_NAMESPACE_ENGINE", place.startsWith("postgres") ? "postgres" : "redis");
            others.put("HEADGATE_NAMESPACE_URL", place);
        } else {
            file = Optional.of(Path.of(place));
        }
        return ConfigLoader.load(file, others, List.of());
    }

    private ExitCode serve(HeadgateConfig config) throws StartException {
        System.setProperty(
                "org.slf4j.simpleLogger.defaultLogLevel",
                config.logLevel().name().toLowerCase(Locale.ROOT));
        for (String variable : ConfigLoader.unknownVariables(environment)) {
            LoggerFactory.getLogger(Main.class)
                    .warn("The environment variable {} is no setting of Headgate and is ignored", variable);
        }
        Serve serve = Serve.start(config);
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().name("shutdown").unstarted(() -> {
                    serve.close();
                    // An orderly stop is no failure, though a signal asked for it; nothing else is left to do.
                    Runtime.getRuntime().halt(ExitCode.OK.status());
                }));
        // Only now: whoever reads the line may send a signal at once.
        serve.announce(out);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return ExitCode.OK;
    }

    private ExitCode fsck(Command.Fsck fsck) throws ConfigException {
        HeadgateConfig config = config(fsck.settings());
        try {
            if (fsck.online()) {
                return adminClient(config).fsck(fsck.repair(), fsck.checksum(), fsck.json(), out, err);
            }
            logWarningsOnly();
            return new Check(config, out, err).run(fsck.repair(), fsck.checksum(), fsck.json());
        } catch (StartException failed) {
            err.println("headgate: " + failed.getMessage());
            return ExitCode.INCOMPLETE;
        }
    }

    private ExitCode admin(Command.Admin admin) throws ConfigException, StartException {
        HeadgateConfig config = config(admin.settings());
        return adminClient(config).run(admin.request(), admin.json(), out, err);
    }

    private Backups backups(HeadgateConfig config) {
        logWarningsOnly();
        return new Backups(config, InstantSource.system(), out, err);
    }

    private static void logWarningsOnly() {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    }

    private static AdminClient adminClient(HeadgateConfig config) throws StartException {
        return new AdminClient(
                endpoint(config.adminListen()), adminToken(config).reveal(), ADMIN_TIMEOUT);
    }

    /** Empty where there is no token, so no gateway has been here. */
    private static Optional<AdminClient> adminClientIfToken(HeadgateConfig config) throws StartException {
        boolean known = config.adminToken().isPresent() || Files.exists(DataDirectory.adminTokenFile(config.dataDir()));
        return known ? Optional.of(adminClient(config)) : Optional.empty();
    }

    private static Secret adminToken(HeadgateConfig config) throws StartException {
        if (config.adminToken().isPresent()) {
            return config.adminToken().get();
        }
        Path file = DataDirectory.adminTokenFile(config.dataDir());
        try {
            return new Secret(DataDirectory.readSecret(file).strip());
        } catch (NoSuchFileException missing) {
            throw new StartException(
                    "there is no admin token in " + file
                            + ": name the gateway's data directory with --data, or set HEADGATE_ADMIN_TOKEN",
                    missing);
        }
    }

    /** The address that reaches a gateway listening there: a wildcard address is reached by the loopback one. */
    static URI endpoint(HostPort listen) {
        HostPort reached = switch (listen.host()) {
            case "0.0.0.0" -> new HostPort("127.0.0.1", listen.port());
            case "::" -> new HostPort("::1", listen.port());
            default -> listen;
        };
        return URI.create("http://" + reached);
    }

    /** The benchmarks are an application of their own beside this one; they run in a process of their own. */
    private ExitCode bench(List<String> arguments) {
        if (!Files.isRegularFile(benchmarks)) {
            err.println("headgate: the benchmarks are not built: there is no " + benchmarks
                    + "; build them with mvn package");
            return ExitCode.FAILED;
        }
        try {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", benchmarks.toString()));
            command.addAll(arguments);
            int status = new ProcessBuilder(command).inheritIO().start().waitFor();
            return switch (status) {
                case 0 -> ExitCode.OK;
                case 2 -> ExitCode.USAGE;
                default -> ExitCode.FAILED;
            };
        } catch (IOException failed) {
            err.println("headgate: the benchmarks cannot be started: " + failed.getMessage());
            return ExitCode.FAILED;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        }
    }

    private static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
