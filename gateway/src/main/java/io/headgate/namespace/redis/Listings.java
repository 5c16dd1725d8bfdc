package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.ObjectKey;
import io.headgate.namespace.ListingRange;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectPage.Entry;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.Outcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pages of current versions. A page begins in the range of its first key, walks from range to range, and asks none behind the last key
 * that can be in it. Thread-safe.
 */
final class Listings {
    /** Of the records that a script answers. */
    private static final int MOST_BYTES = 1_000_000;

    /** Lines that roll up in one script: each may be a search of its own. */
    private static final int ROLLED_UP_A_SCRIPT = 250;

    private final Cluster cluster;
    private final Buckets buckets;

    Listings(Cluster cluster, Buckets buckets) {
        this.cluster = cluster;
        this.buckets = buckets;
    }

    /** A page in the making. */
    private static final class Page {
        final ListingRange range;
        final int limit;
        final List<Entry> entries = new ArrayList<>();
        String last = "";
        boolean truncated;
        /** The first key that has not been looked at. */
        byte[] from;

        Page(ObjectQuery query) {
            range = new ListingRange(query.prefix(), query.delimiter(), query.after());
            limit = query.limit();
            from = range.start();
        }

        boolean isOver() {
            return truncated || Arrays.compareUnsigned(from, range.end()) >= 0;
        }

        /** Takes a key, or what it rolls up to. */
        void key(ObjectKey key, byte[] bytes, ByteBuffer record) {
            if (isOver() || Arrays.compareUnsigned(bytes, from) < 0) {
                return;
            }
            if (Arrays.compareUnsigned(bytes, range.end()) >= 0) {
                from = range.end();
                return;
            }
            if (entries.size() == limit) {
                truncated = true;
                return;
            }
            int prefix = range.commonPrefixLength(bytes);
            if (prefix > 0) {
                prefix(Arrays.copyOf(bytes, prefix));
            } else {
                entries.add(new Entry.Current(StoredVersion.listed(key, record)));
                last = key.value();
                from = ListingRange.next(bytes);
            }
        }

        /** Takes a common prefix, of which some keys may be passed: then it was taken, or they lay in the range before. */
        void prefix(byte[] bytes) {
            byte[] behind = ListingRange.successor(bytes, bytes.length);
            if (isOver() || Arrays.compareUnsigned(behind, from) <= 0) {
                return;
            }
            if (entries.size() == limit) {
                truncated = true;
                return;
            }
            last = ObjectKey.decode(bytes);
            entries.add(new Entry.CommonPrefix(last));
            from = behind;
        }

        ObjectPage toPage() {
            return new ObjectPage(entries, truncated, last);
        }
    }

    Outcome<ObjectPage> list(ObjectQuery query) {
        Page page = new Page(query);
        if (query.limit() == 0) {
            return buckets.find(query.bucket()).isPresent()
                    ? new Outcome.Done<>(page.toPage())
                    : Buckets.noSuchBucket(query.bucket());
        }
        boolean rollsUp = page.range.delimiter().length > 0 && KeyCodec.isFoundEncoded(page.range.delimiter());
        if (page.isOver() && buckets.find(query.bucket()).isEmpty()) {
            return Buckets.noSuchBucket(query.bucket());
        }
        while (!page.isOver()) {
            byte[] from = KeyCodec.encode(page.from);
            Boolean there =
                    buckets.inRange(query.bucket(), from, range -> rollsUp ? rollUp(page, range) : walk(page, range));
            if (there == null) {
                return Buckets.noSuchBucket(query.bucket());
            }
        }
        return new Outcome.Done<>(page.toPage());
    }

    /** Reads on in the range, whose end is not passed; null if it has moved. */
    private @Nullable Boolean walk(Page page, Range range) {
        byte[] finish = finish(page, range);
        int wanted = page.limit - page.entries.size() + 1;
        List<byte[]> groups = cluster.many(
                Script.LIST,
                new byte[][] {range.root(), range.records()},
                range.epochBytes(),
                KeyCodec.encode(page.from),
                finish,
                Integer.toString(wanted).getBytes(US_ASCII),
                Integer.toString(MOST_BYTES).getBytes(US_ASCII));
        if (groups.size() == 1 && Buckets.isMoved(groups.getFirst())) {
            return null;
        }
        int[] seen = new int[1];
        int[] bytes = new int[1];
        byte[] before = page.from;
        for (byte[] group : groups) {
            bytes[0] += group.length;
            Groups.read(group, (encoded, record) -> {
                if (finish.length > 0 && Arrays.compareUnsigned(encoded, finish) >= 0) {
                    return; // has left the range, and is to be taken away
                }
                byte[] key = KeyCodec.decode(encoded, 0, encoded.length);
                seen[0] += Arrays.compareUnsigned(key, before) >= 0 ? 1 : 0;
                page.key(new ObjectKey(ObjectKey.decode(key)), key, record);
            });
        }
        if (!page.isOver() && seen[0] < wanted && bytes[0] < MOST_BYTES) {
            next(page, range.lastKey());
        }
        return true;
    }

    private @Nullable Boolean rollUp(Page page, Range range) {
        byte[] finish = finish(page, range);
        int most = Math.min(ROLLED_UP_A_SCRIPT, page.limit - page.entries.size());
        List<byte[]> lines = cluster.many(
                Script.ROLLUP,
                new byte[][] {range.root(), range.records()},
                range.epochBytes(),
                KeyCodec.encode(page.from),
                finish,
                page.range.delimiter(),
                Integer.toString(KeyCodec.encode(page.range.prefix()).length).getBytes(US_ASCII),
                Integer.toString(most).getBytes(US_ASCII),
                Integer.toString(MOST_BYTES).getBytes(US_ASCII));
        if (lines.size() == 1 && Buckets.isMoved(lines.getFirst())) {
            return null;
        }
        if (lines.isEmpty()) {
            throw new NamespaceException("Redis answered a listing with nothing");
        }
        for (byte[] line : lines.subList(0, lines.size() - 1)) {
            if (line[0] == 'p') {
                page.prefix(KeyCodec.decode(line, 1, line.length));
            } else {
                byte[] entry = Arrays.copyOfRange(line, 1, line.length);
                Groups.readOne(entry, 0, (encoded, record) -> {
                    byte[] key = KeyCodec.decode(encoded, 0, encoded.length);
                    page.key(new ObjectKey(ObjectKey.decode(key)), key, record);
                });
            }
        }
        byte[] next = lines.getLast();
        if (next.length == 0) {
            next(page, range.lastKey());
        } else {
            byte[] key = KeyCodec.decode(next, 0, next.length);
            page.truncated = page.entries.size() == page.limit;
            if (Arrays.compareUnsigned(key, page.from) > 0) {
                page.from = key;
            }
        }
        return true;
    }

    /** The encoded key that the range's part of the page ends before. */
    private static byte[] finish(Page page, Range range) {
        byte[] last = KeyCodec.encode(page.range.end());
        byte @Nullable [] end = range.lastKey();
        return end == null || Arrays.compareUnsigned(last, end) < 0 ? last : end;
    }

    /** Goes on where the next range begins, or ends. */
    private static void next(Page page, byte @Nullable [] end) {
        byte[] from = end == null ? page.range.end() : KeyCodec.decode(end, 0, end.length);
        if (Arrays.compareUnsigned(from, page.from) > 0) {
            page.from = from;
        }
    }
}
