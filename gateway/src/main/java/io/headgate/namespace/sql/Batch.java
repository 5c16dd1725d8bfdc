package io.headgate.namespace.sql;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One transaction in which many operations run one after the other. It knows what they have in common, so that it is read once, and
 * sums up what they add to the counters, so that it is written once a row ({@link #flush}).
 */
final class Batch {
    private static final String BUCKET_ID = "SELECT id FROM buckets WHERE name = ?";
    private static final String ADD_TO_BUCKET =
            "UPDATE bucket_usage SET objects = objects + ?, bytes = bytes + ? WHERE bucket = ?";
    private static final String ADD_TO_ACCOUNT = """
            INSERT INTO account_usage (account, blobs, live_bytes, garbage_blobs, garbage_bytes) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET
              blobs = account_usage.blobs + excluded.blobs,
              live_bytes = account_usage.live_bytes + excluded.live_bytes,
              garbage_blobs = account_usage.garbage_blobs + excluded.garbage_blobs,
              garbage_bytes = account_usage.garbage_bytes + excluded.garbage_bytes""";

    private final Session session;
    private final long startedAtMillis;
    private final Map<BucketName, Optional<Long>> bucketIds = new HashMap<>();
    private final Map<Long, BucketName> bucketNames = new HashMap<>();
    private final List<RecentVersions.Name> replaced = new ArrayList<>();
    private final Map<Long, Optional<Intents.State>> intents = new HashMap<>();
    private final Map<Long, long[]> bucketDeltas = new HashMap<>();
    private final Map<String, long[]> accountDeltas = new HashMap<>();
    private boolean blobsMoved;

    /** @param startedAtMillis the engine's time */
    Batch(Session session, long startedAtMillis) {
        this.session = session;
        this.startedAtMillis = startedAtMillis;
    }

    Session session() {
        return session;
    }

    /** The engine's time when the transaction began. */
    long startedAtMillis() {
        return startedAtMillis;
    }

    /**
     * When what a command releases is released. A command may wait long for its turn or be sent again, and until it commits, reads may
     * begin of what it releases: they must not seem to have begun later.
     */
    long releaseTime(long commandMillis) {
        return Math.max(commandMillis, startedAtMillis);
    }

    /** The id of a bucket, or null if there is none of that name. */
    @Nullable Long bucketId(BucketName name) throws SQLException {
        Optional<Long> known = bucketIds.get(name);
        if (known == null) {
            known = Optional.ofNullable(session.first(BUCKET_ID, row -> row.getLong(1), name.value()));
            bucketIds.put(name, known);
            known.ifPresent(id -> bucketNames.put(id, name));
        }
        return known.orElse(null);
    }

    /** To be called when a bucket has been made or deleted. */
    void bucketsChanged() {
        bucketIds.clear();
    }

    /** To be called with each object whose current version is replaced or deleted; the bucket's id came from {@link #bucketId}. */
    void replaces(long bucket, ObjectKey key) {
        replaced.add(new RecentVersions.Name(Objects.requireNonNull(bucketNames.get(bucket)), key));
    }

    /** The objects whose current version is another after the commit. */
    List<RecentVersions.Name> replaced() {
        return replaced;
    }

    /** To be called when blobs come to live in another account, whichever objects refer to them. */
    void movesBlobs() {
        blobsMoved = true;
    }

    /** Whether any version may lead to another account after the commit. */
    boolean blobsMoved() {
        return blobsMoved;
    }

    /** Whether writes under the intent may still commit. */
    boolean standing(long intentId, long nowMillis) throws SQLException {
        Optional<Intents.State> known = intents.get(intentId);
        if (known == null) {
            known = Optional.ofNullable(Intents.state(session, intentId));
            intents.put(intentId, known);
        }
        return known.isPresent()
                && !known.get().taken()
                && nowMillis < known.get().expiresAtMillis();
    }

    /** To be called when intents have been opened, renewed, taken or closed. */
    void intentsChanged() {
        intents.clear();
    }

    void addToBucket(long bucket, long objects, long bytes) {
        long[] delta = bucketDeltas.computeIfAbsent(bucket, key -> new long[2]);
        delta[0] += objects;
        delta[1] += bytes;
    }

    void addLive(String account, long blobs, long bytes) {
        long[] delta = accountDeltas.computeIfAbsent(account, key -> new long[4]);
        delta[0] += blobs;
        delta[1] += bytes;
    }

    void addGarbage(String account, long blobs, long bytes) {
        long[] delta = accountDeltas.computeIfAbsent(account, key -> new long[4]);
        delta[2] += blobs;
        delta[3] += bytes;
    }

    /** Writes the counters; the last thing before the commit. */
    void flush() throws SQLException {
        for (Map.Entry<Long, long[]> entry : bucketDeltas.entrySet()) {
            long[] delta = entry.getValue();
            if (delta[0] != 0 || delta[1] != 0) {
                session.update(ADD_TO_BUCKET, delta[0], delta[1], entry.getKey());
            }
        }
        for (Map.Entry<String, long[]> entry : accountDeltas.entrySet()) {
            long[] delta = entry.getValue();
            session.update(ADD_TO_ACCOUNT, entry.getKey(), delta[0], delta[1], delta[2], delta[3]);
        }
    }
}
