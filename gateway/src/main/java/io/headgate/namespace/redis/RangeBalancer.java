package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BucketName;
import io.headgate.namespace.NamespaceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps ranges of a size, and slots evenly filled: each gateway tells what its ranges were asked, and the one that has the lease splits
 * what is too big or asked too often, moves the pieces to slots that have little, and joins small neighbours that nobody asks for. It also
 * takes away what gateways have left of buckets. To be called by one thread.
 */
final class RangeBalancer {
    private static final Logger LOG = LoggerFactory.getLogger(RangeBalancer.class);
    static final Duration TURN = Duration.ofSeconds(10);
    private static final String LEASE = "ranges";
    private static final Duration LEASED = Duration.ofSeconds(60);
    private static final byte[] HEAT = SlotKeys.named("H", "heat");
    private static final byte[] LOADS = SlotKeys.named("W", "loads");
    /** Buckets that are looked at in a turn: of more than these, each has its turn later. */
    private static final int BUCKETS_A_TURN = 1_000;
    /** Moves in a turn, so that what gateways tell is never older than a few of them. */
    private static final int MOST_MOVES = 8;
    /** Pairs of neighbours of which is found out in a turn whether they can be joined. */
    private static final int MOST_LOOKS = 100;
    /** After which a range is looked at again that has too many uploads to be joined. */
    private static final Duration NOT_JOINED_FOR = Duration.ofHours(1);
    /** A hot range is one that has this share of what it may be asked; the others are not told of. */
    private static final int TOLD_SHARE = 20;

    private final Cluster cluster;
    private final Buckets buckets;
    private final Uploads uploads;
    private final RangeMoves moves;
    private final RangeHeat heat;
    private final SlotsInUse slots;
    private final Fleet fleet;
    private final RangeLimits limits;
    private final RandomGenerator random;
    private final InstantSource clock;
    /** Ranges that cannot be joined with the one before, and until when they are left alone; by their ids. */
    private final Map<String, Instant> notJoined = new HashMap<>();

    private Instant toldAt;
    /** After which bucket to go on, and what slots hold of those before it. */
    private String after = "";

    private long[] counted = new long[Slots.COUNT];

    RangeBalancer(
            Cluster cluster,
            Buckets buckets,
            Uploads uploads,
            RangeMoves moves,
            RangeHeat heat,
            SlotsInUse slots,
            Fleet fleet,
            RangeLimits limits,
            RandomGenerator random,
            InstantSource clock) {
        this.cluster = cluster;
        this.buckets = buckets;
        this.uploads = uploads;
        this.moves = moves;
        this.heat = heat;
        this.slots = slots;
        this.fleet = fleet;
        this.limits = limits;
        this.random = random;
        this.clock = clock;
        this.toldAt = clock.instant();
    }

    /** One range, and how full and hot it was. */
    private record Seen(BucketName bucket, Range range, long objects, double requestsPerSecond, List<byte[]> samples) {}

    /** Does a bounded piece of the work. */
    void turn(String gateway, Instant now) {
        tell(gateway, now);
        if (!fleet.lease(LEASE, gateway, now, now.plus(LEASED))) {
            slots.learn(loads());
            return;
        }
        Runnable renewal = renewal(gateway, now);
        moves.recover();
        renewal.run();
        buckets.clearLeft(range -> uploads.dropAll(range, now));
        renewal.run();
        Map<String, Told> told = told(now);
        List<RangeMove> splits = new ArrayList<>();
        List<Seen[]> neighbours = new ArrayList<>();
        told.forEach((id, one) -> {
            if (one.requestsPerSecond > limits.maxRequestsPerSecond()) {
                lookAtHot(id, one, splits, now);
            }
        });
        survey(told, splits, neighbours, now);
        renewal.run();
        int left = MOST_MOVES;
        for (RangeMove split : splits.subList(0, Math.min(left, splits.size()))) {
            if (moves.move(split, renewal)) {
                LOG.info(
                        "A part of a range of the bucket {} has its own slot {}",
                        split.bucket().value(),
                        split.target().slot());
            }
            left--;
        }
        for (Seen[] pair : joinable(neighbours, left, now)) {
            join(pair[0], pair[1], now, renewal);
        }
    }

    /** At most so many pairs that can be joined. One that cannot takes no other's place, and is not looked at again for a while. */
    private List<Seen[]> joinable(List<Seen[]> neighbours, int most, Instant now) {
        notJoined.values().removeIf(until -> !until.isAfter(now));
        List<Seen[]> found = new ArrayList<>();
        int looks = 0;
        for (Seen[] pair : neighbours) {
            if (found.size() == most || looks == MOST_LOOKS) {
                break;
            }
            Range second = pair[1].range;
            if (!notJoined.containsKey(second.id())) {
                looks++;
                if (moves.isSmallEnoughToJoin(second)) {
                    found.add(pair);
                } else {
                    notJoined.put(second.id(), now.plus(NOT_JOINED_FOR));
                }
            }
        }
        return found;
    }

