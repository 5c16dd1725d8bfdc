package io.headgate.namespace.redis;

import io.headgate.namespace.codec.Codec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * How many objects each slot has, and where the next range should go: a slot is drawn the less often the fuller it is. Immutable.
 */
final class SlotLoads {
    static final SlotLoads NONE = new SlotLoads(new long[Slots.COUNT]);

    /** After these the last one is taken. */
    private static final int MOST_TRIES = 200;

    private static final int ENTRY_BYTES = 10;

    private final long[] objects;
    private final double average;

    /** @param objects of each slot; not to be changed afterwards */
    SlotLoads(long[] objects) {
        this.objects = objects;
        this.average = Math.max(1, (double) Arrays.stream(objects).sum() / Slots.COUNT);
    }

    long of(int slot) {
        return objects[slot];
    }

    /** With so many more in the slot. */
    SlotLoads plus(int slot, long more) {
        long[] then = objects.clone();
        then[slot] += more;
        return new SlotLoads(then);
    }

    /**
     * A slot: all that have no more than the average alike, one that has twice as much a sixteenth as often, and so on. As sizes are
     * skewed, most slots have less than the average, so few draws are needed.
     */
    int draw(RandomGenerator random) {
        int slot = random.nextInt(Slots.COUNT);
        for (int tries = 1; tries < MOST_TRIES; tries++) {
            double share = average / Math.max(average, (double) objects[slot]);
            if (random.nextDouble() < share * share * share * share) {
                return slot;
            }
            slot = random.nextInt(Slots.COUNT);
        }
        return slot;
    }

    /** Those that have any: two bytes of the slot, eight of how many. */
    byte[] write() {
        int used = (int) Arrays.stream(objects).filter(count -> count > 0).count();
        ByteBuffer out = ByteBuffer.allocate(used * ENTRY_BYTES);
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            if (objects[slot] > 0) {
                out.putShort((short) slot).putLong(objects[slot]);
            }
        }
        return out.array();
    }

    static SlotLoads read(byte[] bytes) {
        if (bytes.length % ENTRY_BYTES != 0) {
            throw Codec.corrupt();
        }
        long[] objects = new long[Slots.COUNT];
        ByteBuffer in = ByteBuffer.wrap(bytes);
        while (in.hasRemaining()) {
            int slot = in.getShort() & 0xFFFF;
            objects[slot % Slots.COUNT] = in.getLong();
        }
        return new SlotLoads(objects);
    }
}
