package io.headgate.namespace.sql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Current versions read lately, so that the next look-up of one costs no SQL. This process is the only one that writes the file, so
 * what stands here is never stale: before a transaction commits, the versions that it replaces go, and until it has committed no reader
 * may put one back. A reader takes a {@link #stamp} before it looks into the database, and what it found is kept only if by then no
 * commit has touched the object's stripe. Thread-safe; one writer at a time.
 */
final class RecentVersions {
    private static final int STRIPES = 4096;
    /** What an entry takes besides its texts: map node, key, version, manifest, slice, id, etag. */
    private static final int ENTRY_BYTES = 500;
    /** What a name and its value take besides their characters, counted as such. */
    private static final int TEXTS_CHARACTERS = 60;

    private final long maxBytes;

    /** Another one after each commit that moves blobs: emptying one could miss what a reader is just putting into it. */
    private volatile Cache<Name, ObjectVersion> versions;

    /** Odd while a commit is replacing a version of the stripe; larger after each. */
    private final AtomicLongArray stripes = new AtomicLongArray(STRIPES);

    /** The object that a version is of. */
    record Name(BucketName bucket, ObjectKey key) {}

    /** @param maxBytes about how much memory the versions may take */
    RecentVersions(long maxBytes) {
        this.maxBytes = maxBytes;
        this.versions = empty();
    }

    private Cache<Name, ObjectVersion> empty() {
        return Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher(RecentVersions::weightBytes)
                .executor(Runnable::run)
                .build();
    }

    private static int weightBytes(Name name, ObjectVersion version) {
        // The key stands in the name and in the version.
        int characters = name.bucket().value().length() + 2 * name.key().value().length();
        ObjectAttributes attributes = version.attributes();
        for (Map<String, String> texts : List.of(attributes.headers(), attributes.metadata(), attributes.tags())) {
            for (Map.Entry<String, String> text : texts.entrySet()) {
                characters += TEXTS_CHARACTERS
                        + text.getKey().length()
                        + text.getValue().length();
            }
        }
        return ENTRY_BYTES + 2 * characters;
    }

    /** The object's current version; {@code null} if that is not known here. */
    @Nullable ObjectVersion find(Name name) {
        return versions.getIfPresent(name);
    }

    /** To be taken before the database is read for {@link #offer}. */
    long stamp(Name name) {
        return stripes.get(stripe(name));
    }

    /** Keeps what the database said after {@code stamp} was taken, unless a commit has come in between. */
    void offer(Name name, ObjectVersion version, long stamp) {
        if (isOpen(stamp)) {
            // Within the map's own step, so that it comes before or after the removal by a commit as a whole.
            versions.asMap().compute(name, (same, present) -> stamp(same) == stamp ? version : present);
        }
    }

    /** A commit that replaces or deletes the versions of these objects is about to begin. */
    void beforeCommit(Collection<Name> replaced) {
        for (Name name : replaced) {
            int stripe = stripe(name);
            if (isOpen(stripes.get(stripe))) {
                stripes.incrementAndGet(stripe);
            }
            versions.asMap().remove(name);
        }
    }

    /** The commit that {@link #beforeCommit} announced has ended, however it did. */
    void afterCommit(Collection<Name> replaced) {
        for (Name name : replaced) {
            int stripe = stripe(name);
            if (!isOpen(stripes.get(stripe))) {
                stripes.incrementAndGet(stripe);
            }
        }
    }

    /** A commit is about to begin after which any version may lead to another account. */
    void beforeMoves() {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            if (isOpen(stripes.get(stripe))) {
                stripes.incrementAndGet(stripe);
            }
        }
        versions = empty();
    }

    /** The commit that {@link #beforeMoves} announced has ended, however it did. */
    void afterMoves() {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            if (!isOpen(stripes.get(stripe))) {
                stripes.incrementAndGet(stripe);
            }
        }
    }

    private static boolean isOpen(long stamp) {
        return (stamp & 1) == 0;
    }

    private static int stripe(Name name) {
        int hash = name.hashCode() * 0x9E3779B9;
        return (hash >>> 16) % STRIPES;
    }
}
