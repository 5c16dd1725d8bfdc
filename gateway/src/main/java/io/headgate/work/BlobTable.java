package io.headgate.work;

import io.headgate.domain.BlobId;
import java.util.UUID;
import java.util.stream.IntStream;

/** A set of blobs with their sizes and a mark, in 25 bytes a place. Not thread-safe. */
final class BlobTable {
    private static final double LOAD = 0.7;
    private static final byte EMPTY = 0;
    private static final byte LIVE = 1;
    private static final byte GARBAGE = 2;
    private static final byte SEEN = 4;

    /** Where a blob that is not in the table stands. */
    static final int NONE = -1;

    private long[] high;
    private long[] low;
    private long[] size;
    private byte[] state;
    private int count;

    /** @param expected how many blobs there will be, about */
    BlobTable(int expected) {
        int places = Math.max(16, (int) Math.min(Integer.MAX_VALUE - 16, (long) (expected / LOAD) + 1));
        high = new long[places];
        low = new long[places];
        size = new long[places];
        state = new byte[places];
    }

    int count() {
        return count;
    }

    /** Adds a blob; if it is there already, nothing changes. */
    void add(BlobId blob, long sizeBytes, boolean live) {
        if (count >= LOAD * state.length) {
            grow();
        }
        put(
                blob.uuid().getMostSignificantBits(),
                blob.uuid().getLeastSignificantBits(),
                sizeBytes,
                live ? LIVE : GARBAGE);
    }

    private void put(long msb, long lsb, long sizeBytes, byte mark) {
        int at = place(msb, lsb);
        if (state[at] == EMPTY) {
            high[at] = msb;
            low[at] = lsb;
            size[at] = sizeBytes;
            state[at] = mark;
            count++;
        }
    }

    private void grow() {
        long[] oldHigh = high;
        long[] oldLow = low;
        long[] oldSize = size;
        byte[] oldState = state;
        int places = (int) Math.min(Integer.MAX_VALUE - 16, 2L * state.length);
        high = new long[places];
        low = new long[places];
        size = new long[places];
        state = new byte[places];
        count = 0;
        for (int i = 0; i < oldState.length; i++) {
            if (oldState[i] != EMPTY) {
                put(oldHigh[i], oldLow[i], oldSize[i], oldState[i]);
            }
        }
    }

    /** The place of a blob, or the empty one where it would stand. The low bits of an id are random. */
    private int place(long msb, long lsb) {
        int at = Math.floorMod(lsb, state.length);
        while (state[at] != EMPTY && (low[at] != lsb || high[at] != msb)) {
            at = at + 1 == state.length ? 0 : at + 1;
        }
        return at;
    }

    /** Marks a blob as seen and returns its place, or {@link #NONE}. */
    int see(BlobId blob) {
        int at = place(blob.uuid().getMostSignificantBits(), blob.uuid().getLeastSignificantBits());
        if (state[at] == EMPTY) {
            return NONE;
        }
        state[at] |= SEEN;
        return at;
    }

    boolean isLive(int place) {
        return (state[place] & LIVE) != 0;
    }

    long sizeBytes(int place) {
        return size[place];
    }

    BlobId blob(int place) {
        return new BlobId(new UUID(high[place], low[place]));
    }

    /** The places of all blobs that were not seen. */
    int[] unseen() {
        return IntStream.range(0, state.length)
                .filter(place -> state[place] != EMPTY && (state[place] & SEEN) == 0)
                .toArray();
    }
}
