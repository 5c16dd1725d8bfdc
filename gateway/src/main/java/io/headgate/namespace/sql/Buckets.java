package io.headgate.namespace.sql;

import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketClaim;
import io.headgate.namespace.BucketQuery;
import io.headgate.namespace.BucketSetting;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.codec.Codec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Buckets and their usage. */
final class Buckets {
    private static final String INSERT = """
            INSERT INTO buckets (name, owner, location, created_at, settings) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (name) DO NOTHING RETURNING id""";
    private static final String INSERT_USAGE = "INSERT INTO bucket_usage (bucket, objects, bytes) VALUES (?, 0, 0)";
    private static final String SELECT =
            "SELECT name, owner, location, created_at, settings FROM buckets WHERE name = ?";
    private static final String LIST = """
            SELECT name, owner, location, created_at, NULL FROM buckets
            WHERE owner = ? AND name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?""";
    private static final String CHANGE = "UPDATE buckets SET settings = ? WHERE name = ?";
    private static final String ANY_OBJECT = "SELECT 1 FROM objects WHERE bucket = ? LIMIT 1";
    private static final String DELETE = "DELETE FROM buckets WHERE id = ?";
    private static final String DELETE_USAGE = "DELETE FROM bucket_usage WHERE bucket = ?";
    private static final String USAGE =
            "SELECT u.objects, u.bytes FROM buckets b JOIN bucket_usage u ON u.bucket = b.id WHERE b.name = ?";

    /** Sorts after every character of a bucket's name. */
    private static final String AFTER_ALL_NAMES = "~";

    private Buckets() {}

    static BucketClaim create(Batch batch, Bucket bucket) throws SQLException {
        Session session = batch.session();
        Long id = session.first(
                INSERT,
                row -> row.getLong(1),
                bucket.name().value(),
                bucket.owner(),
                bucket.location(),
                bucket.createdAt().toEpochMilli(),
                Codec.settings(bucket.settings()));
        if (id != null) {
            session.update(INSERT_USAGE, id);
            batch.bucketsChanged();
        }
        return new BucketClaim(Objects.requireNonNull(find(session, bucket.name())), id != null);
    }

    static @Nullable Bucket find(Session session, BucketName name) throws SQLException {
        return session.first(SELECT, Buckets::read, name.value());
    }

    static Outcome<Bucket> delete(Batch batch, BucketName name, Instant now) throws SQLException {
        Session session = batch.session();
        Long id = batch.bucketId(name);
        if (id == null) {
            return noSuchBucket(name);
        }
        if (session.first(ANY_OBJECT, row -> row.getLong(1), id) != null) {
            return new Outcome.Refused<>(Refusal.BUCKET_NOT_EMPTY);
        }
        Bucket bucket = Objects.requireNonNull(find(session, name));
        Uploads.orphanAll(batch, id, now.toEpochMilli());
        session.update(DELETE, id);
        session.update(DELETE_USAGE, id);
        batch.bucketsChanged();
        return new Outcome.Done<>(bucket);
    }

    static Outcome<Bucket> change(Session session, BucketName name, BucketSetting setting, Optional<String> document)
            throws SQLException {
        Bucket bucket = find(session, name);
        if (bucket == null) {
            return noSuchBucket(name);
        }
        Bucket changed = bucket.with(setting, document);
        session.update(CHANGE, Codec.settings(changed.settings()), name.value());
        return new Outcome.Done<>(changed);
    }

    static List<Bucket> list(Session session, BucketQuery query) throws SQLException {
        String prefix = query.prefix();
        return session.all(
                LIST, Buckets::read, query.owner(), query.after(), prefix, prefix + AFTER_ALL_NAMES, query.limit());
    }

    static Outcome<BucketUsage> usage(Session session, BucketName name) throws SQLException {
        BucketUsage usage = session.first(USAGE, row -> new BucketUsage(row.getLong(1), row.getLong(2)), name.value());
        return usage == null ? noSuchBucket(name) : new Outcome.Done<>(usage);
    }

    static Optional<Long> id(Session session, BucketName name) throws SQLException {
        return Optional.ofNullable(
                session.first("SELECT id FROM buckets WHERE name = ?", row -> row.getLong(1), name.value()));
    }

    static <T> Outcome<T> noSuchBucket(BucketName name) {
        return new Outcome.Refused<>(Refusal.NO_SUCH_BUCKET, name.value());
    }

    private static Bucket read(ResultSet row) throws SQLException {
        return new Bucket(
                new BucketName(row.getString(1)),
                row.getString(2),
                row.getString(3),
                Codec.millis(row.getLong(4)),
                Codec.settings(row.getBytes(5)));
    }
}
