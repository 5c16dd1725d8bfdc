package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BucketName;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.KeyValue;
import io.lettuce.core.Limit;
import io.lettuce.core.MapScanCursor;
import io.lettuce.core.Range.Boundary;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Ways through all that is kept, in steps of bounded size, while others read and write: what is there all the time is met, once unless it is
 * said otherwise; what comes or goes meanwhile may be. Thread-safe.
 */
final class Walk {
    private static final int ENTRIES_A_STEP = 500;
    private static final int GROUPS_A_STEP = 100;
    private static final int BUCKETS_A_PAGE = 500;
    private static final int KEYS_A_SCAN = 1_000;
    private static final byte[] NOTHING = Blobs.NOTHING;

    private final Cluster cluster;
    private final Buckets buckets;

    Walk(Cluster cluster, Buckets buckets) {
        this.cluster = cluster;
        this.buckets = buckets;
    }

    /** Each bucket that is there. */
    void buckets(Consumer<BucketName> reader) {
        String after = "";
        while (true) {
            List<BucketName> page = buckets.names(after, BUCKETS_A_PAGE);
            page.forEach(reader);
            if (page.size() < BUCKETS_A_PAGE) {
                return;
            }
            after = page.getLast().value();
        }
    }

    /** A range that was read as it stood, from its beginning to its end. */
    @SuppressWarnings("ArrayRecordComponent")
    record Counted(byte[] low, long objects, long bytes, long recordedObjects, long recordedBytes, long digest) {
        boolean isRight() {
            return objects == recordedObjects && bytes == recordedBytes;
        }

        /** Whether both saw the same, so that it was so between them. */
        boolean agrees(Counted other) {
            return objects == other.objects
                    && bytes == other.bytes
                    && recordedObjects == other.recordedObjects
                    && recordedBytes == other.recordedBytes
                    && digest == other.digest
                    && Arrays.equals(low, other.low);
        }
    }

    /**
     * The records of a bucket by their encoded keys, in the order of its ranges, each key once.
     *
     * @param ranges hears of each range whose counters did not change while it was read; {@code null} for nobody
     */
    void versions(BucketName bucket, BiConsumer<byte[], ByteBuffer> reader, @Nullable Consumer<Counted> ranges) {
        List<Seen> seen = new ArrayList<>();
        byte[] from = NOTHING;
        while (from != null) {
            from = new RangeWalk(bucket, from, reader, seen).run(ranges);
        }
    }

    /** The range that begins there, again; null if it has moved or its counters change all the time. */
    @Nullable Counted count(BucketName bucket, byte[] low) {
        Counted[] counted = new Counted[1];
        byte[] unused = new RangeWalk(bucket, low, (_, _) -> {}, new ArrayList<>()).run(one -> counted[0] = one);
        return counted[0] != null && Arrays.equals(counted[0].low, low) ? counted[0] : null;
    }

    /** Keys of a hashed range that have been met before it changed: those before that one. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Seen(Range range, byte[] before) {
        boolean holds(byte[] key) {
            return Arrays.compareUnsigned(key, before) < 0 && range.holds(key);
        }
    }

    /** One walk through a range. For one thread. */
    private final class RangeWalk {
        private final BucketName bucket;
        private final byte[] border;
        private final BiConsumer<byte[], ByteBuffer> reader;
        private final List<Seen> seen;
        private byte[] at;
        private @Nullable Range first;
        private boolean same = true;
        private long[] recorded = {};
        private byte @Nullable [] end;
        private long objects;
        private long bytes;
        private long digest;

        RangeWalk(BucketName bucket, byte[] from, BiConsumer<byte[], ByteBuffer> reader, List<Seen> seen) {
            this.bucket = bucket;
            this.border = from;
            this.at = from;
            this.reader = reader;
            this.seen = seen;
        }

        /** Where the next range begins; null if there is none. */
        byte @Nullable [] run(@Nullable Consumer<Counted> counted) {
            RangeMap map = buckets.map(bucket);
            if (map != null && map.hashed()) {
                at = NOTHING;
            }
            while (true) {
                Boolean more = buckets.inRangeFrom(bucket, map != null && map.hashed() ? border : at, this::step);
                if (more == null) {
                    return null; // the bucket is gone
                }
                if (!more) {
                    break;
                }
            }
            Range range = first;
            if (counted != null && same && range != null) {
                long[] after = counters(range);
                if (after.length > 0 && Arrays.equals(recorded, after)) {
                    counted.accept(new Counted(range.low(), objects, bytes, after[0], after[1], digest));
                }
            }
            return end;
        }

        private @Nullable Boolean step(Range range) {
            long[] now = first == null ? counters(range) : recorded;
            byte[] from = first != null && range.hashed() && !range.isSame(first) ? NOTHING : at;
            List<byte[]> groups = Listings.list(cluster, range, from, NOTHING, ENTRIES_A_STEP);
            if (groups == null) {
                return null;
            }
            begin(range, now, from);
            end = range.end();
            int[] met = new int[1];
            int size = 0;
            byte[][] last = {at};
            for (byte[] group : groups) {
                size += group.length;
                Groups.read(group, (key, record) -> {
                    if (Arrays.compareUnsigned(key, at) >= 0) {
                        last[0] = key;
                        met[0]++;
                        if (range.holds(key) && seen.stream().noneMatch(before -> before.holds(key))) {
                            take(key, record);
                        }
                    }
                });
            }
            boolean passed = range.lastKey() != null && Arrays.compareUnsigned(last[0], range.lastKey()) >= 0;
            if (passed || (met[0] < ENTRIES_A_STEP && size < Listings.MOST_BYTES)) {
                return false;
            }
            at = KeyCodec.next(last[0]);
            return true;
        }

