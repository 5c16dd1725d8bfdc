package io.headgate.app.config;

import io.headgate.app.config.HeadgateConfig.AccessLogConfig;
import io.headgate.app.config.HeadgateConfig.AccountConfig;
import io.headgate.app.config.HeadgateConfig.BreakerConfig;
import io.headgate.app.config.HeadgateConfig.CacheConfig;
import io.headgate.app.config.HeadgateConfig.ClusterConfig;
import io.headgate.app.config.HeadgateConfig.Credentials;
import io.headgate.app.config.HeadgateConfig.DatabaseConfig;
import io.headgate.app.config.HeadgateConfig.DrainConfig;
import io.headgate.app.config.HeadgateConfig.Durability;
import io.headgate.app.config.HeadgateConfig.Engine;
import io.headgate.app.config.HeadgateConfig.GarbageConfig;
import io.headgate.app.config.HeadgateConfig.HttpConfig;
import io.headgate.app.config.HeadgateConfig.IntentConfig;
import io.headgate.app.config.HeadgateConfig.Limits;
import io.headgate.app.config.HeadgateConfig.MultipartConfig;
import io.headgate.app.config.HeadgateConfig.NamespaceConfig;
import io.headgate.app.config.HeadgateConfig.OrphansConfig;
import io.headgate.app.config.HeadgateConfig.PlacementConfig;
import io.headgate.app.config.HeadgateConfig.RegionsConfig;
import io.headgate.app.config.HeadgateConfig.Storage;
import io.headgate.app.config.HeadgateConfig.SweepConfig;
import io.headgate.app.config.HeadgateConfig.UserConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** Makes the typed records of the texts that are set, and checks what spans several keys. */
final class ConfigReader {
    /** Accounts when none are configured. */
    private static final int DEFAULT_ACCOUNTS = 3;

    private static final int MAX_ACCOUNTS = 1_000;

    private final RawConfig raw;
    private final EnvironmentReferences references;
    private final Problems problems;
    private final Values values;

    /**
     * @param references for what is read later
     * @param problems what was wrong with the sources; what is wrong with their values comes to it
     */
    ConfigReader(RawConfig raw, EnvironmentReferences references, Problems problems) {
        this.raw = raw;
        this.references = references;
        this.problems = problems;
        this.values = new Values(raw.values(), new Origin("the configuration"));
    }

    /** @throws ConfigException with all that is wrong */
    HeadgateConfig read() throws ConfigException {
        values.check("", problems);
        problems.check(this::adminListen);
        problems.check(this::namespace);
        problems.check(() -> cache(values.get(Settings.ENGINE)));
        problems.check(() -> accounts(
                values.getOrDefault(Settings.REGION, problems), values.getOrDefault(Settings.DATA_DIR, problems)));
        users(rootIfRight());
        problems.check(this::regions);
        problems.throwIfAny();
        return config();
    }

    private HeadgateConfig config() throws ConfigException {
        String region = values.get(Settings.REGION);
        Path dataDir = values.get(Settings.DATA_DIR);
        Optional<Credentials> root = root();
        return new HeadgateConfig(
                values.get(Settings.LISTEN),
                adminListen(),
                region,
                dataDir,
                values.find(Settings.DOMAIN),
                values.get(Settings.DEBUG_HEADERS),
                values.get(Settings.LOG_LEVEL),
                root,
                values.find(Settings.ADMIN_TOKEN),
                namespace(),
                accounts(region, dataDir),
                values.findLong(Settings.UPLOAD_MEMORY),
                users(root),
                placement(),
                breaker(),
                http(),
                new MultipartConfig(values.get(Settings.MIN_PART_SIZE), values.get(Settings.REMEMBER_COMPLETED)),
                intents(),
                garbage(),
                sweep(),
                orphans(),
                drain(),
                accessLog(dataDir),
                regions(),
                references);
    }

    private HostPort adminListen() throws ConfigException {
        HostPort admin = values.get(Settings.ADMIN_LISTEN);
        if (admin.port() != 0 && admin.equals(values.get(Settings.LISTEN))) {
            throw values.error(Settings.ADMIN_LISTEN, "\"" + admin + "\" is the address of listen, too");
        }
        return admin;
    }

