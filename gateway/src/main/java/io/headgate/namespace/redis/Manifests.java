package io.headgate.namespace.redis;

import io.headgate.domain.BlobId;
import io.headgate.domain.Slice;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.ManifestSlice;
import io.headgate.namespace.codec.Codec;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import io.lettuce.core.ScoredValue;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The manifests of multipart objects, each in the slot of its id: its slices in a sorted set
 * by where they begin in the object, so that those of a range are found without reading the others, and its parts in one by number.
 * Thread-safe.
 */
final class Manifests {
    private static final int STEP = 500;
    private static final byte[] WRITTEN = {'w'};
    private static final byte ORPHANED = 'O';

    private final Cluster cluster;
    private final Blobs blobs;
    private final SlotsInUse slots;

    Manifests(Cluster cluster, Blobs blobs, SlotsInUse slots) {
        this.cluster = cluster;
        this.blobs = blobs;
        this.slots = slots;
    }

    static int slot(String id) {
        return Slots.of(id);
    }

    static byte[] state(String id) {
        return SlotKeys.key(slot(id), "k" + id);
    }

    private static byte[] slicesKey(String id) {
        return SlotKeys.key(slot(id), "x" + id);
    }

    private static byte[] partsKey(String id) {
        return SlotKeys.key(slot(id), "n" + id);
    }

    static byte[] encoded(String id) {
        return KeyCodec.encode(Codec.writeId(id));
    }

    /**
     * Writes the manifest of these parts, in bounded steps. Nobody knows it yet.
     *
     * @param note what to look at if it is never {@linkplain #settled known}
     */
    void write(String id, List<StoredPart> parts, byte[] note) {
        slots.use(slot(id));
        cluster.command(redis -> redis.zadd(SlotKeys.key(slot(id), "q"), 0, note));
        List<ScoredValue<byte[]>> slices = new ArrayList<>();
        List<ScoredValue<byte[]>> numbers = new ArrayList<>();
        long offset = 0;
        for (StoredPart part : parts) {
            ManifestPart numbered = new ManifestPart(
                    part.part().number(),
                    offset,
                    part.part().sizeBytes(),
                    part.part().checksum());
            numbers.add(ScoredValue.just(numbered.number(), part(numbered)));
            for (HeldSlice slice : part.slices()) {
                slices.add(scored(new Placed(offset, slice)));
                offset += slice.lengthBytes();
            }
        }
        add(slicesKey(id), slices);
        add(partsKey(id), numbers);
        cluster.command(redis -> redis.set(state(id), WRITTEN));
    }

    void addSlices(String id, List<Placed> placed) {
        add(slicesKey(id), placed.stream().map(Manifests::scored).toList());
    }

    private static ScoredValue<byte[]> scored(Placed placed) {
        ByteBuffer out = ByteBuffer.allocate(HeldSlice.BYTES);
        placed.slice.write(out);
        return ScoredValue.just((double) placed.objectOffsetBytes, out.array());
    }

    void addPart(String id, ManifestPart part) {
        add(partsKey(id), List.of(ScoredValue.just(part.number(), part(part))));
    }

    private void add(byte[] key, List<ScoredValue<byte[]>> members) {
        for (int from = 0; from < members.size(); from += STEP) {
            Object[] scoresAndMembers = members.subList(from, Math.min(members.size(), from + STEP)).stream()
                    .flatMap(member -> Stream.of(member.getScore(), member.getValue()))
                    .toArray();
            cluster.command(redis -> redis.zadd(key, scoresAndMembers));
        }
    }

    private static byte[] part(ManifestPart part) {
        byte[] checksum = Codec.checksum(part.checksum());
        ByteBuffer out = ByteBuffer.allocate(14 + (checksum == null ? 0 : checksum.length));
        out.putShort((short) part.number());
        StoredVersion.put6(out, part.offsetBytes());
        StoredVersion.put6(out, part.sizeBytes());
        if (checksum != null) {
            out.put(checksum);
        }
        return out.array();
    }

    /** Removes a manifest that no version has ever referred to, and the note of it. */
    void remove(String id, byte[] note) {
        cluster.one(Script.MANIFEST_REMOVE, new byte[][] {state(id), slicesKey(id), partsKey(id)});
        settled(id, note);
    }

    /** A version refers to it, so that nobody need look after it. */
    void settled(String id, byte[] note) {
        cluster.command(redis -> redis.zrem(SlotKeys.key(slot(id), "q"), note));
    }

    List<ManifestPart> parts(String id, int afterNumber, int limit) {
        List<byte[]> members = cluster.command(redis -> redis.zrangebyscore(
                partsKey(id),
                Range.from(Boundary.excluding(afterNumber), Boundary.unbounded()),
                Limit.create(0, limit)));
        List<ManifestPart> parts = new ArrayList<>();
        for (byte[] member : members == null ? List.<byte[]>of() : members) {
            ByteBuffer in = ByteBuffer.wrap(member);
            int number = in.getShort() & 0xFFFF;
            long offset = StoredVersion.get6(in);
            long size = StoredVersion.get6(in);
            byte[] checksum = new byte[in.remaining()];
            in.get(checksum);
            parts.add(new ManifestPart(number, offset, size, Codec.checksum(checksum.length == 0 ? null : checksum)));
        }
        return parts;
    }

    /** A slice and where it begins in the object. */
    record Placed(long objectOffsetBytes, HeldSlice slice) {
        long endBytes() {
            return objectOffsetBytes + slice.lengthBytes();
        }
    }

