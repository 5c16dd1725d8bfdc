package io.headgate.work;

import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketClaim;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import io.headgate.region.BucketDirectory;
import io.headgate.region.BucketNames;
import io.headgate.region.Deaths;
import io.headgate.region.Registry;
import io.headgate.region.RegistryEntry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** A region with a namespace of its own, of which gateways die. */
final class RegionSite implements AutoCloseable {
    final String region;
    final MovedClock clock;
    final Registry registry;
    final Namespace namespace;
    final Deaths deaths = new Deaths();
    final BucketNames names;
    final RegistryUpkeep upkeep;
    private final Namespace dying;
    private final List<Leases> leases;

    /**
     * One of several.
     *
     * @param registry that other regions share
     * @param leases of all regions, to which this one adds its own
     */
    RegionSite(
            Path directory,
            String region,
            Registry registry,
            MovedClock clock,
            Supplier<String> claimIds,
            List<Leases> leases) {
        this.region = region;
        this.clock = clock;
        this.registry = registry;
        this.namespace = SqliteNamespace.open(
                directory.resolve(region + ".db"),
                clock,
                SqliteOptions.defaults().withFlush(false));
        this.leases = leases;
        Leases own = new Leases(namespace, "gateway-1", clock);
        leases.add(own);
        this.dying = deaths.before(Namespace.class, namespace);
        Registry dyingToo = deaths.before(Registry.class, registry);
        BucketDirectory directoryOfNames = new BucketDirectory(dyingToo, 100, clock);
        this.names = new BucketNames(dyingToo, directoryOfNames, dying, region, claimIds);
        this.upkeep = new RegistryUpkeep(
                dyingToo,
                directoryOfNames,
                dying,
                region,
                own.of("registry"),
                claimIds,
                clock,
                RegistryUpkeep.INTERVAL);
    }

    /** A bucket that somebody wants to make now. */
    Bucket wanted(BucketName name, String owner) {
        return new Bucket(name, owner, "", clock.instant());
    }

    BucketClaim create(BucketName name, String owner) {
        return names.create(wanted(name, owner), dying::createBucket);
    }

    Outcome<?> delete(BucketName name) {
        return names.delete(name, clock.instant());
    }

    /** In all regions, whose leases are renewed as it passes. */
    void pass(Duration time) {
        Duration step = Duration.ofSeconds(5);
        for (Duration left = time; left.isPositive(); left = left.minus(step)) {
            clock.move(left.compareTo(step) < 0 ? left : step);
            leases.forEach(Leases::work);
        }
    }

    /** One round. */
    void upkeep() {
        while (!upkeep.work().equals(Turn.idle(RegistryUpkeep.INTERVAL))) {
            clock.move(Duration.ofMillis(100));
        }
    }

    /** So many rounds, with the time between them, that nothing is left to be done if no other region is in the way. */
    void settle() {
        pass(RegistryUpkeep.STALE);
        for (int round = 0; round < 3; round++) {
            pass(RegistryUpkeep.INTERVAL);
            upkeep();
        }
    }

    /** Names that the namespace has. */
    List<BucketName> buckets() {
        return namespace.bucketNames("", 1_000);
    }

    List<RegistryEntry> entries() {
        return registry.ofRegion(region, "", 1_000);
    }

    @Override
    public void close() {
        namespace.close();
    }
}
