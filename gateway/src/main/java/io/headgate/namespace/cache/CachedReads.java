package io.headgate.namespace.cache;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.cache.CacheState.Phase;
import io.headgate.namespace.cache.CacheStatistics.LookUp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Look-ups, answered from Redis or else by the namespace. An entry counts only if the lease on its generation still holds when it has
 * come. A reader who finds nothing reserves the key, asks the namespace, and fills the key if its reservation is still there: then no
 * write of it has begun since. Thread-safe.
 */
final class CachedReads {
    private static final Logger LOG = LoggerFactory.getLogger(CachedReads.class);

    /** In which the namespace must have answered, or the answer is not kept. */
    private static final Duration RESERVATION_LIFETIME = Duration.ofSeconds(2);

    private final Namespace namespace;
    private final CacheKeys keys;
    private final CacheLease lease;
    private final RedisLink link;
    private final CacheStatistics statistics;
    private final RandomGenerator random;

    CachedReads(
            Namespace namespace,
            CacheKeys keys,
            CacheLease lease,
            RedisLink link,
            CacheStatistics statistics,
            RandomGenerator random) {
        this.namespace = namespace;
        this.keys = keys;
        this.lease = lease;
        this.link = link;
        this.statistics = statistics;
        this.random = random;
    }

    Optional<Bucket> bucket(BucketName name) {
        Supplier<Optional<Bucket>> ask = () -> namespace.bucket(name);
        CacheState state = usable();
        if (state == null) {
            return ask.get();
        }
        byte[] key = keys.bucket(state.generation(), name);
        List<byte @Nullable []> found = get(state, key);
        if (found == null) {
            return ask.get();
        }
        byte[] entry = found.getFirst();
        return switch (Entry.kind(entry)) {
            case SOMETHING -> {
                Bucket bucket = readable(entry, e -> Entry.bucket(e, name));
                yield bucket == null ? ask.get() : counted(LookUp.HIT, Optional.of(bucket));
            }
            case NOTHING -> counted(LookUp.NEGATIVE_HIT, Optional.empty());
            case TAKEN -> counted(LookUp.BEING_WRITTEN, ask.get());
            case ABSENT ->
                fill(state, key, ask, bucket -> bucket.map(Entry::bucket).orElseGet(Entry::nothing));
        };
    }

    Outcome<ObjectVersion> currentVersion(BucketName bucket, ObjectKey key) {
        Supplier<Outcome<ObjectVersion>> ask = () -> namespace.currentVersion(bucket, key);
        CacheState state = usable();
        if (state == null) {
            return ask.get();
        }
        long generation = state.generation();
        byte[] object = keys.object(generation, bucket, key);
        List<byte @Nullable []> found = get(state, object, keys.moves(generation), keys.bucket(generation, bucket));
        if (found == null) {
            return ask.get();
        }
        byte[] entry = found.get(0);
        return switch (Entry.kind(entry)) {
            case SOMETHING -> {
                ObjectVersion version = readable(entry, e -> Entry.version(e, key));
                if (version != null && Entry.kind(found.get(1)) != Entry.Kind.ABSENT) {
                    version = located(state, version);
                }
                yield version == null ? ask.get() : counted(LookUp.HIT, new Outcome.Done<>(version));
            }
            case NOTHING -> counted(LookUp.NEGATIVE_HIT, nothing(bucket, key, found.get(2)));
            case TAKEN -> counted(LookUp.BEING_WRITTEN, ask.get());
            case ABSENT -> fill(state, object, ask, CachedReads::entry);
        };
    }

    /** The refusal of a key without a version, which is another one without the bucket. */
    private Outcome<ObjectVersion> nothing(BucketName bucket, ObjectKey key, byte @Nullable [] bucketEntry) {
        // A bucket that is there when this is asked was there, without the key, at some time since the entry was read:
        // then already, or when it was made.
        boolean exists = Entry.kind(bucketEntry) == Entry.Kind.SOMETHING
                || bucket(bucket).isPresent();
        return exists
                ? new Outcome.Refused<>(Refusal.NO_SUCH_KEY, key.value())
                : new Outcome.Refused<>(Refusal.NO_SUCH_BUCKET, bucket.value());
    }

