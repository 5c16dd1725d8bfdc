package io.headgate.region;

import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketClaim;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes and deletes buckets of one region, in the registry and in the region's namespace. A gateway that dies between the two leaves what
 * the next try of the same owner, or the region's upkeep, brings to its end. Thread-safe.
 */
public final class BucketNames {
    private static final Logger LOG = LoggerFactory.getLogger(BucketNames.class);

    /** More than there may be who make the same bucket at once, each of whom takes the name over once at most. */
    private static final int MOST_TRIES = 100;

    private final Registry registry;
    private final BucketDirectory directory;
    private final Namespace namespace;
    private final String region;
    private final Supplier<String> claimIds;

    /**
     * @param directory of this gateway: told of what becomes of names here
     * @param namespace of the region
     * @param region the own one
     * @param claimIds gives ids that nobody has given
     */
    public BucketNames(
            Registry registry,
            BucketDirectory directory,
            Namespace namespace,
            String region,
            Supplier<String> claimIds) {
        this.registry = registry;
        this.directory = directory;
        this.namespace = namespace;
        this.region = region;
        this.claimIds = claimIds;
    }

    /**
     * Makes a bucket in this region, if nobody has its name anywhere.
     *
     * @param inNamespace makes it in the namespace of the region
     * @return the bucket that has the name, as far as it is known here: of one in another region not the location
     * @throws RegistryException if the registry does not answer, or the claim was released before the bucket was made: there is no bucket
     *     then, or one that a further try of the same owner finds
     * @throws io.headgate.namespace.NamespaceException if the namespace does not answer
     */
    public BucketClaim create(Bucket wanted, Function<Bucket, BucketClaim> inNamespace) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            RegistryEntry own = new RegistryEntry(
                    wanted.name(),
                    wanted.owner(),
                    region,
                    wanted.createdAt(),
                    claimIds.get(),
                    RegistryEntry.State.CLAIMED);
            switch (registry.claim(own)) {
                case Claim.Made() -> {
                    return make(own, wanted, inNamespace);
                }
                case Claim.Taken(RegistryEntry by) -> {
                    Optional<Bucket> taken = taken(by, wanted);
                    if (taken.isPresent()) {
                        return new BucketClaim(taken.get(), false);
                    }
                    if (registry.take(by, own)) {
                        return make(own, wanted, inNamespace);
                    }
                }
            }
        }
        throw new RegistryException("others take and release the name " + wanted.name() + " all the time");
    }

    /** The bucket that has the name; empty if it is one that the same owner began to make here, or to delete, and so may make. */
    private Optional<Bucket> taken(RegistryEntry by, Bucket wanted) {
        if (!isOwn(by, wanted)) {
            directory.put(by);
            return Optional.of(new Bucket(by.name(), by.owner(), "", by.createdAt()));
        }
        Optional<Bucket> there = namespace.bucket(by.name());
        if (there.isPresent() && there.get().owner().equals(by.owner())) {
            confirm(by);
            return there;
        }
        return Optional.empty();
    }

    private boolean isOwn(RegistryEntry entry, Bucket bucket) {
        return entry.region().equals(region) && entry.owner().equals(bucket.owner());
    }

    /** Whether the claim, whose bucket there is, has the name. */
    private boolean confirm(RegistryEntry claim) {
        boolean confirmed = claim.isLive() || registry.confirm(claim.name(), claim.claimId());
        if (confirmed) {
            directory.put(claim.live());
        }
        return confirmed;
    }

    /** Makes the bucket for which the name is claimed. */
    private BucketClaim make(RegistryEntry claim, Bucket wanted, Function<Bucket, BucketClaim> inNamespace) {
        BucketClaim made = inNamespace.apply(wanted);
        if (!made.bucket().owner().equals(wanted.owner())) {
            adopt(claim, made.bucket());
            return made;
        }
        if (confirm(claim) || !made.made()) {
            return made;
        }
        return unconfirmed(wanted, made);
    }

    /**
     * Gives the name to the bucket that has it in the namespace, which the registry did not know. It is not removed, though it may be empty: who
     * was slow and has lost the claim meanwhile must not remove what others have made since.
     */
    private void adopt(RegistryEntry claim, Bucket bucket) {
        RegistryEntry entry = new RegistryEntry(
                bucket.name(), bucket.owner(), region, bucket.createdAt(), claimIds.get(), RegistryEntry.State.LIVE);
        if (registry.take(claim, entry)) {
            directory.put(entry);
            LOG.warn(
                    "the registry did not know the bucket {} of {}; {} wanted to make it",
                    bucket.name(),
                    bucket.owner(),
                    claim.owner());
        }
    }

    /**
     * The name is not that of the claim any more whose bucket was made: the bucket stays if nobody else has the name now, who may have been
     * told of it, and else goes.
     */
    private BucketClaim unconfirmed(Bucket wanted, BucketClaim made) {
        RegistryEntry again = new RegistryEntry(
                wanted.name(),
                wanted.owner(),
                region,
                made.bucket().createdAt(),
                claimIds.get(),
                RegistryEntry.State.LIVE);
        switch (registry.claim(again)) {
            case Claim.Made() -> {
                directory.put(again);
                return made;
            }
            case Claim.Taken(RegistryEntry by) -> {
                directory.put(by);
                if (isOwn(by, wanted)) {
                    return made;
                }
            }
        }
        if (namespace.deleteBucket(wanted.name(), wanted.createdAt()) instanceof Outcome.Refused<Bucket> refused
                && refused.reason() != Refusal.NO_SUCH_BUCKET) {
            LOG.error(
                    "the bucket {} was made after its claim was released, and cannot be removed: {}",
                    wanted.name(),
                    refused.reason());
        }
        throw new RegistryException(
                "the claim of the name " + wanted.name() + " was released before its bucket was made");
    }

    /**
     * Deletes an empty bucket of this region and sets its name free.
     *
     * @return as {@link Namespace#deleteBucket}; NO_SUCH_BUCKET too if another region has the name
     * @throws RegistryException if the registry does not answer; then nothing has been done
     */
    public Outcome<Bucket> delete(BucketName name, Instant now) {
        Optional<RegistryEntry> entry = directory.ask(name);
        boolean own = entry.isPresent() && entry.get().region().equals(region);
        // Of a name that another region has too the bucket that is here is deleted, and the name stays that region's.
        if (entry.isPresent() && !own && namespace.bucket(name).isEmpty()) {
            return new Outcome.Refused<>(Refusal.NO_SUCH_BUCKET, name.value());
        }
        Outcome<Bucket> outcome = namespace.deleteBucket(name, now);
        if (outcome instanceof Outcome.Done<Bucket> && own) {
            directory.forget(name);
            release(entry.get());
        }
        return outcome;
    }

    /** The bucket is gone: if this fails, upkeep does it. */
    private void release(RegistryEntry entry) {
        try {
            registry.release(entry.name(), entry.claimId());
        } catch (RegistryException failed) {
            LOG.warn("the name of the deleted bucket {} is set free later: {}", entry.name(), failed.getMessage());
        }
    }
}
