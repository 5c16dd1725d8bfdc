package io.headgate.namespace.redis;

import io.headgate.domain.BucketName;
import io.headgate.namespace.ListingRange;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A page of a bucket whose ranges are of hashes: each has some of the keys, in order, so the page is merged of them all. Each is asked for its
 * share and some more, and again only if that was not enough. Not thread-safe; one for each page.
 */
final class HashedListing {
    private static final int LEAST_WANTED = 16;

    private final Cluster cluster;
    private final Buckets buckets;
    private final BucketName bucket;
    private final ListingPage page;
    private final boolean rollsUp;

    HashedListing(Cluster cluster, Buckets buckets, BucketName bucket, ListingPage page, boolean rollsUp) {
        this.cluster = cluster;
        this.buckets = buckets;
        this.bucket = bucket;
        this.page = page;
        this.rollsUp = rollsUp;
    }

    /** A key with its record, or a common prefix without. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Line(byte[] bytes, @Nullable ByteBuffer entry) {}

    /** What one range has. */
    private static final class Source {
        final byte[] border;
        final Queue<Line> lines = new ArrayDeque<>();
        /** The first key that it has not been asked for. */
        byte[] from;

        boolean ended;

        Source(byte[] border, byte[] from) {
            this.border = border;
            this.from = from;
        }

        byte[] first() {
            return lines.element().bytes;
        }
    }

    /** Fills the page; null if there is no such bucket any more. */
    @Nullable Boolean fill(RangeMap map) {
        List<Source> sources = map.all().stream()
                .map(range -> new Source(range.low(), page.from()))
                .toList();
        int share = (page.limit - page.entries.size()) / sources.size();
        int wanted = Math.max(LEAST_WANTED, share + share / 4 + 1);
        List<Boolean> there = cluster.each(sources, source -> read(source, wanted) != null);
        if (there.contains(false)) {
            return null;
        }
        PriorityQueue<Source> merged =
                new PriorityQueue<>(Comparator.comparing(Source::first, Arrays::compareUnsigned));
        sources.stream().filter(source -> !source.lines.isEmpty()).forEach(merged::add);
        while (!page.isOver() && !merged.isEmpty()) {
            Source least = merged.remove();
            Line line = least.lines.remove();
            if (line.entry == null) {
                page.prefix(line.bytes);
            } else {
                page.key(line.bytes, line.entry);
            }
            while (least.lines.isEmpty() && !least.ended && !page.isOver()) {
                if (read(least, wanted) == null) {
                    return null;
                }
            }
            if (!least.lines.isEmpty()) {
                merged.add(least);
            }
        }
        if (!page.isOver()) {
            page.skipTo(page.range.end());
        }
        return true;
    }

    /** Asks the range for more; null if there is no such bucket any more. */
    private @Nullable Boolean read(Source source, int wanted) {
        byte[] from = page.isPassed(source.from) ? page.from() : source.from;
        byte[] first = KeyCodec.encode(from);
        byte[] finish = KeyCodec.encode(page.range.end());
        return buckets.inRangeFrom(
                bucket,
                source.border,
                range -> rollsUp
                        ? rolledUp(source, range, first, finish, Math.min(wanted, Listings.ROLLED_UP_A_SCRIPT))
                        : listed(source, range, from, finish, wanted));
    }

    private @Nullable Boolean listed(Source source, Range range, byte[] from, byte[] finish, int wanted) {
        List<byte[]> groups = Listings.list(cluster, range, KeyCodec.encode(from), finish, wanted);
        if (groups == null) {
            return null;
        }
        int bytes = 0;
        List<Line> lines = new ArrayList<>();
        for (byte[] group : groups) {
            bytes += group.length;
            Groups.read(group, (encoded, record) -> {
                byte[] key = KeyCodec.decode(encoded);
                if (Arrays.compareUnsigned(key, from) >= 0 && Arrays.compareUnsigned(encoded, finish) < 0) {
                    lines.add(new Line(key, record));
                }
            });
        }
        source.lines.addAll(lines);
        source.ended = lines.size() < wanted && bytes < Listings.MOST_BYTES;
        if (!lines.isEmpty()) {
            source.from = ListingRange.next(lines.getLast().bytes);
        }
        return true;
    }

    private @Nullable Boolean rolledUp(Source source, Range range, byte[] from, byte[] finish, int wanted) {
        List<byte[]> lines = Listings.rollUp(cluster, page, range, from, finish, wanted);
        if (lines == null) {
            return null;
        }
        for (byte[] line : lines.subList(0, lines.size() - 1)) {
            if (line[0] == 'p') {
                source.lines.add(new Line(KeyCodec.decode(line, 1, line.length), null));
            } else {
                byte[] entry = Arrays.copyOfRange(line, 1, line.length);
                Groups.readOne(
                        entry, 0, (encoded, record) -> source.lines.add(new Line(KeyCodec.decode(encoded), record)));
            }
        }
        byte[] next = lines.getLast();
        source.ended = next.length == 0;
        source.from = KeyCodec.decode(next);
        return true;
    }
}
