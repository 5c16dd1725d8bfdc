package io.headgate.namespace.sql;

import io.headgate.domain.ObjectKey;
import io.headgate.namespace.ListingRange;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Upload;
import io.headgate.namespace.UploadPage;
import io.headgate.namespace.UploadQuery;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Pages of uploads in progress, read by seeking as those of objects are. */
final class UploadListings {
    private static final String COLUMNS =
            "SELECT seq, id, started_at, owner, storage_class, checksum_kind, details, key FROM uploads ";
    private static final String SEEK =
            COLUMNS + "WHERE bucket = ? AND key >= ? AND key < ? ORDER BY key, started_at, id";
    private static final String REST_OF_KEY =
            COLUMNS + "WHERE bucket = ? AND key = ? AND (started_at, id) > (?, ?) ORDER BY started_at, id";
    private static final String STARTED_AT = "SELECT started_at FROM uploads WHERE id = ? AND bucket = ? AND key = ?";

    private final Session session;
    private final UploadQuery query;
    private final long bucket;
    private final ListingRange range;
    private final List<Upload> uploads = new ArrayList<>();
    private final List<String> commonPrefixes = new ArrayList<>();
    private String lastKey = "";
    private String lastUploadId = "";
    private boolean truncated;

    private UploadListings(Session session, UploadQuery query, long bucket) {
        this.session = session;
        this.query = query;
        this.bucket = bucket;
        this.range = new ListingRange(query.prefix(), query.delimiter(), query.afterKey());
    }

    /** To be called within one read transaction. */
    static Outcome<UploadPage> page(Session session, UploadQuery query) throws SQLException {
        Optional<Long> bucket = Buckets.id(session, query.bucket());
        return bucket.isEmpty()
                ? Buckets.noSuchBucket(query.bucket())
                : new Outcome.Done<>(new UploadListings(session, query, bucket.get()).page());
    }

    private UploadPage page() throws SQLException {
        if (query.limit() > 0) {
            restOfKey();
            byte[] from = range.start();
            while (from != null && !truncated) {
                from = walk(from);
            }
        }
        return new UploadPage(uploads, commonPrefixes, truncated, lastKey, lastUploadId);
    }

    private int wanted() {
        return query.limit() + 1 - uploads.size() - commonPrefixes.size();
    }

    /**
     * The uploads of the key at which the last page ended. If the upload at which it ended is gone since, where it stood is not
     * known any more, and all uploads of the key come again.
     */
    private void restOfKey() throws SQLException {
        byte[] key = query.afterKey().getBytes(StandardCharsets.UTF_8);
        boolean listed = query.afterKey().startsWith(query.prefix()) && range.commonPrefixLength(key) == 0;
        if (query.afterUploadId().isEmpty() || !listed) {
            return;
        }
        Long startedAt = session.first(STARTED_AT, row -> row.getLong(1), query.afterUploadId(), bucket, key);
        long after = startedAt == null ? Long.MIN_VALUE : startedAt;
        try (ResultSet rows = session.open(REST_OF_KEY, bucket, key, after, query.afterUploadId())) {
            while (!truncated && rows.next()) {
                add(rows, key);
            }
        }
    }

    private byte @Nullable [] walk(byte[] from) throws SQLException {
        try (ResultSet rows = session.open(SEEK, bucket, from, range.end())) {
            while (!truncated && rows.next()) {
                byte[] key = rows.getBytes(8);
                int rolledUp = range.commonPrefixLength(key);
                if (rolledUp == 0) {
                    add(rows, key);
                } else if (wanted() == 1) {
                    truncated = true;
                } else {
                    lastKey = new String(key, 0, rolledUp, StandardCharsets.UTF_8);
                    lastUploadId = "";
                    commonPrefixes.add(lastKey);
                    return ListingRange.successor(key, rolledUp);
                }
            }
        }
        return null;
    }

    private void add(ResultSet row, byte[] key) throws SQLException {
        if (wanted() == 1) {
            truncated = true;
            return;
        }
        ObjectKey objectKey = new ObjectKey(new String(key, StandardCharsets.UTF_8));
        Upload upload = Uploads.read(row, query.bucket(), objectKey).upload();
        uploads.add(upload);
        lastKey = objectKey.value();
        lastUploadId = upload.id();
    }
}
