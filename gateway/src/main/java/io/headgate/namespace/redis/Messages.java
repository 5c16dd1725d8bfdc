package io.headgate.namespace.redis;

import io.headgate.namespace.codec.Codec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What one slot has to tell others: a script that takes something away queues in its own slot what is to be released elsewhere, and
 * answers it to the gateway, which delivers it at once. What a gateway that died has left is delivered later; twice is no harm.
 * Thread-safe.
 */
final class Messages {
    private static final byte BLOB = 'b';
    private static final byte MANIFEST = 'm';
    private static final byte SLICES = 'p';

    private final Cluster cluster;
    private final Blobs blobs;
    private final Manifests manifests;

    Messages(Cluster cluster, Blobs blobs, Manifests manifests) {
        this.cluster = cluster;
        this.blobs = blobs;
        this.manifests = manifests;
    }

    /** @param slot that has queued the message */
    void deliver(int slot, byte[] message) {
        ByteBuffer in = ByteBuffer.wrap(message);
        byte[] since = new byte[6];
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
}
