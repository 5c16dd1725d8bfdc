package io.headgate.work;

import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.UploadPage;
import io.headgate.namespace.UploadQuery;
import io.headgate.region.BucketDirectory;
import io.headgate.region.Claim;
import io.headgate.region.Registry;
import io.headgate.region.RegistryEntry;
import io.headgate.region.RegistryEntry.State;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the registry true to the namespace of this region, round after round: brings to an end what gateways that died left half done,
 * gives buckets that the registry does not know an entry, and tells of names that another region has too.
 *
 * <p>Of all gateways of the region one does this, by a lease that it keeps as long as it lives. It is safe in several: every change names the
 * claim that it is about.
 */
public final class RegistryUpkeep implements Worker {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryUpkeep.class);

    /** Between two rounds, unless another time is wanted. */
    public static final Duration INTERVAL = Duration.ofSeconds(30);

    /** Whoever claimed a name longer ago is not expected to go on. */
    static final Duration STALE = Duration.ofMinutes(1);

    /** An empty bucket whose name another region took later goes after so long. */
    static final Duration REMOVE_AFTER = Duration.ofMinutes(10);

    /** So seldom are the owners compared of buckets that are there as they should be, which takes a look at each. */
    static final Duration COMPARE_INTERVAL = Duration.ofMinutes(10);

    private static final int PAGE = 100;
    private static final Duration PAUSE = Duration.ofMillis(100);

    /** Of names that are remembered from one round to the next; more wait for a later round. */
    private static final int MOST_REMEMBERED = 10_000;

    private final Registry registry;
    private final BucketDirectory directory;
    private final Namespace namespace;
    private final String region;
    private final Lease lease;
    private final Supplier<String> claimIds;
    private final InstantSource clock;
    private final Duration interval;

    /** The round that is under way. */
    private Round round = new Round();

    private Instant compareNotBefore = Instant.MIN;

    /** The claims whose buckets the round before did not find, by name. */
    private Map<BucketName, String> missing = Map.of();

    private volatile Map<BucketName, Conflict> conflicts = Map.of();

    /**
     * A bucket of this region whose name another region has.
     *
     * @param region the other one, as the registry says
     * @param claimId by which it has it
     * @param since when this was first seen here
     */
    public record Conflict(BucketName name, String region, String claimId, Instant since) {}

    /** How far a round has come, and what it has found. */
    private static final class Round {
        private String after = "";
        private boolean comparing;
        private final Map<BucketName, String> missing = new HashMap<>();
        private final Map<BucketName, Conflict> conflicts = new HashMap<>();
        private int adopted;
    }

    /**
     * For the gateways of one region.
     *
     * @param directory of this gateway
     * @param region the own one
     * @param claimIds gives ids that nobody has given
     * @param interval between two rounds
     */
    public RegistryUpkeep(
            Registry registry,
            BucketDirectory directory,
            Namespace namespace,
            String region,
            Lease lease,
            Supplier<String> claimIds,
            InstantSource clock,
            Duration interval) {
        this.registry = registry;
        this.directory = directory;
        this.namespace = namespace;
        this.region = region;
        this.lease = lease;
        this.claimIds = claimIds;
        this.clock = clock;
        this.interval = interval;
    }

    @Override
    public String name() {
        return "registry-upkeep";
    }

    /** As the last round found, in the order of names; none in a gateway that does not do this. Any thread may ask. */
    public List<Conflict> conflicts() {
        return conflicts.values().stream()
                .sorted((one, other) -> one.name().compareTo(other.name()))
                .toList();
    }

    /** How many {@link #conflicts} there are. */
    public int conflictCount() {
        return conflicts.size();
    }

    @Override
    public Turn work() {
        switch (lease.acquire()) {
            case NONE -> {
                forgetAll();
                return Turn.idle(Lease.INTERVAL);
            }
            case NEW -> forgetAll();
            case CONTINUED -> {
                // what was found before holds
            }
        }
        String end = page();
        if (end != null) {
            round.after = end;
            return Turn.throttled(PAUSE);
        }
        if (round.adopted > 0) {
            LOG.info("the registry has been told of {} buckets of this region that it did not know", round.adopted);
        }
        if (round.comparing) {
            compareNotBefore = clock.instant().plus(COMPARE_INTERVAL);
        }
        missing = round.missing;
        conflicts = Map.copyOf(round.conflicts);
        round = new Round();
        return Turn.idle(interval);
    }

    private void forgetAll() {
        round = new Round();
        compareNotBefore = Instant.MIN;
        missing = Map.of();
        conflicts = Map.of();
    }

    /**
     * Compares a page of the registry's entries with the namespace's names.
     *
     * @return up to which name; null if that was the last page
     */
    private @Nullable String page() {
        if (round.after.isEmpty()) {
            round.comparing = !clock.instant().isBefore(compareNotBefore);
        }
        List<RegistryEntry> entries = registry.ofRegion(region, round.after, PAGE);
        List<BucketName> names = namespace.bucketNames(round.after, PAGE);
        String end = null;
        if (entries.size() == PAGE) {
            end = entries.getLast().name().value();
        }
        if (names.size() == PAGE && (end == null || names.getLast().value().compareTo(end) < 0)) {
            end = names.getLast().value();
        }
        Set<BucketName> there = new HashSet<>(names);
        Set<BucketName> known = new HashSet<>();
        for (RegistryEntry entry : entries) {
            if (isUpTo(entry.name(), end)) {
                known.add(entry.name());
                check(entry, there.contains(entry.name()));
            }
        }
        for (BucketName name : names) {
            if (isUpTo(name, end) && !known.contains(name)) {
                checkUnknown(name);
            }
        }
        return end;
    }

    private static boolean isUpTo(BucketName name, @Nullable String end) {
        return end == null || name.value().compareTo(end) <= 0;
    }

    /** @param isThere whether the namespace has a bucket of that name */
    private void check(RegistryEntry entry, boolean isThere) {
        boolean asItShould = entry.isLive() ? isThere && !round.comparing : !isStale(entry);
        if (asItShould) {
            return;
        }
        Optional<Bucket> bucket = namespace.bucket(entry.name());
        if (bucket.isEmpty()) {
            checkMissing(entry);
        } else if (!bucket.get().owner().equals(entry.owner())) {
            if (registry.take(entry, entryOf(bucket.get()))) {
                LOG.warn(
                        "the registry had {} for the owner of the bucket {} of {}",
                        entry.owner(),
                        entry.name(),
                        bucket.get().owner());
            }
        } else if (!entry.isLive() && registry.confirm(entry.name(), entry.claimId())) {
            LOG.info("the bucket {}, whose making was not brought to an end, is there", entry.name());
        }
    }

    private boolean isStale(RegistryEntry entry) {
        return entry.createdAt().isBefore(clock.instant().minus(STALE));
    }

    /** Once is not enough: a bucket that is being deleted is missing for a moment, and one that is being made slowly, too. */
    private void checkMissing(RegistryEntry entry) {
        if (!entry.claimId().equals(missing.get(entry.name()))) {
            if (round.missing.size() < MOST_REMEMBERED) {
                round.missing.put(entry.name(), entry.claimId());
            }
        } else if (registry.release(entry.name(), entry.claimId())) {
            directory.forget(entry.name());
            LOG.info("the name {} is free: there was no bucket", entry.name());
        }
    }

    /** A bucket that is not among this region's entries. */
    private void checkUnknown(BucketName name) {
        Optional<RegistryEntry> entry = registry.find(name);
        Optional<Bucket> bucket = namespace.bucket(name);
        if (bucket.isEmpty()) {
            return; // it has been deleted meanwhile
        }
        if (entry.isPresent()) {
            checkTaken(bucket.get(), entry.get());
            return;
        }
        switch (registry.claim(entryOf(bucket.get()))) {
            case Claim.Made() -> round.adopted++;
            case Claim.Taken(RegistryEntry by) -> checkTaken(bucket.get(), by);
        }
    }

    private RegistryEntry entryOf(Bucket bucket) {
        return new RegistryEntry(bucket.name(), bucket.owner(), region, bucket.createdAt(), claimIds.get(), State.LIVE);
    }

    private void checkTaken(Bucket bucket, RegistryEntry by) {
        if (by.region().equals(region)) {
            return; // it came meanwhile
        }
        Conflict before = conflicts.get(bucket.name());
        Conflict conflict = before != null && before.claimId().equals(by.claimId())
                ? before
                : new Conflict(bucket.name(), by.region(), by.claimId(), clock.instant());
        if (isLeftOver(bucket, by, conflict)
                && namespace.deleteBucket(bucket.name(), clock.instant()) instanceof Outcome.Done) {
            LOG.warn(
                    "the empty bucket {} of {} is gone: the region {} has had its name since {}",
                    bucket.name(),
                    bucket.owner(),
                    by.region(),
                    by.createdAt());
            return;
        }
        if (!conflict.equals(before)) {
            LOG.error("the bucket {} of this region has a name that the region {} has", bucket.name(), by.region());
        }
        if (round.conflicts.size() < MOST_REMEMBERED) {
            round.conflicts.put(bucket.name(), conflict);
        }
    }

    /**
     * Whether the bucket was made for a claim that had been released before, by a gateway that died then: so it is older than the claim that has
     * the name now. One that is younger stays, as a registry that was restored from a backup may know what is long past.
     */
    private boolean isLeftOver(Bucket bucket, RegistryEntry by, Conflict conflict) {
        return by.isLive()
                && bucket.createdAt().isBefore(by.createdAt())
                && !clock.instant().isBefore(conflict.since().plus(REMOVE_AFTER))
                && !hasUploads(bucket.name());
    }

    /** They would go with the bucket. */
    private boolean hasUploads(BucketName bucket) {
        return namespace.listUploads(new UploadQuery(bucket, "", "", "", "", 1))
                        instanceof Outcome.Done<UploadPage>(UploadPage page)
                && !page.uploads().isEmpty();
    }
}
