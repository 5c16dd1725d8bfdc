package io.headgate.region;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which nonces were taken, for as long as their requests could be sent again. They are kept by the time that they carry, and go with it.
 * Of each 64 bits are kept, in an open table of longs. Thread-safe.
 */
final class NonceMemory {
    private static final long SPAN_MILLIS = 10_000;
    private static final int FIRST_SLOTS = 1024;

    private final long toleranceMillis;
    private final int maxNonces;
    private final Map<Long, Span> spans = new TreeMap<>();
    private int count;
    /** Spans before this one were forgotten, and stay refused should the clock be set back. */
    private long oldest = Long.MIN_VALUE;

    /** What became of a nonce. */
    enum Taken {
        NEW,
        SEEN,
        /** There is no room to remember it, so that it could be sent again. */
        NO_ROOM
    }

    /** @param toleranceMillis how far a request's time may lie from the clock, either way */
    NonceMemory(long toleranceMillis, int maxNonces) {
        this.toleranceMillis = toleranceMillis;
        this.maxNonces = maxNonces;
    }

    /** Takes a nonce of a request whose time lies within the tolerance. */
    synchronized Taken take(long nonce, long timeMillis, long nowMillis) {
        forget(nowMillis);
        long begin = Math.floorDiv(timeMillis, SPAN_MILLIS);
        if (begin < oldest) {
            return Taken.SEEN;
        }
        Span span = spans.computeIfAbsent(begin, ignored -> new Span());
        if (span.contains(nonce)) {
            return Taken.SEEN;
        }
        if (count == maxNonces) {
            return Taken.NO_ROOM;
        }
        span.add(nonce);
        count++;
        return Taken.NEW;
    }

    private void forget(long nowMillis) {
        oldest = Math.max(oldest, Math.floorDiv(nowMillis - toleranceMillis, SPAN_MILLIS));
        for (Iterator<Map.Entry<Long, Span>> each = spans.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Long, Span> next = each.next();
            if (next.getKey() >= oldest) {
                return;
            }
            count -= next.getValue().size;
            each.remove();
        }
    }

    /** The nonces of one span of time: a hash table of which at most half is used; 0 marks a free slot. */
    private static final class Span {
        private long[] slots = new long[FIRST_SLOTS];
        private int size;

        boolean contains(long nonce) {
            return slots[slot(slots, nonZero(nonce))] != 0;
        }

        void add(long nonce) {
            if (2 * (size + 1) > slots.length) {
                long[] larger = new long[2 * slots.length];
                for (long old : slots) {
                    if (old != 0) {
                        larger[slot(larger, old)] = old;
                    }
                }
                slots = larger;
            }
            slots[slot(slots, nonZero(nonce))] = nonZero(nonce);
            size++;
        }

        /** Where it is, or the free slot where it belongs. Nonces are random, so their own bits spread them. */
        private static int slot(long[] slots, long nonce) {
            int at = (int) nonce & (slots.length - 1);
            while (slots[at] != 0 && slots[at] != nonce) {
                at = (at + 1) & (slots.length - 1);
            }
            return at;
        }

        private static long nonZero(long nonce) {
            return nonce == 0 ? 1 : nonce;
        }
    }
}