        /** Goes on in the range, which may be another than it was: what is in order goes on, of hashes all is looked at again. */
        private void begin(Range range, long[] counters, byte[] from) {
            Range before = first;
            if (before == null) {
                same = Arrays.equals(range.low(), border);
                recorded = counters;
            } else if (!range.isSame(before)) {
                same = false;
                if (range.hashed()) {
                    seen.add(new Seen(before, at));
                }
            }
            first = range;
            at = from;
        }

        private void take(byte[] key, ByteBuffer record) {
            objects++;
            bytes += StoredVersion.sizeBytes(record);
            digest += 31L * Arrays.hashCode(key) + record.hashCode();
            reader.accept(key, record);
        }

        /** Objects and bytes; nothing if the range is not what it was. */
        private long[] counters(Range range) {
            List<KeyValue<byte[], byte[]>> root =
                    cluster.command(redis -> redis.hmget(range.root(), new byte[] {'n'}, new byte[] {'b'}));
            return root == null
                            || !root.getFirst().hasValue()
                            || !root.getLast().hasValue()
                    ? new long[0]
                    : new long[] {
                        number(root.getFirst().getValue()),
                        number(root.getLast().getValue())
                    };
        }
    }

    static long number(byte[] digits) {
        return Long.parseLong(new String(digits, US_ASCII));
    }

    /** The groups of a slot's set: each key once. */
    void groups(byte[] set, BiConsumer<byte[], ByteBuffer> reader) {
        byte[] at = NOTHING;
        while (true) {
            List<byte[]> groups = cluster.many(Script.PAGE, new byte[][] {set}, at, Script.number(GROUPS_A_STEP));
            byte[] after = at;
            byte[][] last = {at};
            for (byte[] group : groups) {
                Groups.read(group, (key, record) -> {
                    if (Arrays.compareUnsigned(key, after) > 0) {
                        last[0] = key;
                        reader.accept(key, record);
                    }
                });
            }
            if (groups.size() < GROUPS_A_STEP) {
                return;
            }
            at = last[0];
        }
    }

    /** The members of a set whose scores are all 0. */
    void members(byte[] set, Consumer<byte[]> reader) {
        Boundary<byte[]> from = Boundary.unbounded();
        while (true) {
            io.lettuce.core.Range<byte[]> rest = io.lettuce.core.Range.from(from, Boundary.unbounded());
            List<byte[]> page = cluster.command(redis -> redis.zrangebylex(set, rest, Limit.create(0, ENTRIES_A_STEP)));
            if (page == null || page.isEmpty()) {
                return;
            }
            page.forEach(reader);
            if (page.size() < ENTRIES_A_STEP) {
                return;
            }
            from = Boundary.excluding(page.getLast());
        }
    }

    /** The fields of a hash, by their characters, each of which is a byte. */
    Map<String, byte[]> fields(byte[] hash) {
        Map<String, byte[]> fields = new HashMap<>();
        ScanCursor cursor = ScanCursor.INITIAL;
        while (!cursor.isFinished()) {
            ScanCursor at = cursor;
            MapScanCursor<byte[], byte[]> page =
                    cluster.command(redis -> redis.hscan(hash, at, ScanArgs.Builder.limit(ENTRIES_A_STEP)));
            if (page == null) {
                break;
            }
            page.getMap().forEach((field, value) -> fields.put(new String(field, ISO_8859_1), value));
            cursor = page;
        }
        return fields;
    }

    /**
     * Names of what has a key of its own in the slot of its name, perhaps more than once.
     *
     * @param kind the letter that such keys have before the name
     */
    void named(char kind, Consumer<String> reader) {
        pages(kind, names -> names.forEach(reader));
    }

    /** The same for many at once, on several threads. */
    void namedAtOnce(char kind, Consumer<String> reader) {
        pages(
                kind,
                names -> cluster.each(names, name -> {
                    reader.accept(name);
                    return true;
                }));
    }

    private void pages(char kind, Consumer<List<String>> reader) {
        byte[] pattern = ("{*}" + kind + "*").getBytes(US_ASCII);
        Predicate<byte[]> isOne = key -> {
            int brace = 0;
            while (brace < key.length && key[brace] != '}') {
                brace++;
            }
            return brace + 1 < key.length && key[brace + 1] == kind;
        };
        for (Node master : cluster.masters()) {
            ScanCursor cursor = ScanCursor.INITIAL;
            while (!cursor.isFinished()) {
                ScanCursor at = cursor;
                KeyScanCursor<byte[]> page = cluster.at(
                        master,
                        redis ->
                                redis.scan(at, ScanArgs.Builder.matches(pattern).limit(KEYS_A_SCAN)));
                if (page == null) {
                    break;
                }
                reader.accept(page.getKeys().stream()
                        .filter(isOne)
                        .map(key -> new String(key, UTF_8))
                        .map(key -> key.substring(key.indexOf('}') + 2))
                        .filter(name -> !name.isEmpty())
                        .toList());
                cursor = page;
            }
        }
    }
}
