package io.headgate.namespace.postgres;

import io.headgate.domain.BucketName;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.ListedObject;
import io.headgate.namespace.ListingRange;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectPage.Entry;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Upload;
import io.headgate.namespace.UploadPage;
import io.headgate.namespace.UploadQuery;
import io.headgate.namespace.codec.Codec;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Pages of objects and of uploads, each read by one statement, which seeks: from a common prefix to what follows all keys that begin
 * with it. The rules are those of {@link ListingRange}, whose bytes it is given.
 */
final class Listings {
    /** A page without a delimiter is one range of the index. */
    private static final String RANGE = """
            SELECT b.id, 0, o.key, o.modified_at, o.size, o.etag, o.storage_class, o.checksum_kind
            FROM buckets b LEFT JOIN LATERAL (
              SELECT key, modified_at, size, etag, storage_class, checksum_kind FROM objects
              WHERE bucket = b.id AND key >= ? AND key < ? ORDER BY key LIMIT ?) o ON true
            WHERE b.name = ?""";

    /** The length of the common prefix of a key, or 0, where {@code q} has the query. */
    private static final String ROLLED_UP = """
            CASE WHEN length(q.delimiter) > 0 AND position(q.delimiter IN substr(r.key, q.prefix_length + 1)) > 0
              THEN q.prefix_length + position(q.delimiter IN substr(r.key, q.prefix_length + 1)) - 1 + length(q.delimiter)
              ELSE 0 END""";

    /** What follows all keys that begin with the common prefix: its last byte, which is no 0xFF in UTF-8, counted up. */
    private static final String SUCCESSOR =
            "substr(r.key, 1, s.rolled_up - 1) || set_byte(substr(r.key, s.rolled_up, 1), 0, get_byte(r.key, s.rolled_up - 1) + 1)";

    /** From each key, or common prefix, one seek to the next. */
    private static final String SKIPPING_STEP = """
            CROSS JOIN LATERAL (
              SELECT key, modified_at, size, etag, storage_class, checksum_kind FROM objects
              WHERE bucket = q.bucket AND key >= q.from_key AND key < q.end_key ORDER BY key LIMIT 1) r
            CROSS JOIN LATERAL (SELECT""" + " " + ROLLED_UP + """
             AS rolled_up) s
            CROSS JOIN LATERAL (SELECT CASE WHEN s.rolled_up > 0 THEN""" + " " + SUCCESSOR + """
             ELSE r.key || '\\x00'::bytea END AS next_key) n""";

    private static final String SKIPPING = """
            WITH RECURSIVE query AS MATERIALIZED (
              SELECT b.id AS bucket, ?::bytea AS from_key, ?::bytea AS end_key, ?::bytea AS delimiter, ?::int AS prefix_length
              FROM buckets b WHERE b.name = ?),
            walk AS (
              SELECT q.bucket, q.end_key, q.delimiter, q.prefix_length, n.next_key AS from_key, s.rolled_up, r.*
              FROM query q""" + " " + SKIPPING_STEP + """

              UNION ALL
              SELECT q.bucket, q.end_key, q.delimiter, q.prefix_length, n.next_key, s.rolled_up, r.*
              FROM walk q""" + " " + SKIPPING_STEP + """
            )
            SELECT q.bucket, w.rolled_up, w.key, w.modified_at, w.size, w.etag, w.storage_class, w.checksum_kind
            FROM query q LEFT JOIN (SELECT * FROM walk LIMIT ?) w ON true""";

    private static final String UPLOAD_STEP = """
            CROSS JOIN LATERAL (
              SELECT seq, id, started_at, owner, storage_class, checksum_kind, details, key FROM uploads
              WHERE bucket = q.bucket AND (key, started_at, id) > (q.from_key, q.from_start, q.from_id) AND key < q.end_key
              ORDER BY key, started_at, id LIMIT 1) r
            CROSS JOIN LATERAL (SELECT""" + " " + ROLLED_UP + """
             AS rolled_up) s
            CROSS JOIN LATERAL (
              SELECT CASE WHEN s.rolled_up > 0 THEN""" + " " + SUCCESSOR + """
             ELSE r.key END AS key,
                CASE WHEN s.rolled_up > 0 THEN -1 ELSE r.started_at END AS start,
                CASE WHEN s.rolled_up > 0 THEN ''::bytea ELSE r.id END AS id) n""";

    /** Times of start are not negative. If the upload to go on after is gone, all of its key come again. */
    private static final String UPLOADS = """
            WITH RECURSIVE query AS MATERIALIZED (
              SELECT b.id AS bucket, ?::bytea AS end_key, ?::bytea AS delimiter, ?::int AS prefix_length,
                p.key AS from_key, p.id AS from_id,
                coalesce((SELECT u.started_at FROM uploads u WHERE u.id = p.id AND u.bucket = b.id AND u.key = p.key), -1)
                  AS from_start
              FROM buckets b CROSS JOIN (SELECT ?::bytea AS key, ?::bytea AS id) p WHERE b.name = ?),
            walk AS (
              SELECT q.bucket, q.end_key, q.delimiter, q.prefix_length,
                n.key AS from_key, n.id AS from_id, n.start AS from_start, s.rolled_up, r.*
              FROM query q""" + " " + UPLOAD_STEP + """

              UNION ALL
              SELECT q.bucket, q.end_key, q.delimiter, q.prefix_length, n.key, n.id, n.start, s.rolled_up, r.*
              FROM walk q""" + " " + UPLOAD_STEP + """
            )
            SELECT w.seq, w.id, w.started_at, w.owner, w.storage_class, w.checksum_kind, w.details, w.key, w.rolled_up
            FROM query q LEFT JOIN (SELECT * FROM walk LIMIT ?) w ON true""";