    private Optional<Credentials> rootIfRight() {
        List<Credentials> right = new ArrayList<>();
        problems.check(() -> root().ifPresent(right::add));
        return right.stream().findFirst();
    }

    private Optional<Credentials> root() throws ConfigException {
        Optional<String> accessKey = values.find(Settings.ROOT_ACCESS_KEY);
        Optional<Secret> secretKey = values.find(Settings.ROOT_SECRET_KEY);
        if (accessKey.isPresent() && secretKey.isEmpty()) {
            throw values.error(Settings.ROOT_ACCESS_KEY, "is set without root.secret_key");
        }
        if (accessKey.isEmpty() && secretKey.isPresent()) {
            throw values.error(Settings.ROOT_SECRET_KEY, "is set without root.access_key");
        }
        return accessKey.isEmpty()
                ? Optional.empty()
                : Optional.of(new Credentials(accessKey.get(), secretKey.orElseThrow()));
    }

    private NamespaceConfig namespace() throws ConfigException {
        Engine engine = values.get(Settings.ENGINE);
        Optional<DatabaseConfig> database = Optional.empty();
        Optional<ClusterConfig> cluster = Optional.empty();
        switch (engine) {
            case SQLITE -> {
                if (values.find(Settings.NAMESPACE_URL).isPresent()) {
                    throw values.error(Settings.NAMESPACE_URL, "is not for the engine sqlite");
                }
            }
            case POSTGRES -> database = Optional.of(database());
            case REDIS -> cluster = Optional.of(cluster());
        }
        return new NamespaceConfig(
                engine,
                database,
                cache(engine),
                cluster,
                values.get(Settings.NAMESPACE_DURABILITY),
                values.get(Settings.NAMESPACE_TIMEOUT),
                values.get(Settings.NAMESPACE_WAL_LIMIT));
    }

    private Optional<CacheConfig> cache(Engine engine) throws ConfigException {
        Optional<Secret> url = values.find(Settings.NAMESPACE_CACHE);
        if (url.isEmpty()) {
            return Optional.empty();
        }
        if (engine != Engine.POSTGRES) {
            throw values.error(Settings.NAMESPACE_CACHE, "is for the engine postgres only");
        }
        Duration lifetime = values.get(Settings.CACHE_LIFETIME);
        if (lifetime.multipliedBy(2).compareTo(values.get(Settings.GARBAGE_GRACE)) > 0) {
            throw values.find(Settings.CACHE_LIFETIME).isPresent()
                    ? values.error(Settings.CACHE_LIFETIME, "must be at most half of garbage.grace")
                    : values.error(Settings.GARBAGE_GRACE, "must be at least twice namespace.cache_lifetime");
        }
        try {
            return Optional.of(new CacheConfig(
                    RedisUrl.parse(url.get().reveal()),
                    values.get(Settings.CACHE_LEASE),
                    lifetime,
                    values.get(Settings.CACHE_TIMEOUT),
                    values.get(Settings.CACHE_WRITE_TIMEOUT)));
        } catch (IllegalArgumentException invalid) {
            throw values.error(Settings.NAMESPACE_CACHE, String.valueOf(invalid.getMessage()));
        }
    }

    private Secret namespaceUrl() throws ConfigException {
        Optional<Secret> url = values.find(Settings.NAMESPACE_URL);
        if (url.isEmpty()) {
            String engine = values.get(Settings.ENGINE).name().toLowerCase(Locale.ROOT);
            throw values.error(Settings.ENGINE, "\"" + engine + "\" needs the key namespace.url");
        }
        return url.get();
    }

    private ClusterConfig cluster() throws ConfigException {
        Secret url = namespaceUrl();
        Optional<Integer> replicas = values.find(Settings.NAMESPACE_REPLICAS);
        try {
            return new ClusterConfig(
                    ClusterUrl.parse(url.reveal()),
                    replicas.isPresent() ? OptionalInt.of(replicas.get()) : OptionalInt.empty(),
                    values.get(Settings.NAMESPACE_REPLICAS_TIMEOUT),
                    values.get(Settings.RANGE_MAX_OBJECTS),
                    values.get(Settings.RANGE_MAX_REQUESTS),
                    values.get(Settings.RANGE_JOIN_OBJECTS));
        } catch (IllegalArgumentException invalid) {
            throw values.error(Settings.NAMESPACE_URL, String.valueOf(invalid.getMessage()));
        }
    }

