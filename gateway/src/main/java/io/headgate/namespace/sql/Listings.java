package io.headgate.namespace.sql;

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
import io.headgate.namespace.codec.Codec;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Pages of current objects, read by seeking: one seek, and one more for each common prefix. */
final class Listings {
    /** Without a LIMIT, because SQLite plans a statement anew whenever that is bound to another number; the walk stops by itself. */
    static final String SEEK = """
            SELECT key, modified_at, size, etag, storage_class, checksum_kind FROM objects
            WHERE bucket = ? AND key >= ? AND key < ? ORDER BY key""";

    private Listings() {}

    /** To be called within one read transaction. */
    static Outcome<ObjectPage> objects(Session session, ObjectQuery query) throws SQLException {
        Optional<Long> bucket = Buckets.id(session, query.bucket());
        if (bucket.isEmpty()) {
            return Buckets.noSuchBucket(query.bucket());
        }
        if (query.limit() == 0) {
            return new Outcome.Done<>(new ObjectPage(List.of(), false, ""));
        }
        ListingRange range = new ListingRange(query.prefix(), query.delimiter(), query.after());
        List<Entry> entries = new ArrayList<>();
        byte[] from = range.start();
        while (from != null && entries.size() <= query.limit()) {
            from = walk(session, bucket.get(), range, from, query.limit() + 1 - entries.size(), entries);
        }
        boolean truncated = entries.size() > query.limit();
        if (truncated) {
            entries.removeLast();
        }
        String last = entries.isEmpty() ? "" : name(entries.getLast());
        return new Outcome.Done<>(new ObjectPage(entries, truncated, last));
    }

    /**
     * Adds entries from {@code from} on, up to {@code wanted} or the first common prefix, included. Returns where to go on: after
     * the common prefix, or nowhere (null) when the range is exhausted or all that was wanted is there.
     */
    private static byte @Nullable [] walk(
            Session session, long bucket, ListingRange range, byte[] from, int wanted, List<Entry> entries)
            throws SQLException {
        try (ResultSet rows = session.open(SEEK, bucket, from, range.end())) {
            for (int i = 0; i < wanted && rows.next(); i++) {
                byte[] key = rows.getBytes(1);
                int rolledUp = range.commonPrefixLength(key);
                if (rolledUp > 0) {
                    entries.add(new Entry.CommonPrefix(new String(key, 0, rolledUp, StandardCharsets.UTF_8)));
                    return ListingRange.successor(key, rolledUp);
                }
                entries.add(new Entry.Current(read(rows, key)));
            }
        }
        return null;
    }

    private static ListedObject read(ResultSet row, byte[] key) throws SQLException {
        long kind = row.getLong(6);
        Optional<ChecksumAlgorithm> algorithm = kind == 0 ? Optional.empty() : Optional.of(Codec.algorithm(kind));
        Optional<Checksum.Type> type = kind == 0 ? Optional.empty() : Optional.of(Codec.type(kind));
        return new ListedObject(
                new ObjectKey(new String(key, StandardCharsets.UTF_8)),
                Codec.millis(row.getLong(2)),
                row.getLong(3),
                new ETag(row.getString(4)),
                Codec.storageClassOf(row.getString(5)),
                algorithm,
                type);
    }

    private static String name(Entry entry) {
        return switch (entry) {
            case Entry.Current(ListedObject object) -> object.key().value();
            case Entry.CommonPrefix(String prefix) -> prefix;
        };
    }
}