    private Listings() {}

    /** A statement and what is bound to it. */
    record Statement(String sql, List<Object> arguments) {
        Statement(String sql, Object... arguments) {
            this(sql, List.of(arguments));
        }
    }

    /** The statement that reads a page of objects, and one entry more. */
    static Statement statement(ObjectQuery query) {
        ListingRange range = new ListingRange(query.prefix(), query.delimiter(), query.after());
        String bucket = query.bucket().value();
        int wanted = query.limit() + 1;
        return query.delimiter().isEmpty()
                ? new Statement(RANGE, range.start(), range.end(), wanted, bucket)
                : new Statement(
                        SKIPPING, range.start(), range.end(), range.delimiter(), range.prefixLength(), bucket, wanted);
    }

    static Outcome<ObjectPage> objects(Session session, ObjectQuery query) throws SQLException {
        List<Entry> entries = new ArrayList<>();
        Statement statement = statement(query);
        boolean[] found = new boolean[1];
        session.pipeline()
                .query(
                        statement.sql,
                        row -> {
                            found[0] = true;
                            byte[] key = row.getBytes(3);
                            if (key != null) {
                                entries.add(entry(row, key));
                            }
                        },
                        statement.arguments.toArray())
                .run();
        if (!found[0]) {
            return Buckets.noSuchBucket(query.bucket());
        }
        boolean truncated = entries.size() > query.limit();
        if (truncated) {
            entries.removeLast();
        }
        String last = entries.isEmpty() ? "" : name(entries.getLast());
        return new Outcome.Done<>(new ObjectPage(entries, truncated && query.limit() > 0, last));
    }

    private static Entry entry(ResultSet row, byte[] key) throws SQLException {
        int rolledUp = row.getInt(2);
        return rolledUp > 0
                ? new Entry.CommonPrefix(new String(key, 0, rolledUp, StandardCharsets.UTF_8))
                : new Entry.Current(read(row, key));
    }

    private static ListedObject read(ResultSet row, byte[] key) throws SQLException {
        long kind = row.getLong(8);
        Optional<ChecksumAlgorithm> algorithm = kind == 0 ? Optional.empty() : Optional.of(Codec.algorithm(kind));
        Optional<Checksum.Type> type = kind == 0 ? Optional.empty() : Optional.of(Codec.type(kind));
        return new ListedObject(
                new ObjectKey(new String(key, StandardCharsets.UTF_8)),
                Codec.millis(row.getLong(4)),
                row.getLong(5),
                new ETag(row.getString(6)),
                Codec.storageClassOf(row.getString(7)),
                algorithm,
                type);
    }

    private static String name(Entry entry) {
        return switch (entry) {
            case Entry.Current(ListedObject object) -> object.key().value();
            case Entry.CommonPrefix(String prefix) -> prefix;
        };
    }

    /** The statement that reads a page of uploads, and one entry more. */
    static Statement statement(UploadQuery query) {
        ListingRange range = new ListingRange(query.prefix(), query.delimiter(), query.afterKey());
        byte[] from = range.start();
        byte[] afterId = {};
        byte[] afterKey = query.afterKey().getBytes(StandardCharsets.UTF_8);
        boolean withinKey = !query.afterUploadId().isEmpty()
                && query.afterKey().startsWith(query.prefix())
                && range.commonPrefixLength(afterKey) == 0;
        if (withinKey) {
            from = afterKey;
            afterId = Uploads.id(query.afterUploadId());
        }
        return new Statement(
                UPLOADS,
                range.end(),
                range.delimiter(),
                range.prefixLength(),
                from,
                afterId,
                query.bucket().value(),
                query.limit() + 1);
    }

    private record Line(@Nullable Upload upload, String name) {}

    static Outcome<UploadPage> uploads(Session session, UploadQuery query) throws SQLException {
        List<Line> lines = new ArrayList<>();
        Statement statement = statement(query);
        boolean[] found = new boolean[1];
        session.pipeline()
                .query(
                        statement.sql,
                        row -> {
                            found[0] = true;
                            byte[] key = row.getBytes(8);
                            if (key != null) {
                                lines.add(line(row, query.bucket(), key));
                            }
                        },
                        statement.arguments.toArray())
                .run();
        return found[0] ? new Outcome.Done<>(page(lines, query.limit())) : Buckets.noSuchBucket(query.bucket());
    }

    private static Line line(ResultSet row, BucketName bucket, byte[] key) throws SQLException {
        int rolledUp = row.getInt(9);
        if (rolledUp > 0) {
            return new Line(null, new String(key, 0, rolledUp, StandardCharsets.UTF_8));
        }
        ObjectKey objectKey = new ObjectKey(new String(key, StandardCharsets.UTF_8));
        return new Line(Uploads.read(row, bucket, objectKey).upload(), objectKey.value());
    }

    private static UploadPage page(List<Line> lines, int limit) {
        boolean truncated = limit > 0 && lines.size() > limit;
        List<Line> shown = lines.subList(0, Math.min(limit, lines.size()));
        List<Upload> uploads = new ArrayList<>();
        List<String> commonPrefixes = new ArrayList<>();
        for (Line line : shown) {
            Upload upload = line.upload;
            if (upload == null) {
                commonPrefixes.add(line.name);
            } else {
                uploads.add(upload);
            }
        }
        Upload last = shown.isEmpty() ? null : shown.getLast().upload;
        return new UploadPage(
                uploads,
                commonPrefixes,
                truncated,
                shown.isEmpty() ? "" : shown.getLast().name,
                last == null ? "" : last.id());
    }
}
