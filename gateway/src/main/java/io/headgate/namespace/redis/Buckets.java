package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketClaim;
import io.headgate.namespace.BucketQuery;
import io.headgate.namespace.BucketRange;
import io.headgate.namespace.BucketSetting;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.codec.Codec;
import io.lettuce.core.Limit;
import io.lettuce.core.Range.Boundary;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Buckets, each in the slot of its name, with the map of its ranges. Maps are remembered and may be old: who works by an old one is told
 * by the range that it has moved, and asks again. Thread-safe.
 */
final class Buckets {
    private static final int RANGES_A_PAGE = 1_000;
    /** Buckets whose ranges are remembered. */
    private static final int MOST_KNOWN = 10_000;

    /** What {@code bucket.lua} answers before the ranges. */
    private static final int HEADER = 8;

    private static final byte[] NAMES = SlotKeys.named("N", "buckets");

    private final Cluster cluster;
    private final SlotsInUse slots;
    private final RandomGenerator random;
    private final BucketClosing closing;
    private final RangeMoves moves;
    private final RangeHeat heat;
    private final BucketNotes notes;
    private final InstantSource clock;
    /** How long an operation waits for a range that moves, and a deletion for others. */
    private final Duration patience;

    private final Map<String, RangeMap> known = new ConcurrentHashMap<>();

    Buckets(
            Cluster cluster,
            SlotsInUse slots,
            RandomGenerator random,
            BucketClosing closing,
            RangeMoves moves,
            RangeHeat heat,
            Duration patience,
            InstantSource clock) {
        this.cluster = cluster;
        this.slots = slots;
        this.random = random;
        this.closing = closing;
        this.moves = moves;
        this.heat = heat;
        this.clock = clock;
        notes = new BucketNotes(cluster);
        this.patience = patience;
    }

    static byte[] key(BucketName name) {
        return SlotKeys.named("b", name.value());
    }

    /** Of the bucket, and of the map of its ranges. */
    static byte[][] keys(BucketName name) {
        return new byte[][] {key(name), SlotKeys.named("m", name.value())};
    }

    private static byte[] ownerKey(String owner) {
        return SlotKeys.named("O", owner.replace('{', '_').replace('}', '_'));
    }

    private String fresh() {
        return Long.toUnsignedString(random.nextLong(), Character.MAX_RADIX);
    }

