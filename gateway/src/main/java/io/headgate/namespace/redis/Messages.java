package io.headgate.namespace.redis;

import io.headgate.namespace.codec.Codec;
import io.lettuce.core.Limit;
import io.lettuce.core.Range.Boundary;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;

/**
 * What one slot has to tell others: a script that takes something away queues in its own slot what is to be released elsewhere, and
 * answers it to the gateway, which delivers it at once. What a gateway that died has left is delivered later; twice is no harm.
 * Thread-safe.
 */
final class Messages {
    /** Who has not done it by then has died. */
    private static final Duration LEFT_AFTER = Duration.ofMinutes(10);

    private static final int MESSAGES_A_STEP = 100;

    private static final int TIME_BYTES = 6;
    private static final byte BLOB = 'b';
    private static final byte MANIFEST = 'm';
    private static final byte SLICES = 'p';
    static final byte CHECK_BLOB = 'c';
    static final byte CHECK_MANIFEST = 'C';
    static final byte CHECK_WRITTEN = 'w';

    private final Cluster cluster;
    private final Blobs blobs;
    private final Manifests manifests;
    private final SlotsInUse slots;

    Messages(Cluster cluster, Blobs blobs, Manifests manifests, SlotsInUse slots) {
        this.cluster = cluster;
        this.blobs = blobs;
        this.manifests = manifests;
        this.slots = slots;
    }

    /** Delivers what stands in a script's answer behind its first byte, if anything does. */
    void deliverAnswered(int slot, byte[] answer) {
        if (answer.length > 1) {
            deliver(slot, Arrays.copyOfRange(answer, 1, answer.length));
        }
    }

    /**
     * What to look at, if it is not taken back by then: whether a write was committed for which something was made known, or shared.
     *
     * @param kind {@link #CHECK_BLOB}, {@link #CHECK_MANIFEST}, or {@link #CHECK_WRITTEN} of a manifest that no version has yet
     * @param id of that
     */
    static byte[] check(byte kind, byte[] id, String holder, byte[] place, Instant now) {
        return ByteBuffer.allocate(TIME_BYTES + 1 + id.length + 16 + place.length)
                .put(StoredVersion.time(now))
                .put(kind)
                .put(id)
                .put(Codec.writeId(holder))
                .put(place)
                .array();
    }

    /** What a message is about: what somebody holds no more, or perhaps not yet. */
    static void each(byte[] message, BiConsumer<Facts.Subject, byte[]> reader) {
        ByteBuffer in = ByteBuffer.wrap(message, TIME_BYTES, message.length - TIME_BYTES);
        byte kind = in.get();
        if (kind == SLICES) {
            while (in.hasRemaining()) {
                HeldSlice slice = HeldSlice.read(in);
                reader.accept(Look.subject(slice.blob()), Codec.writeId(slice.holder()));
            }
            return;
        }
        byte[] id = new byte[16];
        byte[] holder = new byte[16];
        in.get(id).get(holder);
        boolean blob = kind == BLOB || kind == CHECK_BLOB;
        reader.accept(Facts.Subject.of(blob ? Facts.BLOB : Facts.MANIFEST, id), holder);
    }

    /** @param slot that has queued the message */
    void deliver(int slot, byte[] message) {
        ByteBuffer in = ByteBuffer.wrap(message);
        byte[] since = new byte[TIME_BYTES];
        in.get(since);
        byte kind = in.get();
        switch (kind) {
            case BLOB, MANIFEST -> {
                byte[] id = new byte[16];
                byte[] holder = new byte[16];
                in.get(id).get(holder);
                if (kind == BLOB) {
                    blobs.release(StoredVersion.blobId(id), holder, since, Blobs.NOTHING);
                } else {
                    manifests.release(Codec.writeId(id), holder, since, Blobs.NOTHING);
                }
            }
            case SLICES -> {
                List<HeldSlice> slices = new ArrayList<>();
                while (in.hasRemaining()) {
                    slices.add(HeldSlice.read(in));
                }
                manifests.release(slices, since);
            }
            default -> throw Codec.corrupt();
        }
        byte[] key = SlotKeys.key(slot, "q");
        cluster.send(redis -> redis.zrem(key, message));
    }

    /**
     * Does what gateways that have died left undone: delivers their messages, and looks whether writes were committed whose blobs were
     * made known, or shared, for them.
     *
     * @param holds whether the version that the write of this id was to make stands at the place, or may do so
     */
    void deliverLeft(BiPredicate<byte[], String> holds) {
        io.lettuce.core.Range<byte[]> old = io.lettuce.core.Range.from(
                Boundary.unbounded(),
                Boundary.excluding(StoredVersion.time(blobs.now().minus(LEFT_AFTER))));
        cluster.each(slots.all(), slot -> {
            byte[] key = SlotKeys.key(slot, "q");
            List<byte[]> left = cluster.command(redis -> redis.zrangebylex(key, old, Limit.create(0, MESSAGES_A_STEP)));
            if (left != null && !left.isEmpty()) {
                cluster.settle(slot); // a message of what a failover undoes is not to be delivered
            }
            for (byte[] message : left == null ? List.<byte[]>of() : left) {
                switch (message[TIME_BYTES]) {
                    case CHECK_BLOB, CHECK_MANIFEST, CHECK_WRITTEN -> check(slot, message, holds);
                    default -> deliver(slot, message);
                }
            }
            return true;
        });
    }

    private void check(int slot, byte[] message, BiPredicate<byte[], String> holds) {
        ByteBuffer in = ByteBuffer.wrap(message);
        byte[] since = new byte[TIME_BYTES];
        byte[] id = new byte[16];
        byte[] holder = new byte[16];
        in.get(since).get();
        in.get(id).get(holder);
        byte[] place = new byte[in.remaining()];
        in.get(place);
        if (holds.test(place, Codec.writeId(holder))) {
            byte[] key = SlotKeys.key(slot, "q");
            cluster.command(redis -> redis.zrem(key, message));
        } else if (message[TIME_BYTES] == CHECK_BLOB) {
            blobs.release(StoredVersion.blobId(id), holder, blobs.since(blobs.now()), message);
        } else if (message[TIME_BYTES] == CHECK_WRITTEN) {
            manifests.remove(Codec.writeId(id), message);
        } else {
            manifests.release(Codec.writeId(id), holder, blobs.since(blobs.now()), message);
        }
    }
}
