package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.namespace.codec.Codec;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Manifests that nobody holds and uploads that were aborted: queued in their slots, they are broken up once no read can need them.
 * Thread-safe.
 */
final class Orphans {
    private static final int ORPHANS_A_STEP = 10;
    private static final int TIME_BYTES = 6;
    private static final byte UPLOAD = 'u';

    private final Cluster cluster;
    private final Manifests manifests;
    private final Uploads uploads;
    private final SlotsInUse slots;

    Orphans(Cluster cluster, Manifests manifests, Uploads uploads, SlotsInUse slots) {
        this.cluster = cluster;
        this.manifests = manifests;
        this.uploads = uploads;
        this.slots = slots;
    }

    /** Members are time, {@code m} or {@code u}, and id. */
    static byte[] key(int slot) {
        return SlotKeys.key(slot, "O");
    }

    /** The id of the manifest, if that is one. */
    static Optional<String> manifest(byte[] orphan) {
        return orphan[TIME_BYTES] == UPLOAD
                ? Optional.empty()
                : Optional.of(Codec.writeId(Arrays.copyOfRange(orphan, TIME_BYTES + 1, orphan.length)));
    }

    /** The id of the upload, if that is one. */
    static Optional<String> upload(byte[] orphan) {
        return orphan[TIME_BYTES] == UPLOAD
                ? Optional.of(new String(orphan, TIME_BYTES + 1, orphan.length - TIME_BYTES - 1, UTF_8))
                : Optional.empty();
    }

    /** How a manifest is queued since then. */
    static byte[] member(byte[] since, String manifest) {
        return ByteBuffer.allocate(TIME_BYTES + 17)
                .put(since)
                .put((byte) 'm')
                .put(Codec.writeId(manifest))
                .array();
    }

    /** How an upload is queued since then. */
    static byte[] upload(byte[] since, String id) {
        byte[] name = id.getBytes(UTF_8);
        return ByteBuffer.allocate(TIME_BYTES + 1 + name.length)
                .put(since)
                .put(UPLOAD)
                .put(name)
                .array();
    }

    /** Releases what those of before hold. */
    void breakUp(Instant before) {
        Range<byte[]> due = Range.from(Boundary.unbounded(), Boundary.excluding(StoredVersion.time(before)));
        cluster.each(slots.all(), slot -> {
            while (true) {
                List<byte[]> orphans =
                        cluster.command(redis -> redis.zrangebylex(key(slot), due, Limit.create(0, ORPHANS_A_STEP)));
                if (orphans == null || orphans.isEmpty()) {
                    return true;
                }
                orphans.forEach(orphan -> breakUp(slot, orphan));
            }
        });
    }

    private void breakUp(int slot, byte[] orphan) {
        byte[] since = Arrays.copyOf(orphan, TIME_BYTES);
        byte[] id = Arrays.copyOfRange(orphan, TIME_BYTES + 1, orphan.length);
        if (orphan[TIME_BYTES] == UPLOAD) {
            uploads.drop(new String(id, UTF_8), since);
        } else {
            manifests.breakUp(Codec.writeId(id), since);
        }
        cluster.command(redis -> redis.zrem(key(slot), orphan));
    }
}