    private DatabaseConfig database() throws ConfigException {
        Secret url = namespaceUrl();
        try {
            return new DatabaseConfig(
                    DatabaseUrl.parse(url.reveal()),
                    values.get(Settings.NAMESPACE_CONNECTIONS),
                    values.get(Settings.NAMESPACE_CONNECT_TIMEOUT),
                    values.get(Settings.NAMESPACE_STATEMENT_TIMEOUT),
                    values.get(Settings.NAMESPACE_LOCK_TIMEOUT));
        } catch (IllegalArgumentException invalid) {
            throw values.error(Settings.NAMESPACE_URL, String.valueOf(invalid.getMessage()));
        }
    }

    private List<AccountConfig> accounts(String region, Path dataDir) throws ConfigException {
        List<RawConfig.Element> elements = raw.lists().get("storage_shards");
        List<AccountConfig> accounts = new ArrayList<>();
        if (elements == null) {
            for (int i = 1; i <= DEFAULT_ACCOUNTS; i++) {
                Storage storage = new Storage.Local(dataDir.resolve("disk-" + i), Durability.SYNC);
                accounts.add(new AccountConfig("disk-" + i, region, Limits.NONE, storage));
            }
            return accounts;
        }
        // Those that are no accounts at all are missing here.
        if ((elements.isEmpty() && problems.isEmpty()) || elements.size() > MAX_ACCOUNTS) {
            throw new ConfigException(
                    "storage_shards: has %d accounts, not 1 to %d".formatted(elements.size(), MAX_ACCOUNTS));
        }
        AccountReader reader = new AccountReader(region);
        for (RawConfig.Element element : elements) {
            new Values(element.values(), element.origin()).check("storage_shards[].", problems);
            problems.check(() -> accounts.add(reader.read(element)));
        }
        return accounts;
    }

    private List<UserConfig> users(Optional<Credentials> root) {
        List<UserConfig> users = new ArrayList<>();
        Map<String, String> ids = new HashMap<>(
                Map.of("root", "the root user", "65a011a29cdf8ec533ec3d1ccaae921c", "whoever does not sign"));
        Map<String, String> accessKeys = new HashMap<>();
        root.ifPresent(credentials -> accessKeys.put(credentials.accessKey(), "the root user"));
        for (RawConfig.Element element : raw.lists().getOrDefault("users", List.of())) {
            Values of = new Values(element.values(), element.origin());
            of.check("users[].", problems);
            problems.check(() -> users.add(user(of, ids, accessKeys)));
        }
        return users;
    }

    private static UserConfig user(Values of, Map<String, String> ids, Map<String, String> accessKeys)
            throws ConfigException {
        String id = of.get(Settings.USER_ID);
        of.unique(ids, id, "the id", Settings.USER_ID);
        String accessKey = of.get(Settings.USER_ACCESS_KEY);
        of.unique(accessKeys, accessKey, "the access key", Settings.USER_ACCESS_KEY);
        return new UserConfig(
                id,
                of.find(Settings.USER_DISPLAY_NAME).orElse(id),
                of.find(Settings.USER_EMAIL),
                new Credentials(accessKey, of.get(Settings.USER_SECRET_KEY)));
    }

    private Optional<RegionsConfig> regions() throws ConfigException {
        return new RegionsReader(
                        values.getOrDefault(Settings.REGION, problems),
                        values.getOrDefault(Settings.DATA_DIR, problems),
                        values,
                        problems)
                .read(raw.lists().getOrDefault("regions", List.of()));
    }

