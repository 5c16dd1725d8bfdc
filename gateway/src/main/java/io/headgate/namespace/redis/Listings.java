package io.headgate.namespace.redis;

import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.Outcome;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pages of current versions. A page begins in the range of its first key, walks from range to range, and asks none behind the last key
 * that can be in it. Thread-safe.
 */
final class Listings {
    /** Of the records that a script answers. */
    static final int MOST_BYTES = 1_000_000;

    /** Lines that roll up in one script: each may be a search of its own. */
    static final int ROLLED_UP_A_SCRIPT = 250;

    private final Cluster cluster;
    private final Buckets buckets;

    Listings(Cluster cluster, Buckets buckets) {
        this.cluster = cluster;
        this.buckets = buckets;
    }

    Outcome<ObjectPage> list(ObjectQuery query) {
        ListingPage page = new ListingPage(query);
        boolean rollsUp = page.range.delimiter().length > 0 && KeyCodec.isFoundEncoded(page.range.delimiter());
        if ((query.limit() == 0 || page.isOver())
                && buckets.find(query.bucket()).isEmpty()) {
            return Buckets.noSuchBucket(query.bucket());
        }
        while (query.limit() > 0 && !page.isOver()) {
            RangeMap map = buckets.map(query.bucket());
            Boolean there;
            if (map != null && map.hashed()) {
                there = new HashedListing(cluster, buckets, query.bucket(), page, rollsUp).fill(map);
            } else {
                byte[] from = KeyCodec.encode(page.from());
                there = buckets.inRange(
                        query.bucket(), from, range -> rollsUp ? rollUp(page, range) : walk(page, range));
            }
            if (there == null) {
                return Buckets.noSuchBucket(query.bucket());
            }
        }
        return new Outcome.Done<>(page.toPage());
    }

    /** Reads on in the range, whose end is not passed; null if it has moved. */
    private @Nullable Boolean walk(ListingPage page, Range range) {
        byte[] finish = finish(page, range);
        int wanted = page.limit - page.entries.size() + 1;
        List<byte[]> groups = list(cluster, range, KeyCodec.encode(page.from()), finish, wanted);
        if (groups == null) {
            return null;
        }
        int[] seen = new int[1];
        int[] bytes = new int[1];
        byte[] before = page.from();
        for (byte[] group : groups) {
            bytes[0] += group.length;
            Groups.read(group, (encoded, record) -> {
                if (finish.length > 0 && Arrays.compareUnsigned(encoded, finish) >= 0) {
                    return; // has left the range, and is to be taken away
                }
                byte[] key = KeyCodec.decode(encoded);
                seen[0] += Arrays.compareUnsigned(key, before) >= 0 ? 1 : 0;
                page.key(key, record);
            });
        }
        if (!page.isOver() && seen[0] < wanted && bytes[0] < MOST_BYTES) {
            next(page, range.lastKey());
        }
        return true;
    }

    private @Nullable Boolean rollUp(ListingPage page, Range range) {
        byte[] finish = finish(page, range);
        int most = Math.min(ROLLED_UP_A_SCRIPT, page.limit - page.entries.size());
        List<byte[]> lines = rollUp(cluster, page, range, KeyCodec.encode(page.from()), finish, most);
        if (lines == null) {
            return null;
        }
        for (byte[] line : lines.subList(0, lines.size() - 1)) {
            if (line[0] == 'p') {
                page.prefix(KeyCodec.decode(line, 1, line.length));
            } else {
                byte[] entry = Arrays.copyOfRange(line, 1, line.length);
                Groups.readOne(entry, 0, (encoded, record) -> {
                    byte[] key = KeyCodec.decode(encoded);
                    page.key(key, record);
                });
            }
        }
        byte[] next = lines.getLast();
        if (next.length == 0) {
            next(page, range.lastKey());
        } else {
            byte[] key = KeyCodec.decode(next);
            page.truncated = page.entries.size() == page.limit;
            page.skipTo(key);
        }
        return true;
    }

    /** Groups of the range, see {@code list.lua}; null if it has moved. */
    static @Nullable List<byte[]> list(Cluster cluster, Range range, byte[] from, byte[] finish, int wanted) {
        List<byte[]> groups = cluster.many(
                Script.LIST,
                new byte[][] {range.root(), range.records()},
                range.epochBytes(),
                from,
                finish,
                Script.number(wanted),
                Script.number(MOST_BYTES));
        return groups.size() == 1 && Buckets.isMoved(groups.getFirst()) ? null : groups;
    }

    /** Lines of the range, see {@code rollup.lua}; null if it has moved. */
    static @Nullable List<byte[]> rollUp(
            Cluster cluster, ListingPage page, Range range, byte[] from, byte[] finish, int most) {
        List<byte[]> lines = cluster.many(
                Script.ROLLUP,
                new byte[][] {range.root(), range.records()},
                range.epochBytes(),
                from,
                finish,
                page.range.delimiter(),
                Script.number(KeyCodec.encode(page.range.prefix()).length),
                Script.number(most),
                Script.number(MOST_BYTES));
        if (lines.isEmpty()) {
            throw new NamespaceException("Redis answered a listing with nothing");
        }
        return lines.size() == 1 && Buckets.isMoved(lines.getFirst()) ? null : lines;
    }

    /** The encoded key that the range's part of the page ends before. */
    private static byte[] finish(ListingPage page, Range range) {
        byte[] last = KeyCodec.encode(page.range.end());
        byte @Nullable [] end = range.lastKey();
        return end == null || Arrays.compareUnsigned(last, end) < 0 ? last : end;
    }

    /** Goes on where the next range begins, or ends. */
    private static void next(ListingPage page, byte @Nullable [] end) {
        byte[] from = end == null ? page.range.end() : KeyCodec.decode(end);
        page.skipTo(from);
    }
}