    /**
     * Makes a bucket. The index of names says what may be there, the bucket itself whether it is: so it is written first, and cleared last.
     *
     * @param hashedRanges among how many ranges of hashes its keys are spread, at most {@link KeyHash#VALUES}; 0 if they stay in order
     */
    BucketClaim create(Bucket bucket, int hashedRanges) {
        String id = fresh();
        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < Math.max(1, hashedRanges); i++) {
            ranges.add(new Range(
                    KeyHash.border(i, Math.max(1, hashedRanges)),
                    null,
                    fresh(),
                    slots.draw(random),
                    1,
                    hashedRanges > 0,
                    ""));
        }
        Instant begun = clock.instant();
        notes.making(id, bucket, ranges, begun);
        for (Range range : ranges) {
            slots.use(range.slot());
            cluster.command(redis -> redis.hset(
                    range.root(),
                    Map.of(
                            new byte[] {'e'},
                            range.epochBytes(),
                            new byte[] {'n'},
                            Script.NO,
                            new byte[] {'b'},
                            Script.NO)));
        }
        byte[] member = member(bucket.name(), id);
        cluster.command(redis -> redis.zadd(NAMES, 0, member));
        cluster.command(redis -> redis.zadd(ownerKey(bucket.owner()), 0, member));
        List<byte[]> arguments = new ArrayList<>(List.of(
                id.getBytes(US_ASCII),
                bucket.owner().getBytes(UTF_8),
                bucket.location().getBytes(UTF_8),
                Script.number(bucket.createdAt().toEpochMilli()),
                hashedRanges > 0 ? Script.YES : new byte[0],
                settings(bucket)));
        ranges.forEach(range -> arguments.add(range.entry()));
        if (begun.plus(BucketNotes.GIVEN_UP_AFTER).isBefore(clock.instant())) {
            throw new NamespaceException("a bucket has been too long in the making");
        }
        List<byte[]> made =
                cluster.many(Script.BUCKET_CREATE, BucketClosing.keys(bucket.name()), arguments.toArray(byte[][]::new));
        boolean ours = text(made.getFirst()).equals(id);
        if (!ours) {
            ranges.forEach(range -> cluster.command(redis -> redis.unlink(range.root())));
            unlist(bucket, id);
        }
        notes.remove(id);
        known.remove(bucket.name().value());
        return new BucketClaim(bucket(bucket.name(), made, made.get(4)), ours);
    }

    /** Takes a bucket that is no more from the index of names. */
    void unlist(Bucket bucket, String id) {
        byte[] member = member(bucket.name(), id);
        cluster.command(redis -> redis.zrem(NAMES, member));
        cluster.command(redis -> redis.zrem(ownerKey(bucket.owner()), member));
    }

    private static Bucket bucket(BucketName name, List<byte[]> fields, byte[] settings) {
        return new Bucket(
                name,
                text(fields.get(1)),
                text(fields.get(2)),
                Instant.ofEpochMilli(Long.parseLong(text(fields.get(3)))),
                Codec.settings(settings));
    }

    private static byte[] settings(Bucket bucket) {
        byte[] settings = Codec.settings(bucket.settings());
        return settings == null ? new byte[0] : settings;
    }

    Outcome<Bucket> change(BucketName name, BucketSetting setting, Optional<String> document) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            List<byte[]> header = header(name);
            if (header.isEmpty()) {
                return noSuchBucket(name);
            }
            Bucket changed = bucket(name, header, header.get(7)).with(setting, document);
            byte[] answer = cluster.one(
                    Script.BUCKET_CHANGE,
                    new byte[][] {key(name)},
                    header.getFirst(),
                    header.get(7),
                    settings(changed));
            if (answer != null && answer[0] == '1') {
                return new Outcome.Done<>(changed);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new NamespaceException("the settings of the bucket change all the time");
            }
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    private static byte[] member(BucketName name, String id) {
        return (name.value() + '\0' + id).getBytes(US_ASCII);
    }

    Optional<Bucket> find(BucketName name) {
        return Optional.ofNullable(load(name)).map(RangeMap::bucket);
    }

    /** Reads the bucket and all its ranges; null if there is no such bucket. */
    @Nullable RangeMap load(BucketName name) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            List<byte[]> header = page(name, new byte[] {'-'});
            if (header.isEmpty()) {
                known.remove(name.value());
                return null;
            }
            List<byte[]> entries = entries(name, header);
            if (entries != null) {
                RangeMap found = RangeMap.of(
                        bucket(name, header, header.get(7)),
                        text(header.getFirst()),
                        text(header.get(4)),
                        header.get(6).length > 0,
                        entries);
                if (known.size() >= MOST_KNOWN) {
                    known.clear();
                }
                known.put(name.value(), found.withoutSettings());
                return found;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new NamespaceException("the ranges of the bucket change all the time");
            }
        }
    }

    /** Null if the ranges have changed while they were read. */
    private @Nullable List<byte[]> entries(BucketName name, List<byte[]> first) {
        List<byte[]> page = first.subList(HEADER, first.size());
        List<byte[]> all = new ArrayList<>(page);
        while (page.size() == RANGES_A_PAGE) {
            List<byte[]> more = page(name, UploadListings.bound('(', page.getLast()));
            if (more.isEmpty()
                    || !Arrays.equals(more.getFirst(), first.getFirst())
                    || !Arrays.equals(more.get(5), first.get(5))) {
                return null;
            }
            page = more.subList(HEADER, more.size());
            all.addAll(page);
        }
        return all;
    }

    private List<byte[]> page(BucketName name, byte[] from) {
        return cluster.many(Script.BUCKET, keys(name), from, Script.number(RANGES_A_PAGE));
    }

    /** Of a range that answers that it has moved, where the map says that it has not. */
    private void settle(RangeMap map, Range range) {
        BucketName name = map.bucket().name();
        closing.openStray(range, () -> {
            List<byte[]> header = header(name);
            return header.isEmpty() ? null : text(header.get(4));
        });
        moves.settle(map, range);
    }

    /** The bucket's ranges as they were when they were read last; null if there is no such bucket. */
    @Nullable RangeMap map(BucketName name) {
        RangeMap map = known.get(name.value());
        return map == null ? load(name) : map;
    }

    /**
     * Does something in the range of the key, as often as it answers that the range has moved.
     *
     * @param work answers null for that
     * @return null if there is no such bucket
     */
    <T> @Nullable T inRange(BucketName name, byte[] key, Function<Range, @Nullable T> work) {
        return in(name, key, map -> map.at(key), work);
    }

    /** As {@link #inRange}, in the range that begins at the border. */
    <T> @Nullable T inRangeFrom(BucketName name, byte[] border, Function<Range, @Nullable T> work) {
        return in(name, border, map -> map.atBorder(border), work);
    }

    /** Without what stands behind the key where uploads are listed. */
    private static byte[] withoutTail(byte[] place) {
        for (int i = 0; i < place.length; i++) {
            if (place[i] == 0) {
                return Arrays.copyOf(place, i);
            }
        }
        return place;
    }

    private <T> @Nullable T in(
            BucketName name, byte[] key, Function<RangeMap, Range> place, Function<Range, @Nullable T> work) {
        RangeMap map = map(name);
        long deadline = System.nanoTime() + patience.toNanos();
        for (long pause = 0; map != null; pause = Math.min(50, pause + 1)) {
            Range range = place.apply(map);
            heat.add(name, range, withoutTail(key));
            T answer = work.apply(range);
            if (answer != null) {
                return answer;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new NamespaceException("the range of a key is moving for too long");
            }
            Cluster.pause(pause);
            map = load(name);
            if (map != null && !map.closing().isEmpty()) {
                closing.reopenIfAbandoned(map);
            }
            if (map != null && place.apply(map).isSame(range)) {
                settle(map, range);
            }
        }
        return null;
    }

    /** Where the key's range lies as far as is known; empty of a bucket that is not known. */
    OptionalInt slotOf(BucketName name, byte[] key) {
        RangeMap map = known.get(name.value());
        return map == null ? OptionalInt.empty() : OptionalInt.of(map.at(key).slot());
    }

    /** Whether a script's answer says that the range has moved. */
    static boolean isMoved(byte @Nullable [] answer) {
        return answer != null && answer.length == 1 && answer[0] == 'm';
    }

    /** @throws NamespaceException if a range is moving all the time, or is not what the map says */
    Outcome<BucketUsage> usage(BucketName name) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            RangeMap map = load(name);
            if (map == null) {
                return noSuchBucket(name);
            }
            long objects = 0;
            long bytes = 0;
            boolean moved = false;
            for (Range range : map.all()) {
                RangeRoot root = RangeRoot.read(cluster, range);
                if (!root.isKnownBy(range.epoch()) && map.closing().isEmpty()) {
                    moved = true;
                    settle(map, range);
                    break;
                }
                objects += root.objects();
                bytes += root.bytes();
            }
            if (!moved) {
                return new Outcome.Done<>(new BucketUsage(objects, bytes));
            }
            if (System.nanoTime() - deadline > 0) {
                throw new NamespaceException("a range of the bucket is moving for too long");
            }
            Cluster.pause(1);
        }
    }

    /** @param requestsPerSecond of ranges by their ids */
    List<BucketRange> ranges(BucketName name, Map<String, Double> requestsPerSecond) {
        RangeMap map = load(name);
        if (map == null) {
            return List.of();
        }
        return cluster.each(List.copyOf(map.all()), range -> {
            RangeRoot root = RangeRoot.read(cluster, range);
            return new BucketRange(
                    border(range.low()),
                    range.end() == null ? "" : border(range.end()),
                    range.slot(),
                    root.objects(),
                    root.bytes(),
                    requestsPerSecond.getOrDefault(range.id(), 0.0));
        });
    }

    private static String border(byte[] encoded) {
        return ObjectKey.decode(KeyCodec.decode(encoded));
    }

    static <T> Outcome<T> noSuchBucket(BucketName name) {
        return new Outcome.Refused<>(Refusal.NO_SUCH_BUCKET, name.value());
    }

    /** @param dropUploads is told of each range of a bucket that is gone */
    Outcome<Bucket> delete(BucketName name, Consumer<Range> dropUploads) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            String token = fresh();
            switch (closing.begin(name, token)) {
                case NO_SUCH_BUCKET -> {
                    known.remove(name.value());
                    return noSuchBucket(name);
                }
                case OURS -> {
                    RangeMap map = load(name);
                    if (map != null && map.closing().startsWith(token + "@")) {
                        notes.takingAway(map.id(), map.bucket(), map.all(), clock.instant());
                        BucketClosing.Closed closed = closing.close(map, token);
                        known.remove(name.value());
                        if (closed == BucketClosing.Closed.EMPTY) {
                            clear(map.id(), map.bucket(), map.all(), dropUploads);
                            return new Outcome.Done<>(map.bucket());
                        }
                        notes.remove(map.id());
                        if (closed == BucketClosing.Closed.NOT_EMPTY) {
                            return new Outcome.Refused<>(Refusal.BUCKET_NOT_EMPTY, name.value());
                        }
                        map.all().forEach(range -> settle(map, range));
                    }
                }
                case OTHERS -> {}
            }
            if (System.nanoTime() - deadline > 0) {
                throw new NamespaceException(
                        "another gateway deletes the bucket, or its ranges are moving, for too long");
            }
            Cluster.pause(20);
        }
    }

    /** Takes away what a bucket has left that is no more. */
    private void clear(String id, Bucket bucket, Collection<Range> ranges, Consumer<Range> dropUploads) {
        unlist(bucket, id);
        for (Range range : ranges) {
            dropUploads.accept(range);
            cluster.command(redis -> redis.unlink(range.root(), range.records(), range.uploads(), range.changes()));
        }
        notes.remove(id);
    }

    /**
     * Takes away what gateways have left that died while they made a bucket, or took one away.
     *
     * @param dropUploads is told of each range of a bucket that is gone
     */
    void clearLeft(Consumer<Range> dropUploads) {
        for (BucketNotes.Note left : notes.left(clock.instant())) {
            List<byte[]> header = header(left.bucket().name());
            if (!header.isEmpty() && text(header.getFirst()).equals(left.id())) {
                notes.remove(left.id()); // it is there: it was made, or has not been taken away
            } else {
                clear(left.id(), left.bucket(), left.ranges(), dropUploads);
            }
        }
    }

    List<Bucket> list(BucketQuery query) {
        List<Bucket> page = new ArrayList<>();
        String from = query.after().compareTo(query.prefix()) < 0 ? query.prefix() : query.after() + '\1';
        while (page.size() < query.limit()) {
            List<byte[]> members = members(ownerKey(query.owner()), from, query.limit());
            for (byte[] member : members) {
                String text = text(member);
                String name = text.substring(0, text.indexOf('\0'));
                if (!name.startsWith(query.prefix())) {
                    return page;
                }
                List<byte[]> header = header(new BucketName(name));
                if (isOf(text, header) && page.size() < query.limit()) {
                    page.add(bucket(new BucketName(name), header, new byte[0]));
                }
                from = text + '\0';
            }
            if (members.size() < query.limit()) {
                break;
            }
        }
        return page;
    }

    List<BucketName> names(String after, int limit) {
        List<BucketName> names = new ArrayList<>();
        String from = after.isEmpty() ? "" : after + '\1';
        while (names.size() < limit) {
            List<byte[]> members = members(NAMES, from, limit);
            for (byte[] member : members) {
                String text = text(member);
                BucketName name = new BucketName(text.substring(0, text.indexOf('\0')));
                if (isOf(text, header(name)) && names.size() < limit) {
                    names.add(name);
                }
                from = text + '\0';
            }
            if (members.size() < limit) {
                break;
            }
        }
        return names;
    }

    /** What the bucket is, without its ranges; nothing if there is no such bucket. */
    private List<byte[]> header(BucketName name) {
        return cluster.many(Script.BUCKET, keys(name), new byte[] {'-'}, Script.NO);
    }

    /** Whether the index of names means this bucket, not an earlier one of its name. */
    private static boolean isOf(String member, List<byte[]> header) {
        return !header.isEmpty() && member.endsWith('\0' + text(header.getFirst()));
    }

    private List<byte[]> members(byte[] key, String from, int limit) {
        io.lettuce.core.Range<byte[]> range =
                io.lettuce.core.Range.from(Boundary.including(from.getBytes(US_ASCII)), Boundary.unbounded());
        List<byte[]> members = cluster.command(redis -> redis.zrangebylex(key, range, Limit.create(0, limit)));
        return members == null ? List.of() : members;
    }
}
