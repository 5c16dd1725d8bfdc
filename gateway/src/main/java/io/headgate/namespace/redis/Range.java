package io.headgate.namespace.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An interval of a bucket's keys, which one slot owns.
 *
 * @param low the encoded key that it begins with
 * @param id its own for ever
 * @param epoch changes with its borders and its slot: a script is told it, and refuses to work by another
 */
@SuppressWarnings("ArrayRecordComponent")
record Range(byte[] low, String id, int slot, String epoch) {
    /** As it stands among the bucket's ranges, which so order by their borders. */
    byte[] entry() {
        byte[] rest = (id + ':' + slot + ':' + epoch).getBytes(StandardCharsets.US_ASCII);
        byte[] entry = Arrays.copyOf(low, low.length + 1 + rest.length);
        System.arraycopy(rest, 0, entry, low.length + 1, rest.length);
        return entry;
    }

    static Range parse(byte[] entry) {
        int nul = 0;
        while (entry[nul] != 0) {
            nul++;
        }
        String[] rest = new String(entry, nul + 1, entry.length - nul - 1, StandardCharsets.US_ASCII).split(":", 3);
        return new Range(Arrays.copyOf(entry, nul), rest[0], Integer.parseInt(rest[1]), rest[2]);
    }

    byte[] root() {
        return SlotKeys.key(slot, "r" + id);
    }

    byte[] records() {
        return SlotKeys.key(slot, "o" + id);
    }

    byte[] uploads() {
        return SlotKeys.key(slot, "u" + id);
    }

    byte[] epochBytes() {
        return epoch.getBytes(StandardCharsets.US_ASCII);
    }
}