    private static byte @Nullable [] entry(Outcome<ObjectVersion> outcome) {
        return switch (outcome) {
            case Outcome.Done<ObjectVersion>(ObjectVersion version) -> Entry.version(version);
            case Outcome.Refused<ObjectVersion>(Refusal reason, String detail)
            when reason == Refusal.NO_SUCH_KEY -> Entry.nothing();
            case Outcome.Refused<ObjectVersion> other -> null; // the entry of the bucket says it
        };
    }

    /** The version with the account where its blob lives now; null if only the namespace knows. */
    private @Nullable ObjectVersion located(CacheState state, ObjectVersion version) {
        if (!(version.manifest() instanceof Manifest.Inline(Optional<Slice> slice)) || slice.isEmpty()) {
            return version;
        }
        Slice then = slice.get();
        List<byte @Nullable []> found = get(state, keys.blob(state.generation(), then.blob()));
        if (found == null) {
            return null;
        }
        byte[] entry = found.getFirst();
        return switch (Entry.kind(entry)) {
            case ABSENT -> version;
            case SOMETHING -> {
                String account = readable(entry, Entry::account);
                yield account == null ? null : in(version, then, account);
            }
            case NOTHING, TAKEN -> null;
        };
    }

    private static ObjectVersion in(ObjectVersion version, Slice then, String account) {
        return new ObjectVersion(
                version.key(),
                version.writeId(),
                version.lastModified(),
                version.sizeBytes(),
                version.etag(),
                version.attributes(),
                version.checksums(),
                Manifest.of(new Slice(then.blob(), account, then.offsetBytes(), then.lengthBytes())));
    }

    /** The state if entries may be read now; null otherwise, which is counted. */
    private @Nullable CacheState usable() {
        CacheState state = lease.held();
        if (state == null) {
            statistics.count(LookUp.LAPSED);
            return null;
        }
        if (state.phase() != Phase.ON) {
            statistics.count(LookUp.OFF);
            return null;
        }
        if (!link.isReadable(state.serverId())) {
            statistics.count(LookUp.UNREACHABLE);
            return null;
        }
        return state;
    }

    /** What stands at the keys; null if there is no answer that counts. */
    private @Nullable List<byte @Nullable []> get(CacheState state, byte[]... asked) {
        List<byte @Nullable []> found = link.get(state.serverId(), asked);
        if (found == null) {
            statistics.count(LookUp.FAILED);
            return null;
        }
        if (!lease.isOn(state.generation())) {
            statistics.count(LookUp.LAPSED);
            return null;
        }
        return found;
    }

    private <T> T counted(LookUp kind, T answer) {
        statistics.count(kind);
        return answer;
    }

    private <T> T fill(CacheState state, byte[] key, Supplier<T> ask, Function<T, byte @Nullable []> entryOf) {
        statistics.count(LookUp.MISS);
        byte[] token = new byte[Scripts.TOKEN_BYTES];
        random.nextBytes(token);
        byte[] reservation = Entry.reservation(token);
        boolean reserved = link.reserve(state.serverId(), key, reservation, RESERVATION_LIFETIME);
        T answer = ask.get();
        byte[] entry = reserved ? entryOf.apply(answer) : null;
        if (entry != null) {
            link.fill(state.serverId(), key, reservation, entry);
        }
        return answer;
    }

    private static <T> @Nullable T readable(byte @Nullable [] entry, Function<byte[], T> reading) {
        if (entry == null) {
            return null;
        }
        try {
            return reading.apply(entry);
        } catch (NamespaceException unreadable) {
            LOG.error("An entry of the cache is passed over: {}", unreadable.getMessage());
            return null;
        }
    }
}
