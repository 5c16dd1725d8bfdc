package io.headgate.namespace.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An interval of a bucket's keys, or of their hashes, which one slot owns.
 *
 * @param low the encoded key, or the hash, that it begins with
 * @param end where the next begins; null for the last
 * @param id its own for ever
 * @param epoch a number that grows with each change of its borders: a script is told it, and refuses to work by another
 * @param hashed whether the interval is one of hashes
 * @param origins slots that its keys were moved from lately, where writes to them may be remembered still: {@code slot@millis}, with
 *     commas between
 */
@SuppressWarnings("ArrayRecordComponent")
record Range(byte[] low, byte @Nullable [] end, String id, int slot, long epoch, boolean hashed, String origins) {
    /** @throws IllegalArgumentException for a border with a NUL, which would end it where it is kept */
    Range {
        for (byte b : low) {
            if (b == 0) {
                throw new IllegalArgumentException("a border holds no NUL");
            }
        }
    }

    /** For how long a slot remembers what came of a write. */
    static final Duration REMEMBERED = Duration.ofMinutes(6);

    /** As it stands among the bucket's ranges, which so order by their borders. */
    byte[] entry() {
        byte[] rest = (id + ':' + slot + ':' + epoch + ':' + origins).getBytes(StandardCharsets.US_ASCII);
        byte[] entry = Arrays.copyOf(low, low.length + 1 + rest.length);
        System.arraycopy(rest, 0, entry, low.length + 1, rest.length);
        return entry;
    }

    /** Whose end is not known. */
    static Range parse(byte[] entry, boolean hashed) {
        int nul = 0;
        while (entry[nul] != 0) {
            nul++;
        }
        String[] rest = new String(entry, nul + 1, entry.length - nul - 1, StandardCharsets.US_ASCII).split(":", 4);
        return new Range(
                Arrays.copyOf(entry, nul),
                null,
                rest[0],
                Integer.parseInt(rest[1]),
                Long.parseLong(rest[2]),
                hashed,
                rest[3]);
    }

    Range endingAt(byte @Nullable [] border) {
        return new Range(low, border, id, slot, epoch, hashed, origins);
    }

    /** The same with other borders. */
    Range next(byte @Nullable [] border) {
        return new Range(low, border, id, slot, epoch + 1, hashed, origins);
    }

    /** Whether it has the same borders and lies in the same slot. */
    boolean isSame(Range other) {
        return id.equals(other.id) && epoch == other.epoch;
    }

    /** Whether the encoded key is one of the range. */
    boolean holds(byte[] key) {
        byte[] place = hashed ? KeyHash.of(key) : key;
        return Arrays.compareUnsigned(low, place) <= 0 && (end == null || Arrays.compareUnsigned(place, end) < 0);
    }

    /** The encoded key behind all of the range: its end, or null if it has none among keys. */
    byte @Nullable [] lastKey() {
        return hashed ? null : end;
    }

    /** The slots that keys were moved from after that time, as far as that is kept. */
    Set<Integer> originsSince(Instant time) {
        return younger(time)
                .map(origin -> Integer.valueOf(origin.substring(0, origin.indexOf('@'))))
                .collect(Collectors.toSet());
    }

    private Stream<String> younger(Instant time) {
        return origins.isEmpty()
                ? Stream.empty()
                : Stream.of(origins.split(",", -1))
                        .filter(origin ->
                                Long.parseLong(origin.substring(origin.indexOf('@') + 1)) >= time.toEpochMilli());
    }

    /** This one with what the next has, which lies in the same slot. */
    Range joinedWith(Range following, Instant now) {
        Instant since = now.minus(REMEMBERED);
        String both = Stream.concat(younger(since), following.younger(since))
                .distinct()
                .collect(Collectors.joining(","));
        return new Range(low, following.end, id, slot, epoch + 1, hashed, both);
    }

    /** All of it from that border on, in another slot. */
    Range movedTo(String newId, int newSlot, byte[] border, Instant now) {
        String all = Stream.concat(younger(now.minus(REMEMBERED)), Stream.of(slot + "@" + now.toEpochMilli()))
                .collect(Collectors.joining(","));
        return new Range(border, end, newId, newSlot, 1, hashed, all);
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

    /** Objects and uploads that have changed while a part of the range is copied. */
    byte[] changes() {
        return SlotKeys.key(slot, "y" + id);
    }

    byte[] epochBytes() {
        return Script.number(epoch);
    }
}
