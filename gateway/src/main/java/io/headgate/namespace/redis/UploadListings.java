package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.ObjectKey;
import io.headgate.namespace.ListingRange;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Upload;
import io.headgate.namespace.UploadPage;
import io.headgate.namespace.UploadQuery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of uploads, walked from range to range. Not thread-safe; one for each page. */
final class UploadListings {
    private static final int UPLOADS_A_SCRIPT = 200;

    private final Cluster cluster;
    private final Buckets buckets;
    private final UploadQuery query;
    private final ListingRange range;
    private final List<Upload> uploads = new ArrayList<>();
    private final List<String> commonPrefixes = new ArrayList<>();
    private String lastKey = "";
    private String lastUploadId = "";
    private boolean truncated;
    /** Where to go on among the encoded keys, and whether there, or behind it. */
    private byte[] from;

    private boolean behind;

    UploadListings(Cluster cluster, Buckets buckets, UploadQuery query) {
        this.cluster = cluster;
        this.buckets = buckets;
        this.query = query;
        this.range = new ListingRange(query.prefix(), query.delimiter(), query.afterKey());
        this.from = KeyCodec.encode(range.start());
    }

    Outcome<UploadPage> page() {
        if (buckets.find(query.bucket()).isEmpty()) {
            return Buckets.noSuchBucket(query.bucket());
        }
        if (query.limit() > 0) {
            begin();
            byte[] end = KeyCodec.encode(range.end());
            while (!truncated && Arrays.compareUnsigned(from, end) < 0) {
                RangeMap map = buckets.map(query.bucket());
                Boolean there = map == null
                        ? null
                        : map.hashed()
                                ? walkAll(map, end)
                                : buckets.inRange(query.bucket(), from, part -> walk(part, end));
                if (there == null) {
                    return Buckets.noSuchBucket(query.bucket());
                }
            }
        }
        return new Outcome.Done<>(new UploadPage(uploads, commonPrefixes, truncated, lastKey, lastUploadId));
    }

    /**
     * A page that ended at an upload goes on behind it. If that upload is gone since, where it stood is not known any more, and all
     * uploads of the key come again.
     */
    private void begin() {
        byte[] key = query.afterKey().getBytes(UTF_8);
        boolean listed = query.afterKey().startsWith(query.prefix()) && range.commonPrefixLength(key) == 0;
        if (query.afterUploadId().isEmpty() || !listed) {
            return;
        }
        Upload last = find(query.afterUploadId());
        behind = last != null && last.key().value().equals(query.afterKey());
        from = last != null && behind
                ? StoredUpload.member(last.key(), last.startedAt(), last.id())
                : KeyCodec.encode(key);
    }

    private @Nullable Upload find(String id) {
        byte[] found = cluster.command(redis -> redis.hget(StoredUpload.key(id), new byte[] {'h'}));
        return found == null ? null : StoredUpload.read(id, found);
    }

    private int wanted() {
        return query.limit() + 1 - uploads.size() - commonPrefixes.size();
    }

    private @Nullable Boolean walk(Range part, byte[] end) {
        byte @Nullable [] border = part.lastKey();
        byte[] finish = border == null || Arrays.compareUnsigned(end, border) < 0 ? end : border;
        List<byte[]> members = members(part, finish);
        if (members == null) {
            return null;
        }
        if (take(members) && members.size() < UPLOADS_A_SCRIPT) {
            from = border == null ? end : border;
            behind = false;
        }
        return true;
    }

    /** Of a bucket whose ranges are of hashes: asks all, and takes what comes before the first that is not known to the end. */
    private @Nullable Boolean walkAll(RangeMap map, byte[] end) {
        List<byte[]> members = new ArrayList<>();
        byte[] known = end;
        for (Range part : map.all()) {
            List<byte[]> some = buckets.inRangeFrom(query.bucket(), part.low(), now -> members(now, end));
            if (some == null) {
                return null;
            }
            members.addAll(some);
            if (some.size() == UPLOADS_A_SCRIPT && Arrays.compareUnsigned(some.getLast(), known) < 0) {
                known = some.getLast();
            }
        }
        byte[] last = known;
        members.removeIf(member -> Arrays.compareUnsigned(member, last) > 0);
        members.sort(Arrays::compareUnsigned);
        if (take(members) && known == end) {
            from = end;
            behind = false;
        }
        return true;
    }

    /** The first uploads that are left in the range; null if it has moved. */
    private @Nullable List<byte[]> members(Range part, byte[] finish) {
        List<byte[]> members = cluster.many(
                Script.UPLOADS,
                new byte[][] {part.root(), part.uploads()},
                part.epochBytes(),
                bound(behind ? '(' : '[', from),
                bound('(', finish),
                Script.number(UPLOADS_A_SCRIPT));
        return members.size() == 1 && Buckets.isMoved(members.getFirst()) ? null : members;
    }

    /** Puts them in the page; whether all were, otherwise it is full, or goes on behind a common prefix. */
    private boolean take(List<byte[]> members) {
        for (byte[] member : members) {
            StoredUpload.Listed listed = StoredUpload.Listed.read(member);
            byte[] key = listed.key().bytes();
            int rolledUp = range.commonPrefixLength(key);
            if (wanted() == 1) {
                truncated = true;
                return false;
            }
            if (rolledUp > 0) {
                lastKey = new String(key, 0, rolledUp, UTF_8);
                lastUploadId = "";
                commonPrefixes.add(lastKey);
                from = KeyCodec.encode(ListingRange.successor(key, rolledUp));
                behind = false;
                return false;
            }
            add(listed.key(), listed.startedAt(), listed.id());
            from = member;
            behind = true;
        }
        return true;
    }

    private void add(ObjectKey key, Instant startedAt, String id) {
        Upload upload = find(id);
        if (upload == null || !upload.key().equals(key) || !upload.startedAt().equals(startedAt)) {
            return; // it has ended a moment ago
        }
        uploads.add(upload);
        lastKey = key.value();
        lastUploadId = id;
    }

    static byte[] bound(char kind, byte[] key) {
        byte[] bound = new byte[key.length + 1];
        bound[0] = (byte) kind;
        System.arraycopy(key, 0, bound, 1, key.length);
        return bound;
    }
}