    /** Keeps the lease while a large range is copied: another would undo that. */
    private Runnable renewal(String gateway, Instant leasedAt) {
        Instant[] last = {leasedAt};
        return () -> {
            Instant now = clock.instant();
            if (Duration.between(last[0], now).compareTo(LEASED.dividedBy(3)) > 0) {
                if (!fleet.lease(LEASE, gateway, now, now.plus(LEASED))) {
                    throw new NamespaceException("another gateway moves ranges now");
                }
                last[0] = now;
            }
        };
    }

    private SlotLoads loads() {
        byte[] known = cluster.command(redis -> redis.get(LOADS));
        return known == null ? SlotLoads.NONE : SlotLoads.read(known);
    }

    /** What gateways have told of a range. */
    private record Told(BucketName bucket, double requestsPerSecond, List<byte[]> samples) {
        Told plus(Told other) {
            List<byte[]> both = new ArrayList<>(samples);
            both.addAll(other.samples);
            both.sort(Arrays::compareUnsigned);
            return new Told(bucket, requestsPerSecond + other.requestsPerSecond, both);
        }
    }

    private void tell(String gateway, Instant now) {
        double seconds = Math.max(0.001, Duration.between(toldAt, now).toMillis() / 1_000.0);
        toldAt = now;
        Map<String, RangeHeat.Asked> asked =
                heat.take((long) Math.ceil(limits.maxRequestsPerSecond() * seconds / TOLD_SHARE));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(now.toEpochMilli());
            out.writeInt(asked.size());
            for (Map.Entry<String, RangeHeat.Asked> one : asked.entrySet()) {
                out.writeUTF(one.getKey());
                out.writeUTF(one.getValue().bucket().value());
                out.writeDouble(one.getValue().requests() / seconds);
                out.writeShort(one.getValue().samples().size());
                for (byte[] sample : one.getValue().samples()) {
                    out.writeShort(sample.length);
                    out.write(sample);
                }
            }
        } catch (IOException never) {
            throw new IllegalStateException(never);
        }
        cluster.command(redis -> redis.hset(HEAT, gateway.getBytes(US_ASCII), bytes.toByteArray()));
    }

    /** By the ids of ranges; what gateways that have died had told is forgotten. */
    private Map<String, Told> told(Instant now) {
        Map<byte[], byte[]> all = cluster.command(redis -> redis.hgetall(HEAT));
        Map<String, Told> sum = new HashMap<>();
        if (all == null) {
            return sum;
        }
        all.forEach((gateway, bytes) -> {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
                if (in.readLong() < now.minus(TURN.multipliedBy(3)).toEpochMilli()) {
                    cluster.command(redis -> redis.hdel(HEAT, gateway));
                    return;
                }
                for (int ranges = in.readInt(); ranges > 0; ranges--) {
                    String id = in.readUTF();
                    BucketName bucket = new BucketName(in.readUTF());
                    double requests = in.readDouble();
                    List<byte[]> samples = new ArrayList<>();
                    for (int left = in.readShort(); left > 0; left--) {
                        samples.add(in.readNBytes(in.readUnsignedShort()));
                    }
                    sum.merge(id, new Told(bucket, requests, samples), Told::plus);
                }
            } catch (IOException broken) {
                throw new NamespaceException("what a gateway told of its ranges cannot be read", broken);
            }
        });
        return sum;
    }

    /** How often ranges were asked lately, by their ids; those that were asked seldom are missing. */
    Map<String, Double> requestsPerSecond() {
        Map<String, Double> known = new HashMap<>();
        told(clock.instant()).forEach((id, told) -> known.put(id, told.requestsPerSecond));
        return known;
    }

    private void lookAtHot(String id, Told told, List<RangeMove> splits, Instant now) {
        RangeMap map = buckets.load(told.bucket);
        if (map != null) {
            for (Range range : map.all()) {
                if (range.id().equals(id)) {
                    split(look(map, range, told), now).ifPresent(splits::add);
                }
            }
        }
    }

    /** Looks at the ranges of some buckets, and then at those of the next; when all have been, what slots hold is known. */
    private void survey(Map<String, Told> told, List<RangeMove> splits, List<Seen[]> neighbours, Instant now) {
        List<BucketName> names = buckets.names(after, BUCKETS_A_TURN);
        for (List<Seen> ranges : cluster.each(names, name -> lookAt(name, told))) {
            Seen before = null;
            for (Seen seen : ranges) {
                counted[seen.range.slot()] += seen.objects;
                if (seen.requestsPerSecond <= limits.maxRequestsPerSecond()) { // the others have been looked at
                    split(seen, now).ifPresent(splits::add);
                }
                if (before != null && areToBeJoined(before, seen)) {
                    neighbours.add(new Seen[] {before, seen});
                    before = null;
                } else {
                    before = seen;
                }
            }
        }
        if (names.size() == BUCKETS_A_TURN) {
            after = names.getLast().value();
            return;
        }
        SlotLoads loads = new SlotLoads(counted);
        cluster.command(redis -> redis.set(LOADS, loads.write()));
        slots.learn(loads);
        after = "";
        counted = new long[Slots.COUNT];
    }

    private List<Seen> lookAt(BucketName name, Map<String, Told> told) {
        RangeMap map = buckets.load(name);
        if (map == null) {
            return List.of();
        }
        Told nothing = new Told(name, 0, List.of());
        return map.all().stream()
                .map(range -> look(map, range, told.getOrDefault(range.id(), nothing)))
                .toList();
    }

    private Seen look(RangeMap map, Range range, Told asked) {
        RangeRoot root = RangeRoot.read(cluster, range);
        if (!root.isKnownBy(range.epoch()) || root.isFrozen()) {
            moves.settle(map, range);
        }
        moves.note(map.bucket().name(), range, root); // nobody else moves ranges now
        return new Seen(map.bucket().name(), range, root.objects(), asked.requestsPerSecond, asked.samples);
    }

    private boolean areToBeJoined(Seen left, Seen right) {
        return !left.range.hashed()
                && left.objects + right.objects <= limits.joinObjects()
                && left.requestsPerSecond + right.requestsPerSecond <= limits.maxRequestsPerSecond() / 10.0;
    }

    /** How the range is to be split, if it is: where half of its keys are, or half of those that it is asked for. */
    private Optional<RangeMove> split(Seen seen, Instant now) {
        boolean big = seen.objects > limits.maxObjects();
        boolean hot = seen.requestsPerSecond > limits.maxRequestsPerSecond();
        if (!big && !hot) {
            return Optional.empty();
        }
        Range range = seen.range;
        if (range.hashed()) { // stays what it is, but need not share its slot
            return hot || slots.loads().of(range.slot()) - seen.objects <= limits.maxObjects() / 2
                    ? Optional.empty()
                    : Optional.of(moving(seen, range.low(), now));
        }
        byte[] border = hot ? ofHalf(seen.samples, range) : middle(range);
        if (border.length == 0 && big) {
            border = middle(range);
        }
        return border.length == 0 || !range.holds(border) || Arrays.equals(border, range.low())
                ? Optional.empty()
                : Optional.of(moving(seen, border, now));
    }

    /** To a slot that counts as that much fuller from now on, as the next is drawn before it is counted again. */
    private RangeMove moving(Seen seen, byte[] border, Instant now) {
        String id = Long.toUnsignedString(random.nextLong(), Character.MAX_RADIX);
        int slot = slots.draw(random);
        slots.learn(slots.loads().plus(slot, seen.objects / 2));
        return new RangeMove(seen.bucket, seen.range, seen.range.movedTo(id, slot, border, now));
    }

    /** The first sample of the upper half that is not the first of all; empty if all are the same. */
    private static byte[] ofHalf(List<byte[]> samples, Range range) {
        List<byte[]> own = samples.stream().filter(range::holds).toList();
        for (int i = own.size() / 2; i < own.size(); i++) {
            if (!Arrays.equals(own.get(i), own.getFirst())) {
                return own.get(i);
            }
        }
        return Blobs.NOTHING;
    }

    /** The first key of the group in the middle; empty if there are too few. */
    private byte[] middle(Range range) {
        Long groups = cluster.command(redis -> redis.zcard(range.records()));
        if (groups == null || groups < 2) {
            return Blobs.NOTHING;
        }
        List<byte[]> group = cluster.command(redis -> redis.zrange(range.records(), groups / 2, groups / 2));
        if (group == null || group.isEmpty()) {
            return Blobs.NOTHING;
        }
        byte[][] first = new byte[1][];
        Groups.readOne(group.getFirst(), 0, (key, record) -> first[0] = key);
        return first[0];
    }

    private void join(Seen left, Seen right, Instant now, Runnable renewal) {
        Range second = right.range;
        if (left.range.slot() != second.slot()) {
            String id = Long.toUnsignedString(random.nextLong(), Character.MAX_RADIX);
            Range moved = second.movedTo(id, left.range.slot(), second.low(), now);
            if (!moves.move(new RangeMove(right.bucket, second, moved), renewal)) {
                return;
            }
            second = moved;
        }
        if (moves.join(left.bucket, left.range, second)) {
            LOG.info("Two small ranges of the bucket {} are one", left.bucket.value());
        }
    }
}
