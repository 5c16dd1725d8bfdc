package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketClaim;
import io.headgate.namespace.BucketQuery;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.codec.Codec;
import io.lettuce.core.KeyValue;
import io.lettuce.core.Limit;
import io.lettuce.core.Range.Boundary;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
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
    /** Who closes a bucket and is not done by then has died. */
    private static final Duration CLOSED_BY = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final byte[] YES = {'1'};
    private static final byte[] NO = {'0'};
    private static final byte[] NAMES = SlotKeys.named("N", "buckets");

    private final Cluster cluster;
    private final SlotsInUse slots;
    private final RandomGenerator random;
    private final InstantSource clock;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /** A bucket and its ranges by where they begin. */
    private record Known(Bucket bucket, String id, String closing, NavigableMap<byte[], Range> ranges) {
        Range at(byte[] key) {
            return ranges.floorEntry(key).getValue();
        }
    }

    Buckets(Cluster cluster, SlotsInUse slots, RandomGenerator random, InstantSource clock) {
        this.cluster = cluster;
        this.slots = slots;
        this.random = random;
        this.clock = clock;
    }

    private static byte[] key(BucketName name) {
        return SlotKeys.named("b", name.value());
    }

    private static byte[] rangesKey(BucketName name) {
        return SlotKeys.named("m", name.value());
    }

    private static byte[] ownerKey(String owner) {
        return SlotKeys.named("O", owner.replace('{', '_').replace('}', '_'));
    }

    private String fresh() {
        return Long.toUnsignedString(random.nextLong(), Character.MAX_RADIX);
    }

    /** The index of names says what may be there, the bucket itself whether it is: so it is written first, and cleared last. */
    BucketClaim create(Bucket bucket) {
        String id = fresh();
        Range range = new Range(new byte[0], fresh(), slots.draw(random), "1");
        slots.use(range.slot());
        byte[] member = member(bucket.name().value(), id);
        cluster.command(redis -> redis.hset(
                range.root(),
                Map.of(new byte[] {'e'}, range.epochBytes(), new byte[] {'n'}, NO, new byte[] {'b'}, NO)));
        cluster.command(redis -> redis.zadd(NAMES, 0, member));
        cluster.command(redis -> redis.zadd(ownerKey(bucket.owner()), 0, member));
        List<byte[]> made = cluster.many(
                Script.BUCKET_CREATE,
                new byte[][] {key(bucket.name()), rangesKey(bucket.name())},
                id.getBytes(US_ASCII),
                bucket.owner().getBytes(UTF_8),
                bucket.location().getBytes(UTF_8),
                Long.toString(bucket.createdAt().toEpochMilli()).getBytes(US_ASCII),
                range.entry());
        boolean ours = text(made.getFirst()).equals(id);
        if (!ours) {
            cluster.command(redis -> redis.unlink(range.root()));
            cluster.command(redis -> redis.zrem(NAMES, member));
            cluster.command(redis -> redis.zrem(ownerKey(bucket.owner()), member));
        }
        known.remove(bucket.name().value());
        return new BucketClaim(bucket(bucket.name(), made), ours);
    }

    private static Bucket bucket(BucketName name, List<byte[]> fields) {
        return new Bucket(
                name,
                text(fields.get(1)),
                text(fields.get(2)),
                Instant.ofEpochMilli(Long.parseLong(text(fields.get(3)))));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    private static byte[] member(String name, String id) {
        return (name + '\0' + id).getBytes(US_ASCII);
    }

    Optional<Bucket> find(BucketName name) {
        return Optional.ofNullable(load(name)).map(Known::bucket);
    }

    private @Nullable Known load(BucketName name) {
        List<byte[]> answer = page(name, new byte[] {'-'});
        if (answer.isEmpty()) {
            known.remove(name.value());
            return null;
        }
        NavigableMap<byte[], Range> ranges = new TreeMap<>(Arrays::compareUnsigned);
        List<byte[]> page = answer.subList(5, answer.size());
        while (true) {
            page.forEach(entry -> {
                Range range = Range.parse(entry);
                ranges.put(range.low(), range);
            });
            if (page.size() < RANGES_A_PAGE) {
                break;
            }
            byte[] last = page.getLast();
            byte[] after = new byte[last.length + 1];
            after[0] = '(';
            System.arraycopy(last, 0, after, 1, last.length);
            List<byte[]> more = page(name, after);
            if (more.isEmpty()) {
                return null;
            }
            page = more.subList(5, more.size());
        }
        Known found = new Known(bucket(name, answer), text(answer.getFirst()), text(answer.get(4)), ranges);
        if (known.size() >= MOST_KNOWN) {
            known.clear();
        }
        known.put(name.value(), found);
        return found;
    }

    private List<byte[]> page(BucketName name, byte[] from) {
        return cluster.many(
                Script.BUCKET,
                new byte[][] {key(name), rangesKey(name)},
                from,
                Integer.toString(RANGES_A_PAGE).getBytes(US_ASCII));
    }

    /**
     * Does something in the range of the key, as often as it answers that the range has moved.
     *
     * @param work answers null for that
     * @return null if there is no such bucket
     */
    <T> @Nullable T inRange(BucketName name, byte[] key, Function<Range, @Nullable T> work) {
        Known map = known.get(name.value());
        if (map == null) {
            map = load(name);
        }
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (long pause = 0; map != null; pause = Math.min(50, pause + 1)) {
            T answer = work.apply(map.at(key));
            if (answer != null) {
                return answer;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new NamespaceException("the range of a key is moving for too long");
            }
            Cluster.pause(pause);
            map = load(name);
            if (map != null && !map.closing.isEmpty()) {
                reopenIfAbandoned(name, map);
            }
        }
        return null;
    }

    /** Where the key's range lies as far as is known; empty of a bucket that is not known. */
    OptionalInt slotOf(BucketName name, byte[] key) {
        Known map = known.get(name.value());
        return map == null ? OptionalInt.empty() : OptionalInt.of(map.at(key).slot());
    }

    /** Where the range that comes next begins, as far as is known; null if none does. */
    byte @Nullable [] endOf(BucketName name, Range range) {
        Known map = known.get(name.value());
        return map == null ? null : map.ranges.higherKey(range.low());
    }

    /** Whether a script's answer says that the range has moved. */
    static boolean isMoved(byte @Nullable [] answer) {
        return answer != null && answer.length == 1 && answer[0] == 'm';
    }

    Outcome<BucketUsage> usage(BucketName name) {
        while (true) {
            Known map = load(name);
            if (map == null) {
                return noSuchBucket(name);
            }
            long objects = 0;
            long bytes = 0;
            boolean moved = false;
            for (Range range : map.ranges.values()) {
                List<KeyValue<byte[], byte[]>> root = cluster.command(
                        redis -> redis.hmget(range.root(), new byte[] {'e'}, new byte[] {'n'}, new byte[] {'b'}));
                if (root == null
                        || !root.getFirst().hasValue()
                        || (map.closing.isEmpty()
                                && !text(root.getFirst().getValue()).equals(range.epoch()))) {
                    moved = true;
                    break;
                }
                objects += Long.parseLong(text(root.get(1).getValue()));
                bytes += Long.parseLong(text(root.get(2).getValue()));
            }
            if (!moved) {
                return new Outcome.Done<>(new BucketUsage(objects, bytes));
            }
            Cluster.pause(1);
        }
    }

    static <T> Outcome<T> noSuchBucket(BucketName name) {
        return new Outcome.Refused<>(Refusal.NO_SUCH_BUCKET, name.value());
    }

    /**
     * Closes the ranges one by one, as long as they are empty. Only when all are closed the bucket goes; until then whoever meets a
     * closed range waits, and opens all again if this gateway seems to have died.
     *
     * @param dropUploads is told of each range of a bucket that is gone
     */
    Outcome<Bucket> delete(BucketName name, Consumer<Range> dropUploads) {
        String token = fresh();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Instant now = clock.instant();
            byte[] mine = cluster.one(
                    Script.BUCKET_CLOSE,
                    new byte[][] {key(name)},
                    token.getBytes(US_ASCII),
                    Long.toString(now.toEpochMilli()).getBytes(US_ASCII),
                    Long.toString(now.minus(CLOSED_BY).toEpochMilli()).getBytes(US_ASCII));
            if (mine == null) {
                known.remove(name.value());
                return noSuchBucket(name);
            }
            Known map = load(name);
            if (mine[0] == '1'
                    && map != null
                    && text(map.closing.getBytes(US_ASCII)).startsWith(token + "@")) {
                return close(name, map, token, dropUploads);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new NamespaceException("another gateway is deleting the bucket");
            }
            Cluster.pause(20);
        }
    }

    private Outcome<Bucket> close(BucketName name, Known map, String token, Consumer<Range> dropUploads) {
        boolean empty = true;
        for (Range range : map.ranges.values()) {
            empty = empty && text(move(range, range.epoch(), closed(range))).equals("1");
        }
        if (!empty) {
            open(map);
        }
        byte[] ended = cluster.one(
                Script.BUCKET_END,
                new byte[][] {key(name), rangesKey(name)},
                token.getBytes(US_ASCII),
                empty ? YES : NO);
        known.remove(name.value());
        if (ended == null || ended[0] != '1') {
            throw new NamespaceException("the deletion of a bucket was overtaken");
        }
        if (!empty) {
            return new Outcome.Refused<>(Refusal.BUCKET_NOT_EMPTY, name.value());
        }
        byte[] member = member(name.value(), map.id);
        cluster.command(redis -> redis.zrem(NAMES, member));
        cluster.command(redis -> redis.zrem(ownerKey(map.bucket.owner()), member));
        for (Range range : map.ranges.values()) {
            dropUploads.accept(range);
            cluster.command(redis -> redis.unlink(range.root(), range.records(), range.uploads()));
        }
        return new Outcome.Done<>(map.bucket);
    }

    private static String closed(Range range) {
        return "x" + range.epoch();
    }

    private byte[] move(Range range, String from, String to) {
        byte[] answer = cluster.one(
                Script.RANGE_CLOSE, new byte[][] {range.root()}, from.getBytes(US_ASCII), to.getBytes(US_ASCII));
        if (answer == null) {
            throw Codec.corrupt();
        }
        return answer;
    }

    private void open(Known map) {
        map.ranges.values().forEach(range -> move(range, closed(range), range.epoch()));
    }

    private void reopenIfAbandoned(BucketName name, Known map) {
        int at = map.closing.lastIndexOf('@');
        String token = map.closing.substring(0, at);
        Instant since = Instant.ofEpochMilli(Long.parseLong(map.closing.substring(at + 1)));
        if (since.plus(CLOSED_BY).isAfter(clock.instant())) {
            return;
        }
        open(map);
        cluster.one(Script.BUCKET_END, new byte[][] {key(name), rangesKey(name)}, token.getBytes(US_ASCII), NO);
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
                Known bucket = load(new BucketName(name));
                if (bucket != null && text.endsWith('\0' + bucket.id) && page.size() < query.limit()) {
                    page.add(bucket.bucket);
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
                Known bucket = load(name);
                if (bucket != null && text.endsWith('\0' + bucket.id) && names.size() < limit) {
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

    private List<byte[]> members(byte[] key, String from, int limit) {
        io.lettuce.core.Range<byte[]> range =
                io.lettuce.core.Range.from(Boundary.including(from.getBytes(US_ASCII)), Boundary.unbounded());
        List<byte[]> members = cluster.command(redis -> redis.zrangebylex(key, range, Limit.create(0, limit)));
        return members == null ? List.of() : members;
    }
}
