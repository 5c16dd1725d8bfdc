package io.headgate.namespace.postgres;

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

/** Buckets and their usage. Whoever makes something in a bucket holds its row, so that it cannot be deleted meanwhile. */
final class Buckets {
    private static final String INSERT = """
            INSERT INTO buckets (name, owner, location, created_at, settings) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (name) DO NOTHING RETURNING id""";
    private static final String SELECT =
            "SELECT name, owner, location, created_at, settings FROM buckets WHERE name = ?";
    private static final String LIST = """
            SELECT name, owner, location, created_at, NULL::bytea FROM buckets
            WHERE owner = ? AND name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?""";
    private static final String FIND_TO_CHANGE = SELECT + " FOR NO KEY UPDATE";
    private static final String CHANGE = "UPDATE buckets SET settings = ? WHERE name = ?";
    private static final String LOCK_ALL = "SELECT id FROM buckets WHERE name = ? FOR UPDATE";
    private static final String ID = "SELECT id FROM buckets WHERE name = ?";
    static final String HOLD = "SELECT id, name FROM buckets WHERE name = ANY (?::text[]) ORDER BY id FOR KEY SHARE";
    private static final String ANY_OBJECT = "SELECT 1 FROM objects WHERE bucket = ? LIMIT 1";
    private static final String DELETE = "DELETE FROM buckets WHERE id = ?";
    private static final String DELETE_USAGE = "DELETE FROM bucket_usage WHERE bucket = ?";
    private static final String USAGE = """
            SELECT coalesce(sum(u.objects), 0), coalesce(sum(u.bytes), 0)
            FROM buckets b LEFT JOIN bucket_usage u ON u.bucket = b.id WHERE b.name = ? GROUP BY b.id""";

    /** Sorts after every character of a bucket's name. */
    private static final char AFTER_ALL_NAMES = '~';

    private Buckets() {}

    static BucketClaim create(Tx tx, Bucket bucket) throws SQLException {
        Session session = tx.session();
        Long id = session.first(
                INSERT,
                row -> row.getLong(1),
                bucket.name().value(),
                bucket.owner(),
                bucket.location(),
                bucket.createdAt().toEpochMilli(),
                Codec.settings(bucket.settings()));
        if (id != null) {
            return new BucketClaim(
                    new Bucket(
                            bucket.name(),
                            bucket.owner(),
                            bucket.location(),
                            Codec.millis(bucket.createdAt().toEpochMilli()),
                            bucket.settings()),
                    true);
        }
        Bucket taken = find(session, bucket.name());
        if (taken == null) {
            throw new SQLException("the bucket was deleted just now", "40001");
        }
        return new BucketClaim(taken, false);
    }

    static @Nullable Bucket find(Session session, BucketName name) throws SQLException {
        return session.first(SELECT, Buckets::read, name.value());
    }

    static Outcome<Bucket> delete(Tx tx, BucketName name, Instant now) throws SQLException {
        Session session = tx.session();
        Long id = session.first(LOCK_ALL, row -> row.getLong(1), name.value());
        if (id == null) {
            return noSuchBucket(name);
        }
        if (session.first(ANY_OBJECT, row -> row.getLong(1), id) != null) {
            return new Outcome.Refused<>(Refusal.BUCKET_NOT_EMPTY);
        }
        Bucket bucket = Objects.requireNonNull(find(session, name));
        Uploads.orphanAll(tx, id, now.toEpochMilli());
        session.pipeline().update(DELETE, id).update(DELETE_USAGE, id).run();
        return new Outcome.Done<>(bucket);
    }

    static Outcome<Bucket> change(Session session, BucketName name, BucketSetting setting, Optional<String> document)
            throws SQLException {
        Bucket bucket = session.first(FIND_TO_CHANGE, Buckets::read, name.value());
        if (bucket == null) {
            return noSuchBucket(name);
        }
        Bucket changed = bucket.with(setting, document);
        session.update(CHANGE, Codec.settings(changed.settings()), name.value());
        return new Outcome.Done<>(changed);
    }

    static List<Bucket> list(Session session, BucketQuery query) throws SQLException {
        String prefix = query.prefix();
        if (!comparable(prefix).equals(prefix)) {
            return List.of();
        }
        return session.all(
                LIST,
                Buckets::read,
                query.owner(),
                comparable(query.after()),
                prefix,
                prefix + AFTER_ALL_NAMES,
                query.limit());
    }

    /** A text of which the same names are greater, without characters that the database refuses; no name has any of those. */
    private static String comparable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ') {
                return text.substring(0, i);
            }
            if (c > AFTER_ALL_NAMES) {
                return text.substring(0, i) + AFTER_ALL_NAMES;
            }
        }
        return text;
    }

    static Outcome<BucketUsage> usage(Session session, BucketName name) throws SQLException {
        BucketUsage usage = session.first(USAGE, row -> new BucketUsage(row.getLong(1), row.getLong(2)), name.value());
        return usage == null ? noSuchBucket(name) : new Outcome.Done<>(usage);
    }

    /** The id of a bucket, which may be gone the next moment. */
    static @Nullable Long id(Session session, BucketName name) throws SQLException {
        return session.first(ID, row -> row.getLong(1), name.value());
    }

    /** The id of a bucket, which stays until the end of the transaction. */
    static @Nullable Long hold(Session session, BucketName name) throws SQLException {
        return session.first(HOLD, row -> row.getLong(1), Column.text().add(name.value()));
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
