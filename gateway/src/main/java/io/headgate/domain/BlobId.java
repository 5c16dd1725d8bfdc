package io.headgate.domain;

import java.time.Instant;
import java.util.UUID;

/**
 * The opaque name of a blob: a UUID of version 8 (RFC 9562, section 5.8) whose bits, from the most significant, are
 *
 * <ol>
 *   <li>8 random bits, the <em>fan-out</em>: stores that partition by name see no hot partition, and a directory tree stays level;
 *   <li>32 bits, the second of creation since 1970: blobs made in a window of time can be listed under each of 256 prefixes;
 *   <li>14 bits, the <em>slot</em> (8 bits, the UUID's version, 6 bits);
 *   <li>68 random bits, around the UUID's variant.
 * </ol>
 *
 * Ids order as their text does: by fan-out, then by second.
 */
public record BlobId(UUID uuid) implements Comparable<BlobId> {
    /** How many fan-out values there are. */
    public static final int FAN_OUT = 256;

    /** How many slots there are (Redis Cluster's number). */
    public static final int SLOTS = 16_384;

    /** The greatest second of creation that an id can hold (in the year 2106). */
    public static final long MAX_SECOND = 0xFFFF_FFFFL;

    /** @throws IllegalArgumentException if {@code uuid} is not of version 8 */
    public BlobId {
        if (uuid.version() != 8 || uuid.variant() != 2) {
            throw new IllegalArgumentException("not a blob id: " + uuid);
        }
    }

    /**
     * Composes an id.
     *
     * @param second seconds since 1970, 0 to {@link #MAX_SECOND}
     * @param slot 0 to {@link #SLOTS} - 1
     * @param randomHigh 64 random bits, of which 14 are used
     * @param randomLow 64 random bits, of which 62 are used
     */
    public static BlobId of(long second, int slot, long randomHigh, long randomLow) {
        if (second < 0 || second > MAX_SECOND || slot < 0 || slot >= SLOTS) {
            throw new IllegalArgumentException("second " + second + ", slot " + slot);
        }
        long high = (randomHigh & 0xFFL) << 56
                | second << 24
                | (long) (slot >>> 6) << 16
                | 0x8000L
                | (long) (slot & 0x3F) << 6
                | (randomHigh >>> 8 & 0x3FL);
        long low = 1L << 63 | randomLow >>> 2;
        return new BlobId(new UUID(high, low));
    }

    /**
     * Parses the text that {@link #toString} gives: lower-case hex, 36 characters.
     *
     * @throws IllegalArgumentException if {@code text} is anything else
     */
    public static BlobId parse(String text) {
        BlobId id = new BlobId(UUID.fromString(text));
        if (!id.toString().equals(text)) {
            throw new IllegalArgumentException("not a blob id: " + text);
        }
        return id;
    }

    /** 0 to 255. */
    public int fanOut() {
        return (int) (uuid.getMostSignificantBits() >>> 56);
    }

    /** When the id was made, by the maker's clock, in whole seconds. */
    public Instant createdAt() {
        return Instant.ofEpochSecond(uuid.getMostSignificantBits() >>> 24 & MAX_SECOND);
    }

    /** 0 to {@link #SLOTS} - 1. */
    public int slot() {
        long high = uuid.getMostSignificantBits();
        return (int) (high >>> 16 & 0xFF) << 6 | (int) (high >>> 6 & 0x3F);
    }

    @Override
    public int compareTo(BlobId other) {
        int byHigh = Long.compareUnsigned(uuid.getMostSignificantBits(), other.uuid.getMostSignificantBits());
        return byHigh != 0
                ? byHigh
                : Long.compareUnsigned(uuid.getLeastSignificantBits(), other.uuid.getLeastSignificantBits());
    }

    @Override
    public String toString() {
        return uuid.toString();
    }
}
