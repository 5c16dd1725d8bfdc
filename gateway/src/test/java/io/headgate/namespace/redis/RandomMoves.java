package io.headgate.namespace.redis;

import io.headgate.domain.BucketName;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.Outcome;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Splits, moves and joins ranges at random. */
final class RandomMoves {
    private static final int MOST_RANGES = 6;

    private final RedisNamespace namespace;
    private final InstantSource clock;
    private final RandomGenerator random;

    RandomMoves(RedisNamespace namespace, InstantSource clock, RandomGenerator random) {
        this.namespace = namespace;
        this.clock = clock;
        this.random = random;
    }

    /** One move, if one is possible; whether one was done. */
    boolean once() {
        List<BucketName> names = namespace.bucketNames("", 100);
        if (names.isEmpty()) {
            return false;
        }
        RangeMap map = namespace.buckets().load(names.get(random.nextInt(names.size())));
        if (map == null) {
            return false;
        }
        List<Range> ranges = List.copyOf(map.all());
        int at = random.nextInt(ranges.size());
        Range range = ranges.get(at);
        return switch (map.hashed() ? 1 : ranges.size() > MOST_RANGES ? 2 : random.nextInt(3)) {
            case 0 -> split(map, range);
            case 1 -> namespace.rangeMoves().move(move(map, range, range.low(), random.nextInt(Slots.COUNT)));
            default -> at + 1 < ranges.size() && join(map, range, ranges.get(at + 1));
        };
    }

    private RangeMove move(RangeMap map, Range range, byte[] border, int slot) {
        String id = Long.toUnsignedString(random.nextLong(), Character.MAX_RADIX);
        return new RangeMove(map.bucket().name(), range, range.movedTo(id, slot, border, clock.instant()));
    }

    private boolean split(RangeMap map, Range range) {
        Optional<byte[]> border = border(map, range);
        return border.isPresent()
                && namespace
                        .rangeMoves()
                        .move(move(
                                map,
                                range,
                                border.get(),
                                random.nextInt(3) == 0 ? range.slot() : random.nextInt(Slots.COUNT)));
    }

    private Optional<byte[]> border(RangeMap map, Range range) {
        List<byte[]> keys = new ArrayList<>();
        ObjectQuery all = new ObjectQuery(map.bucket().name(), "", "", "", 1_000);
        if (namespace.listObjects(all) instanceof Outcome.Done<ObjectPage>(ObjectPage page)) {
            for (ObjectPage.Entry entry : page.entries()) {
                if (entry instanceof ObjectPage.Entry.Current current) {
                    byte[] key = KeyCodec.encode(current.object().key().bytes());
                    if (range.holds(key) && Arrays.compareUnsigned(key, range.low()) > 0) {
                        keys.add(key);
                    }
                }
            }
        }
        return keys.isEmpty() ? Optional.empty() : Optional.of(keys.get(random.nextInt(keys.size())));
    }

    private boolean join(RangeMap map, Range left, Range right) {
        BucketName bucket = map.bucket().name();
        @Nullable RangeMap now = map;
        if (left.slot() != right.slot()) {
            if (!namespace.rangeMoves().move(move(map, right, right.low(), left.slot()))) {
                return false;
            }
            now = namespace.buckets().load(bucket);
        }
        if (now == null) {
            return false;
        }
        Range neighbour = now.atBorder(right.low());
        return namespace.rangeMoves().join(bucket, left, neighbour);
    }
}