    private PlacementConfig placement() throws ConfigException {
        return new PlacementConfig(
                values.get(Settings.MAX_CAPACITY_RATIO),
                values.get(Settings.MAX_REQUEST_RATIO),
                values.get(Settings.MAX_BYTE_RATE_RATIO),
                values.get(Settings.MAX_WAIT),
                values.get(Settings.MAX_WAITING),
                values.get(Settings.USAGE_INTERVAL));
    }

    private BreakerConfig breaker() throws ConfigException {
        Optional<Double> errorRatio = values.find(Settings.BREAKER_ERROR_RATIO);
        return new BreakerConfig(
                values.get(Settings.BREAKER_FAILURES),
                values.get(Settings.BREAKER_WINDOW),
                values.get(Settings.BREAKER_OPEN),
                values.get(Settings.BREAKER_PROBE_TIMEOUT),
                values.get(Settings.BREAKER_STALL_TIMEOUT),
                values.get(Settings.BREAKER_PROBE_INTERVAL),
                errorRatio.isPresent() ? OptionalDouble.of(errorRatio.get()) : OptionalDouble.empty(),
                values.get(Settings.BREAKER_MIN_REQUESTS));
    }

    private HttpConfig http() throws ConfigException {
        return new HttpConfig(
                values.get(Settings.SELECTORS),
                values.get(Settings.MAX_CONNECTIONS),
                values.get(Settings.IDLE_TIMEOUT),
                values.get(Settings.HEAD_TIMEOUT),
                values.get(Settings.MIN_RATE),
                values.get(Settings.MIN_RATE_GRACE),
                Math.toIntExact(values.get(Settings.MAX_HEAD_SIZE)),
                values.get(Settings.MAX_HEADER_FIELDS),
                Math.toIntExact(values.get(Settings.MAX_TARGET_SIZE)),
                Math.toIntExact(values.get(Settings.COPY_BUFFER)),
                values.get(Settings.MAX_COPY_BUFFERS),
                values.get(Settings.DRAIN_TIMEOUT));
    }

    private IntentConfig intents() throws ConfigException {
        return new IntentConfig(values.get(Settings.INTENT_WINDOW), values.get(Settings.INTENT_LIFETIME));
    }

    private GarbageConfig garbage() throws ConfigException {
        return new GarbageConfig(
                values.get(Settings.GARBAGE_GRACE),
                values.get(Settings.GARBAGE_INTERVAL),
                values.get(Settings.GARBAGE_BATCH),
                values.get(Settings.GARBAGE_PARALLELISM),
                values.get(Settings.GARBAGE_MAX_BACKOFF),
                values.get(Settings.GARBAGE_MAX_BLOB_BACKOFF));
    }

    private SweepConfig sweep() throws ConfigException {
        return new SweepConfig(
                values.get(Settings.SWEEP_INTERVAL),
                values.get(Settings.SWEEP_PAGE),
                values.get(Settings.SWEEP_PAUSE),
                values.get(Settings.SWEEP_MAX_BACKOFF));
    }

    private OrphansConfig orphans() throws ConfigException {
        return new OrphansConfig(
                values.get(Settings.ORPHANS_DELAY),
                values.get(Settings.ORPHANS_INTERVAL),
                values.get(Settings.ORPHANS_MIN_AGE),
                values.get(Settings.ORPHANS_PAGE),
                values.get(Settings.ORPHANS_PAUSE),
                values.get(Settings.ORPHANS_MAX_RATIO));
    }

    private DrainConfig drain() throws ConfigException {
        return new DrainConfig(
                values.get(Settings.DRAIN_BYTES_PER_SECOND),
                values.get(Settings.DRAIN_PARALLELISM),
                values.get(Settings.DRAIN_INTERVAL),
                values.get(Settings.REBALANCE_TOLERANCE));
    }

    private AccessLogConfig accessLog(Path dataDir) throws ConfigException {
        return new AccessLogConfig(
                values.get(Settings.ACCESS_LOG),
                values.find(Settings.ACCESS_LOG_PATH).orElse(dataDir.resolve("access.log")),
                values.get(Settings.ACCESS_LOG_MAX_SIZE),
                values.get(Settings.ACCESS_LOG_KEEP),
                values.get(Settings.ACCESS_LOG_QUEUE));
    }
}
