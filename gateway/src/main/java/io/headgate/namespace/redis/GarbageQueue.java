package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.namespace.Garbage;
import io.headgate.namespace.codec.Codec;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The garbage of all slots, in the order in which it was queued. Thread-safe. */
final class GarbageQueue {
    private static final int GARBAGE_PAGE = 64;
    private static final int MEMBER_ID = 8;

    private final Cluster cluster;
    private final Blobs blobs;
    private final AccountNumbers accounts;
    private final SlotsInUse slots;

    GarbageQueue(Cluster cluster, Blobs blobs, AccountNumbers accounts, SlotsInUse slots) {
        this.cluster = cluster;
        this.blobs = blobs;
        this.accounts = accounts;
        this.slots = slots;
    }

    /** The garbage of one slot, page by page. */
    private final class SlotGarbage {
        final int slot;
        private final String account;
        private final byte[] number;
        private final byte[] before;
        private byte[] last;
        private List<Garbage> page = List.of();
        private int at;
        private boolean more = true;

        SlotGarbage(int slot, String account, byte[] last, byte[] before) {
            this.slot = slot;
            this.account = account;
            this.number = AccountNumbers.bytes(accounts.number(account));
            this.last = last;
            this.before = before;
        }

        @Nullable Garbage peek() {
            if (at == page.size() && more) {
                List<byte[]> answer = cluster.many(
                        Script.GARBAGE, blobs.copyKeys(slot), number, last, before, Script.number(GARBAGE_PAGE));
                page = new ArrayList<>();
                for (int i = 0; i < answer.size(); i += 2) {
                    last = answer.get(i);
                    long size = Long.parseLong(new String(answer.get(i + 1), US_ASCII));
                    Instant since = Instant.ofEpochMilli(StoredVersion.get6(ByteBuffer.wrap(last, 2, 6)));
                    page.add(new Garbage(Blobs.decoded(last, MEMBER_ID), account, size, since));
                }
                more = page.size() == GARBAGE_PAGE;
                at = 0;
            }
            return at < page.size() ? page.get(at) : null;
        }

        void next() {
            at++;
        }
    }

    /** In the order in which it was queued. */
    private static final Comparator<Garbage> BY_TIME = Comparator.comparing(Garbage::queuedAt)
            .thenComparing(garbage -> Codec.blobId(garbage.blob()), Arrays::compareUnsigned);

    /** @param after the last of the page before, if there is one */
    List<Garbage> page(String account, Optional<Garbage> after, Instant before, int limit) {
        byte[] end = StoredVersion.time(before);
        List<Integer> all = slots.all();
        List<SlotGarbage> cursors = cluster.each(all, slot -> {
            byte[] last = after.map(garbage -> member(account, garbage)).orElse(Blobs.NOTHING);
            SlotGarbage cursor = new SlotGarbage(slot, account, last, end);
            cursor.peek();
            return cursor;
        });
        PriorityQueue<SlotGarbage> queue = new PriorityQueue<>(
                Math.max(1, cursors.size()),
                Comparator.comparing(cursor -> java.util.Objects.requireNonNull(cursor.peek()), BY_TIME));
        cursors.stream().filter(cursor -> cursor.peek() != null).forEach(queue::add);
        List<Garbage> page = new ArrayList<>();
        while (page.size() < limit && !queue.isEmpty()) {
            SlotGarbage first = queue.remove();
            page.add(java.util.Objects.requireNonNull(first.peek()));
            first.next();
            if (first.peek() != null) {
                queue.add(first);
            }
        }
        return page;
    }

    private byte[] member(String account, Garbage garbage) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(AccountNumbers.bytes(accounts.number(account)));
        out.writeBytes(StoredVersion.time(garbage.queuedAt()));
        out.writeBytes(Blobs.encoded(garbage.blob()));
        return out.toByteArray();
    }
}
