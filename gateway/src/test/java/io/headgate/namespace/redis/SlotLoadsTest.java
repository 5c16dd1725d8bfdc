package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Where new ranges go. */
final class SlotLoadsTest {
    /** The most that a range has before it is split. */
    private static final long MOST_OBJECTS = 500_000;

    private static final int BUCKETS = 10_000;
    private static final int RECOUNTED_EVERY = 50;

    @Test
    void after_10000_buckets_of_skewed_sizes_no_slot_has_more_than_its_largest_piece_and_a_little() {
        long[] weighted = fill(new SplittableRandom(1), true);
        long[] uniform = fill(new SplittableRandom(1), false);

        long fullest = Arrays.stream(weighted).max().orElseThrow();
        assertThat(fullest).isLessThan(MOST_OBJECTS * 5 / 4);
        assertThat(Arrays.stream(uniform).max().orElseThrow())
                .as("drawn without weights")
                .isGreaterThan(MOST_OBJECTS * 2);
    }

    /**
     * Sizes from ten thousand to fifty million, a few of which have nearly all; each in pieces as it is split. The splitter knows where it
     * puts them; gateways that make buckets count only now and then.
     */
    private static long[] fill(SplittableRandom random, boolean weighted) {
        long[] objects = new long[Slots.COUNT];
        SlotLoads counted = SlotLoads.NONE;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            long size = (long) Math.min(5e7, Math.pow(random.nextDouble(1e-6, 1), -0.9) * 10_000);
            objects[counted.draw(random)] += Math.min(size, MOST_OBJECTS);
            if (weighted && (size > MOST_OBJECTS || bucket % RECOUNTED_EVERY == 0)) {
                counted = new SlotLoads(objects.clone());
            }
            for (long left = size - MOST_OBJECTS; left > 0; left -= MOST_OBJECTS) {
                int slot = counted.draw(random);
                objects[slot] += Math.min(left, MOST_OBJECTS);
                counted = weighted ? counted.plus(slot, Math.min(left, MOST_OBJECTS)) : counted;
            }
        }
        return objects;
    }

    @Test
    void what_was_counted_is_read_as_it_was_written() {
        long[] objects = new long[Slots.COUNT];
        objects[0] = 7;
        objects[16_383] = 1L << 40;

        SlotLoads read = SlotLoads.read(new SlotLoads(objects).write());

        assertThat(read.of(0)).isEqualTo(7);
        assertThat(read.of(16_383)).isEqualTo(1L << 40);
        assertThat(read.of(1)).isZero();
    }
}
