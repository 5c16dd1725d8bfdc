package io.headgate.namespace.redis;

import io.headgate.domain.BlobId;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;

/**
 * A hash tag for each slot: a key that holds it in braces lies in that slot.
 *
 * @see <a href="https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/">Redis Cluster specification: hash tags</a>
 */
final class Slots {
    static final int COUNT = BlobId.SLOTS;

    private static final String[] TAGS = tags();

    private Slots() {}

    /** The slot's tag, without braces: the same for ever. */
    static String tag(int slot) {
        return TAGS[slot];
    }

    /** Where a name that is its own tag lies. */
    static int of(String name) {
        return SlotHash.getSlot(name.getBytes(StandardCharsets.UTF_8));
    }

    /** For each slot the first of the numbers that, in base 36, lies in it. */
    private static String[] tags() {
        String[] tags = new String[COUNT];
        int found = 0;
        for (int number = 0; found < COUNT; number++) {
            String tag = Integer.toString(number, Character.MAX_RADIX);
            int slot = of(tag);
            if (tags[slot] == null) {
                tags[slot] = tag;
                found++;
            }
        }
        return tags;
    }
}
