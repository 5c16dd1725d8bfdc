package io.headgate.app;

import io.headgate.account.Account;
import io.headgate.account.AccountListener;
import io.headgate.account.Accounts;
import io.headgate.account.CircuitBreaker;
import io.headgate.account.Limits;
import io.headgate.admin.Metrics;
import io.headgate.app.config.AddedAccounts;
import io.headgate.app.config.ClusterUrl;
import io.headgate.app.config.DatabaseUrl;
import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HeadgateConfig.AccountConfig;
import io.headgate.app.config.HeadgateConfig.BreakerConfig;
import io.headgate.app.config.HeadgateConfig.ClusterConfig;
import io.headgate.app.config.HeadgateConfig.Credentials;
import io.headgate.app.config.HeadgateConfig.DatabaseConfig;
import io.headgate.app.config.HeadgateConfig.GarbageConfig;
import io.headgate.app.config.HeadgateConfig.NamespaceConfig;
import io.headgate.app.config.HeadgateConfig.OrphansConfig;
import io.headgate.app.config.HeadgateConfig.PlacementConfig;
import io.headgate.app.config.HeadgateConfig.SweepConfig;
import io.headgate.app.config.HeadgateConfig.UserConfig;
import io.headgate.app.config.Secret;
import io.headgate.blob.BlobStore;
import io.headgate.blob.CarrierWatch;
import io.headgate.domain.BlobIds;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ReadsInFlight;
import io.headgate.namespace.WriteIntents;
import io.headgate.namespace.cache.CachedNamespace;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.namespace.redis.RangeLimits;
import io.headgate.namespace.redis.RedisNamespace;
import io.headgate.namespace.redis.RedisOptions;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import io.headgate.placement.Placement;
import io.headgate.placement.Thresholds;
import io.headgate.region.PeerHandler;
import io.headgate.region.PeerSettings;
import io.headgate.region.Regions;
import io.headgate.s3.Router;
import io.headgate.s3.auth.Credential;
import io.headgate.s3.auth.SigV4;
import io.headgate.s3.op.S3Handler;
import io.headgate.s3.op.SliceReader;
import io.headgate.s3.op.Storage;
import io.headgate.s3.op.Users;
import io.headgate.work.AccountDrain;
import io.headgate.work.AccountRoster;
import io.headgate.work.BackgroundWork;
import io.headgate.work.Leases;
import io.headgate.work.ModeRefresh;
import io.headgate.work.NamespaceUpkeep;
import io.headgate.work.Pace;
import io.headgate.work.ReadsExchange;
import io.headgate.work.RegistryUpkeep;
import io.headgate.work.ShareRenewal;
import io.headgate.work.WorkSettings;
import io.headgate.work.Worker;
import io.headgate.work.Workers;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a running gateway, wired by hand: namespace, accounts, the S3 handler over them, and the background workers. The HTTP
 * servers in front are started by the command {@code serve}.
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    /** The id of the user who may do everything. */
    static final String ROOT_USER = "root";

    private final Namespace namespace;
    private final Accounts accounts;
    private final CarrierWatch carriers;
    private final Placement placement;
    private final WriteIntents intents;
    private final SliceReader slices;
    private final S3Handler s3;
    /** Empty if there is one region. */
    private final Optional<Regions> regions;

    private final Optional<PeerHandler> peers;
    private final Optional<RegistryUpkeep> registryUpkeep;
    private final AccountDrain drain;
    private final Leases leases;
    private final Workers workers;
    /** Empty with an engine that has one gateway. */
    private final Optional<ShareRenewal> shares;

    private final BackgroundWork work;
    private final AccountOpening opened;
    private final AccountRoster roster;
    private final Metrics metrics;
    /** The workers of each account. */
    private final Map<String, List<Worker>> ofAccounts = new ConcurrentHashMap<>();

    /**
     * Opens everything that the configuration names.
     *
     * @throws io.headgate.namespace.NamespaceException if the namespace cannot be opened
     */
    static Gateway open(HeadgateConfig config, Credentials root, Metrics metrics) {
        return open(config, root, metrics, PeerSettings.DEFAULTS);
    }

    /** The same, with other bounds of the hop between regions. */
    static Gateway open(HeadgateConfig config, Credentials root, Metrics metrics, PeerSettings peers) {
        return open(config, root, metrics, peers, metrics.accounts(), (account, store) -> store);
    }

    /**
     * The same for who wants to watch the accounts or to come between them and their stores, as benchmarks do.
     *
     * @param listener hears of the accounts' calls, instead of {@code metrics}
     * @param between given an account's name and its store, returns the store to use
     */
    public static Gateway open(
            HeadgateConfig config,
            Credentials root,
            Metrics metrics,
            AccountListener listener,
            BiFunction<String, BlobStore, BlobStore> between) {
        return open(config, root, metrics, PeerSettings.DEFAULTS, listener, between);
    }

    private static Gateway open(
            HeadgateConfig config,
            Credentials root,
            Metrics metrics,
            PeerSettings peers,
            AccountListener listener,
            BiFunction<String, BlobStore, BlobStore> between) {
        InstantSource clock = InstantSource.system();
        Namespace namespace = namespace(config, clock);
        // An account that holds blobs is not taken into use anew when its directory is missing: a disk is not mounted.
        Map<String, AccountUsage> usage = namespace.accountUsage();
        CarrierWatch carriers = new CarrierWatch();
        Stores stores = new Stores(config, namespace.id(), usage.keySet(), clock, carriers);
        Function<AccountConfig, Account> opening = one -> account(config, one, listener, stores.open(one, between));
        Accounts accounts = new Accounts(config.accounts().stream().map(opening).toList());
        for (Account account : accounts.all()) {
            // Known before the first write, which must not think that the account is empty.
            AccountUsage of = usage.getOrDefault(account.name(), AccountUsage.NONE);
            account.meter().setUsage(of.liveBytes(), of.garbageBytes(), 0);
        }
        if (namespace instanceof CachedNamespace cached
                && config.namespace().cache().isPresent()) {
            metrics.addCache(cached.statistics());
        }
        Gateway gateway = new Gateway(
                config, root, metrics.measured(namespace), accounts, opening, carriers, metrics, peers, clock);
        usage.forEach((name, of) -> {
            if (of.blobs() > 0 && accounts.byName(name).isEmpty()) {
                LOG.error(
                        "account {} is not configured or cannot be opened: {} blobs of it cannot be read",
                        name,
                        of.blobs());
            }
        });
        return gateway;
    }

    private Gateway(
            HeadgateConfig config,
            Credentials root,
            Namespace namespace,
            Accounts accounts,
            Function<AccountConfig, Account> opening,
            CarrierWatch carriers,
            Metrics metrics,
            PeerSettings peers,
            InstantSource clock) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.carriers = carriers;
        this.metrics = metrics;
        RandomGenerator random = Gateway::random;
        placement = new Placement(thresholds(config.placement()));
        intents = new WriteIntents(
                namespace,
                new BlobIds(random::nextLong),
                clock,
                newId(random),
                config.intents().window(),
                config.intents().lifetime());
        ReadsInFlight reads = new ReadsInFlight(clock);
        Storage storage = new Storage(
                namespace,
                intents,
                reads,
                accounts,
                placement,
                clock,
                () -> newId(random),
                random,
                config.placement().maxWait(),
                config.placement().maxWaiting(),
                metrics::placementRefused);
        slices = new SliceReader(storage);
        regions = config.regions()
                .map(several -> RegionWiring.open(config, several, namespace, peers, () -> newId(random), clock));
        s3 = s3(config, root, storage, slices, regions);
        this.peers = config.regions()
                .map(several -> new PeerHandler(config.region(), RegionWiring.secrets(config, several), s3, clock));
        leases = new Leases(namespace, newId(random), clock);
        drain = new AccountDrain(
                namespace,
                accounts,
                placement,
                random,
                clock,
                new Pace(config.drain().bytesPerSecond(), System::nanoTime, Thread::sleep),
                leases.of("account-drain"),
                new AccountDrain.Settings(
                        config.drain().parallelism(),
                        config.drain().interval(),
                        config.drain().tolerance()));
        workers = new Workers(clock);
        work = new BackgroundWork(namespace, accounts, intents, reads, clock, leases, workSettings(config));
        opened = new AccountOpening(new AddedAccounts(config), opening);
        roster = new AccountRoster(
                namespace, accounts, opened.definitions(), intents, clock, this::hasCome, this::hasGone);
        metrics.addBalancing(drain);
        metrics.gauge(
                "headgate.accounts.faulty",
                "Accounts that this gateway cannot open",
                () -> roster.faulty().size());
        boolean shared = config.namespace().engine().isShared();
        List<Worker> all = new ArrayList<>(work.ofGateway());
        if (shared) {
            ReadsExchange exchange = new ReadsExchange(namespace, reads, newId(random));
            exchange.work(); // before this gateway reads or deletes anything
            all.add(exchange);
        }
        shares = shared
                ? Optional.of(
                        new ShareRenewal(namespace, accounts, placement.thresholds(), newId(random), System::nanoTime))
                : Optional.empty();
        accounts.all().forEach(this::hasCome);
        roster.work(); // before the first read, which may be of an account that was added
        accounts.refreshBy(roster::refresh);
        ModeRefresh modes = new ModeRefresh(namespace, accounts);
        modes.work(); // an account that drains must not take the first writes after a restart
        all.addAll(List.of(roster, modes, drain, new NamespaceUpkeep(namespace, newId(random), clock)));
        if (shares.isPresent()) {
            ShareRenewal renewal = shares.get();
            renewal.work(); // before the first write
            all.add(renewal);
            metrics.gauge(
                    "headgate.gateways", "Gateways that share the accounts, this one included", renewal::gateways);
        }
        registryUpkeep = regions.map(several -> new RegistryUpkeep(
                several.registry(),
                several.directory(),
                namespace,
                several.own(),
                leases.of("registry"),
                () -> newId(random),
                clock,
                RegistryUpkeep.INTERVAL));
        registryUpkeep.ifPresent(all::add);
        regions.ifPresent(several -> metrics.addRegions(several, registryUpkeep.orElseThrow()));
        workers.start(all);
        metrics.addWorkers(workers);
    }

    private void hasCome(Account account) {
        List<Worker> its = work.ofAccount(account);
        ofAccounts.put(account.name(), its);
        shares.ifPresent(renewal -> renewal.hasCome(account));
        metrics.addAccount(account, drain);
        workers.start(its);
        metrics.addWorkers(workers);
    }

    private void hasGone(Account account) {
        workers.end(Objects.requireNonNullElse(ofAccounts.remove(account.name()), List.of()));
        work.ended(account);
        opened.closed(account);
        metrics.removeAccount(account);
    }

    public Namespace namespace() {
        return namespace;
    }

    Accounts accounts() {
        return accounts;
    }

    Placement placement() {
        return placement;
    }

    SliceReader slices() {
        return slices;
    }

    public S3Handler s3() {
        return s3;
    }

    Optional<Regions> regions() {
        return regions;
    }

    /** Answers what gateways of other regions send here; empty if there is one region. */
    public Optional<PeerHandler> peers() {
        return peers;
    }

    Optional<RegistryUpkeep> registryUpkeep() {
        return registryUpkeep;
    }

    AccountRoster roster() {
        return roster;
    }

    AccountDrain drain() {
        return drain;
    }

    Workers workers() {
        return workers;
    }

    /** Stops the workers, closes the intents whose writes have ended, then the accounts and the namespace. */
    @Override
    public void close() {
        workers.close();
        leases.close();
        intents.close();
        regions.ifPresent(Regions::close);
        accounts.close();
        carriers.close();
        namespace.close();
    }

    static long random() {
        return ThreadLocalRandom.current().nextLong();
    }

    private static String newId(RandomGenerator random) {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    /** Where the namespace of the engine {@code sqlite} is. */
    static Path namespaceFile(HeadgateConfig config) {
        return config.dataDir().resolve("namespace.db");
    }

    static Namespace namespace(HeadgateConfig config, InstantSource clock) {
        NamespaceConfig namespace = config.namespace();
        return switch (namespace.engine()) {
            case SQLITE -> SqliteNamespace.open(namespaceFile(config), clock, sqlite(config));
            case POSTGRES ->
                CacheWiring.cached(config, postgres(config, namespace.database().orElseThrow()), clock);
            case REDIS -> RedisNamespace.open(redis(config, namespace.cluster().orElseThrow()), clock, Gateway::random);
        };
    }

    static SqliteOptions sqlite(HeadgateConfig config) {
        NamespaceConfig namespace = config.namespace();
        return SqliteOptions.defaults()
                .withMinPartBytes(config.multipart().minPartBytes())
                .withTimeout(namespace.timeout())
                .withWalLimitBytes(namespace.walLimitBytes())
                .withFlush(namespace.durability() == HeadgateConfig.Durability.SYNC);
    }

    static PostgresOptions postgres(HeadgateConfig config, DatabaseConfig database) {
        DatabaseUrl url = database.url();
        PostgresOptions options = PostgresOptions.defaults(url.hosts(), url.database(), url.user())
                .withParameters(url.parameters())
                .withConnections(database.connections())
                .withTimeouts(
                        config.namespace().timeout(),
                        database.connectTimeout(),
                        database.statementTimeout(),
                        database.lockTimeout())
                .withMinPartBytes(config.multipart().minPartBytes());
        return url.password().isPresent()
                ? options.withPassword(url.password().get().reveal())
                : options;
    }

    static RedisOptions redis(HeadgateConfig config, ClusterConfig cluster) {
        ClusterUrl url = cluster.url();
        return new RedisOptions(
                url.hosts().stream()
                        .map(host -> new RedisOptions.Node(host.host(), host.port()))
                        .toList(),
                url.tls(),
                url.user().orElse(null),
                url.password().map(Secret::reveal).orElse(null),
                config.namespace().timeout(),
                config.multipart().minPartBytes(),
                new RangeLimits(
                        cluster.rangeMaxObjects(), cluster.rangeMaxRequestsPerSecond(), cluster.rangeJoinObjects()),
                cluster.replicas(),
                cluster.replicasTimeout());
    }

    private static S3Handler s3(
            HeadgateConfig config, Credentials root, Storage storage, SliceReader slices, Optional<Regions> regions) {
        Map<String, Credential> credentials = new HashMap<>();
        Map<String, String> displayNames = new HashMap<>();
        Map<String, String> idsByEmail = new HashMap<>();
        credentials.put(root.accessKey(), credential(root, ROOT_USER, ROOT_USER));
        displayNames.put(ROOT_USER, ROOT_USER);
        for (UserConfig user : config.users()) {
            credentials.put(
                    user.credentials().accessKey(), credential(user.credentials(), user.id(), user.displayName()));
            displayNames.put(user.id(), user.displayName());
            user.email().ifPresent(email -> idsByEmail.put(email.toLowerCase(Locale.ROOT), user.id()));
        }
        Router router = new Router(config.domain().orElse(""));
        return new S3Handler(
                router,
                new SigV4(
                        config.region(),
                        regions.map(Regions::names).orElse(Set.of(config.region())),
                        credentials::get,
                        router::hostBucket),
                storage,
                slices,
                regions,
                new S3Handler.Settings(
                        config.region(),
                        config.debugHeaders(),
                        new Users(
                                ROOT_USER,
                                id -> Optional.ofNullable(displayNames.get(id)),
                                email -> Optional.ofNullable(idsByEmail.get(email)))));
    }

    private static Credential credential(Credentials credentials, String userId, String displayName) {
        return new Credential(credentials.accessKey(), credentials.secretKey().reveal(), userId, displayName);
    }

    static Account account(HeadgateConfig config, AccountConfig account, AccountListener listener, BlobStore store) {
        Account.Description description = new Account.Description(
                account.name(), Stores.kind(account.storage()), account.region(), limits(account.limits()));
        return new Account(description, breaker(config.breaker()), store, System::nanoTime, listener);
    }

    private static Limits limits(HeadgateConfig.Limits limits) {
        return new Limits(
                orUnlimited(limits.capacityBytes()),
                orUnlimited(limits.requestsPerSecond()),
                orUnlimited(limits.ingressBytesPerSecond()),
                orUnlimited(limits.egressBytesPerSecond()));
    }

    private static long orUnlimited(OptionalLong limit) {
        return limit.orElse(Limits.UNLIMITED);
    }

    private static CircuitBreaker.Settings breaker(BreakerConfig breaker) {
        CircuitBreaker.ErrorRate rate = breaker.errorRatio().isPresent()
                ? new CircuitBreaker.ErrorRate(
                        breaker.minRequests(), breaker.errorRatio().getAsDouble())
                : null;
        return new CircuitBreaker.Settings(
                breaker.failures(), breaker.window(), breaker.open(), breaker.probeTimeout(), rate);
    }

    private static Thresholds thresholds(PlacementConfig placement) {
        return new Thresholds(placement.maxCapacityRatio(), placement.maxRequestRatio(), placement.maxByteRateRatio());
    }

    private static WorkSettings workSettings(HeadgateConfig config) {
        GarbageConfig garbage = config.garbage();
        SweepConfig sweep = config.sweep();
        OrphansConfig orphans = config.orphans();
        return new WorkSettings(
                config.intents().lifetime(),
                config.placement().usageInterval(),
                config.breaker().probeInterval(),
                config.multipart().rememberCompleted(),
                new WorkSettings.Garbage(
                        garbage.grace(),
                        garbage.interval(),
                        garbage.batch(),
                        garbage.parallelism(),
                        garbage.maxBackoff(),
                        garbage.maxBlobBackoff()),
                new WorkSettings.Sweep(sweep.interval(), sweep.page(), sweep.pause(), sweep.maxBackoff()),
                new WorkSettings.Orphans(
                        orphans.delay(),
                        orphans.interval(),
                        orphans.minAge(),
                        orphans.page(),
                        orphans.pause(),
                        orphans.maxRatio()));
    }
}