    /** From the one that holds the offset on; none behind the end. */
    List<Placed> held(String id, long fromOffset, int limit) {
        List<ScoredValue<byte[]>> first = cluster.command(redis -> redis.zrevrangebyscoreWithScores(
                slicesKey(id), Range.from(Boundary.unbounded(), Boundary.including(fromOffset)), Limit.create(0, 1)));
        if (first == null || first.isEmpty()) {
            return List.of();
        }
        Placed holder = placed(first.getFirst());
        if (holder.endBytes() <= fromOffset) {
            return List.of();
        }
        if (limit == 1) {
            return List.of(holder);
        }
        List<ScoredValue<byte[]>> members = cluster.command(redis -> redis.zrangebyscoreWithScores(
                slicesKey(id),
                Range.from(Boundary.including(holder.objectOffsetBytes), Boundary.unbounded()),
                Limit.create(0, limit)));
        return members == null
                ? List.of()
                : members.stream().map(Manifests::placed).toList();
    }

    private static Placed placed(ScoredValue<byte[]> member) {
        return new Placed((long) member.getScore(), HeldSlice.read(ByteBuffer.wrap(member.getValue())));
    }

    /** All slices of a manifest, in order. */
    void each(String id, Consumer<Placed> reader) {
        long offset = 0;
        while (true) {
            List<Placed> page = held(id, offset, STEP);
            page.forEach(reader);
            if (page.size() < STEP) {
                return;
            }
            offset = page.getLast().endBytes();
        }
    }

    /** Where the last slice ends in the object; 0 if there is none. */
    long endOf(String id) {
        List<ScoredValue<byte[]>> last = cluster.command(redis -> redis.zrevrangeWithScores(slicesKey(id), 0, 0));
        return last == null || last.isEmpty() ? 0 : placed(last.getFirst()).endBytes();
    }

    /** Whether a slice of the manifest has this holder's name. */
    boolean holds(String id, String holder) {
        for (long offset = 0; ; ) {
            List<Placed> page = held(id, offset, STEP);
            if (page.stream().anyMatch(placed -> placed.slice.holder().equals(holder))) {
                return true;
            }
            if (page.size() < STEP) {
                return false;
            }
            offset = page.getLast().endBytes();
        }
    }

    List<ManifestSlice> slices(String id, long fromOffset, int limit) {
        List<Placed> held = held(id, Math.max(0, fromOffset), limit);
        Map<BlobId, String> accounts = blobs.accountsOf(
                held.stream().map(placed -> placed.slice.blob()).toList());
        return held.stream()
                .map(placed -> new ManifestSlice(
                        placed.objectOffsetBytes,
                        new Slice(
                                placed.slice.blob(),
                                accounts.getOrDefault(placed.slice.blob(), ""),
                                placed.slice.offsetBytes(),
                                placed.slice.lengthBytes())))
                .toList();
    }

    /** Gives a manifest another holder; whether it is alive. */
    boolean share(String id, String holder, String another, byte[] place, Instant now) {
        byte[] answer = cluster.one(
                Script.MANIFEST_SHARE,
                blobs.keys(slot(id), state(id)),
                encoded(id),
                Codec.writeId(holder),
                Codec.writeId(another),
                pending(id, another, place, now));
        return answer != null && answer[0] == '1';
    }

    void release(String id, byte[] holder, byte[] since, byte[] pending) {
        int slot = slot(id);
        cluster.one(
                Script.MANIFEST_RELEASE,
                blobs.keys(slot, state(id), Orphans.key(slot)),
                encoded(id),
                holder,
                since,
                Codec.writeId(id),
                pending);
    }

    /** Queues a manifest that nobody has. */
    void orphan(String id, byte[] since) {
        byte[] state = cluster.command(redis -> redis.get(state(id)));
        if (state != null && state[0] == ORPHANED) {
            byte[] member = Orphans.member(since, id);
            cluster.command(redis -> redis.zadd(Orphans.key(slot(id)), 0, member));
        }
    }

    static byte[] pending(String id, String holder, byte[] place, Instant now) {
        return Messages.check(Messages.CHECK_MANIFEST, Codec.writeId(id), holder, place, now);
    }

    void confirm(String id, String holder, byte[] place, Instant now) {
        byte[] key = SlotKeys.key(slot(id), "q");
        byte[] pending = pending(id, holder, place, now);
        cluster.send(redis -> redis.zrem(key, pending));
    }

    /** Releases, in bounded steps, what a manifest holds that nobody holds, and removes it. */
    void breakUp(String id, byte[] since) {
        byte[] key = slicesKey(id);
        while (true) {
            List<byte[]> step = cluster.command(redis -> redis.zrange(key, 0, STEP - 1));
            if (step == null || step.isEmpty()) {
                break;
            }
            release(
                    step.stream()
                            .map(member -> HeldSlice.read(ByteBuffer.wrap(member)))
                            .toList(),
                    since);
            cluster.command(redis -> redis.zrem(key, step.toArray(byte[][]::new)));
        }
        cluster.command(redis -> redis.unlink(key, partsKey(id), state(id)));
    }

    /** Releases slices, one by one. */
    void release(Collection<HeldSlice> slices, byte[] since) {
        for (HeldSlice slice : slices) {
            blobs.release(slice.blob(), Codec.writeId(slice.holder()), since, Blobs.NOTHING);
        }
    }
}
