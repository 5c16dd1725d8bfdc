package io.headgate.admin;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.cache.CacheStatistics;
import io.headgate.placement.Filter;
import io.headgate.placement.Placement;
import io.headgate.placement.Rejection;
import io.headgate.placement.Wish;
import io.headgate.region.Regions;
import io.headgate.work.AccountDrain;
import io.headgate.work.DrainProgress;
import io.headgate.work.RegistryUpkeep;
import io.headgate.work.WorkerStatus;
import io.headgate.work.Workers;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/** All meters of the process, and their text for Prometheus. Thread-safe. */
public final class Metrics {
    /** The content type of {@link #scrape}. */
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /** Upper bounds of the histograms' buckets: from a cached HEAD to a large upload. */
    static final Duration[] REQUEST_BUCKETS = {
        Duration.ofNanos(250_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofNanos(2_500_000_000L),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60)
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RequestMetrics requests = new RequestMetrics(registry);
    private final AccountMetrics accounts = new AccountMetrics(registry);
    private final NamespaceMetrics namespaces = new NamespaceMetrics(registry);
    private final Map<Filter, Counter> refusals = new EnumMap<>(Filter.class);
    private final MultiGauge garbageBlobs = MultiGauge.builder("headgate.garbage.blobs")
            .description("Blobs that wait for deletion")
            .register(registry);
    private final MultiGauge liveBlobs = MultiGauge.builder("headgate.live.blobs")
            .description("Blobs that versions refer to")
            .register(registry);
    private final MultiGauge rejections = MultiGauge.builder("headgate.placement.rejecting")
            .description("1 for each filter that keeps new writes off an account now")
            .register(registry);
    /** The registry itself holds on to what it counts only weakly. */
    private final List<LongSupplier> counted = new CopyOnWriteArrayList<>();

    /** Their names. */
    private final Set<String> exposedWorkers = ConcurrentHashMap.newKeySet();

    private boolean bound;

    /** Registers the meters that are there from the start; those of the JVM come with the first scrape, as they are slow to make. */
    public Metrics() {
        for (Filter filter : Filter.values()) {
            refusals.put(
                    filter,
                    Counter.builder("headgate.placement.refusals")
                            .description("Accounts refused to writes that found no account, by filter")
                            .tag("filter", filter.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
    }

    /** To be told of each S3 request. */
    public RequestMetrics requests() {
        return requests;
    }

    /** To be told of each call of an account. */
    public AccountMetrics accounts() {
        return accounts;
    }

    /** The same namespace, measured. */
    public Namespace measured(Namespace namespace) {
        return new MeasuredNamespace(namespace, namespaces);
    }

    /** Counts the filters that left a write without an account. */
    public void placementRefused(List<Rejection> rejections) {
        for (Rejection rejection : rejections) {
            Objects.requireNonNull(refusals.get(rejection.filter())).increment();
        }
    }

    /** Exposes a count of the process that only grows. */
    public void counter(String name, String description, LongSupplier count) {
        counted.add(count);
        FunctionCounter.builder(name, count, LongSupplier::getAsLong)
                .description(description)
                .register(registry);
    }

    /** Exposes a figure of the process. */
    public void gauge(String name, String description, LongSupplier figure) {
        Gauge.builder(name, figure, LongSupplier::getAsLong)
                .description(description)
                .strongReference(true)
                .register(registry);
    }

    /** Exposes what the namespace's cache does. */
    public void addCache(CacheStatistics statistics) {
        CacheMetrics.add(registry, statistics);
    }

    /** Exposes what goes to other regions, and what is asked of the registry of bucket names. */
    public void addRegions(Regions regions, RegistryUpkeep upkeep) {
        RegionMetrics.add(registry, regions, upkeep);
    }

    /** Exposes an account, and how its draining goes. */
    public void addAccount(Account account, AccountDrain drain) {
        accounts.add(account);
        accounts.add(account, drain.progress(account));
    }

    /** Exposes how the balancing of accounts goes. */
    public void addBalancing(AccountDrain drain) {
        DrainProgress progress = drain.balanceProgress();
        counter("headgate.rebalance.blobs.moved", "Blobs moved for balance", progress::movedBlobs);
        counter("headgate.rebalance.bytes.moved", "Bytes moved for balance", progress::movedBytes);
        gauge(
                "headgate.rebalance.bytes.per.second",
                "Bytes moved for balance a second, lately",
                () -> Math.round(progress.bytesPerSecond()));
    }

    /** Forgets what was exposed of an account that is gone, and of its workers. */
    public void removeAccount(Account account) {
        accounts.remove(account);
        exposedWorkers.removeIf(worker -> worker.endsWith("(" + account.name() + ")"));
        registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> account.name().equals(id.getTag("account"))
                        || String.valueOf(id.getTag("worker")).endsWith("(" + account.name() + ")"))
                .forEach(registry::remove);
    }

    /** Exposes how the background workers fare; to be called again when there are more. */
    public void addWorkers(Workers workers) {
        for (WorkerStatus status : workers.status()) {
            String name = status.name();
            if (!exposedWorkers.add(name)) {
                continue;
            }
            worker(workers, name, "headgate.worker.turns", "Turns that the worker has ended", WorkerStatus::turns);
            worker(workers, name, "headgate.worker.failures", "Turns that failed", WorkerStatus::failures);
        }
    }

    private void worker(
            Workers workers, String name, String meter, String description, ToLongFunction<WorkerStatus> figure) {
        FunctionCounter.builder(
                        meter,
                        workers,
                        all -> all.status().stream()
                                .filter(status -> status.name().equals(name))
                                .mapToLong(figure)
                                .sum())
                .description(description)
                .tag("worker", name)
                .register(registry);
    }

    /** Every meter in Prometheus's text format; asks the namespace how much garbage there is. */
    synchronized byte[] scrape(Namespace namespace, Accounts all, Placement placement) {
        if (!bound) {
            bindJvm();
            bound = true;
        }
        refreshBacklog(namespace, all);
        rejections.register(
                placement.explain(all.states(), Wish.ofSize(0)).stream()
                        .<MultiGauge.Row<?>>map(Metrics::row)
                        .toList(),
                true);
        ByteArrayOutputStream text = new ByteArrayOutputStream(64 * 1024);
        try {
            registry.scrape(text, CONTENT_TYPE);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toByteArray();
    }

    private void refreshBacklog(Namespace namespace, Accounts all) {
        Map<String, AccountUsage> usage;
        try {
            usage = namespace.accountUsage();
        } catch (NamespaceException unavailable) {
            usage = Map.of(); // a scrape must tell of the outage, so it goes on without
        }
        garbageBlobs.register(rows(usage, all, true), true);
        liveBlobs.register(rows(usage, all, false), true);
    }

    private static List<MultiGauge.Row<?>> rows(Map<String, AccountUsage> usage, Accounts all, boolean garbage) {
        return all.all().stream()
                .map(Account::name)
                .<MultiGauge.Row<?>>map(name -> {
                    AccountUsage of = usage.getOrDefault(name, AccountUsage.NONE);
                    return MultiGauge.Row.of(Tags.of("account", name), garbage ? of.garbageBlobs() : of.blobs());
                })
                .toList();
    }

    private static MultiGauge.Row<?> row(Rejection rejection) {
        String filter = rejection.filter().name().toLowerCase(Locale.ROOT);
        return MultiGauge.Row.of(Tags.of("account", rejection.account(), "filter", filter), 1);
    }

    private void bindJvm() {
        new JvmMemoryMetrics().bindTo(registry);
        bindGc();
        new JvmThreadMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /** Listens to the collector for the life of the process. */
    @SuppressWarnings("resource")
    private void bindGc() {
        new JvmGcMetrics().bindTo(registry);
    }
}
