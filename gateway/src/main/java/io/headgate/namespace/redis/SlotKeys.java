package io.headgate.namespace.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.random.RandomGenerator;

/** The names of what Redis holds. A slot's own keys come first in each script that changes the slot, in the order of {@code slot.lua}. */
final class SlotKeys {
    /** How long the writes of a time are kept together. */
    private static final long WRITES_MILLIS = 120_000;

    private SlotKeys() {}

    /** The eight keys of a slot, and room for more. */
    static byte[][] of(int slot, Instant now, byte[]... more) {
        long period = Math.floorDiv(now.toEpochMilli(), WRITES_MILLIS);
        byte[][] keys = new byte[8 + more.length][];
        keys[0] = key(slot, "B");
        keys[1] = key(slot, "h");
        keys[2] = key(slot, "g");
        keys[3] = key(slot, "a");
        keys[4] = key(slot, "w" + period % 4);
        keys[5] = key(slot, "w" + (period + 3) % 4);
        keys[6] = key(slot, "t");
        keys[7] = key(slot, "q");
        System.arraycopy(more, 0, keys, 8, more.length);
        return keys;
    }

    static byte[] key(int slot, String name) {
        return ('{' + Slots.tag(slot) + '}' + name).getBytes(StandardCharsets.UTF_8);
    }

    /** A key that lies where its name's hash says. */
    static byte[] named(String kind, String name) {
        return (kind + '{' + name + '}').getBytes(StandardCharsets.UTF_8);
    }

    /** Beside a key that lies where its name's hash says: where one operation on it is remembered, for as long as it may be sent again. */
    static byte[] ofOperation(byte[] named, RandomGenerator random) {
        String operation = "%016x%016x".formatted(random.nextLong(), random.nextLong());
        return (new String(named, StandardCharsets.UTF_8) + operation).getBytes(StandardCharsets.UTF_8);
    }
}
