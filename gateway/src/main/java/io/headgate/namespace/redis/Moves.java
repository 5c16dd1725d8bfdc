package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BlobId;
import io.headgate.namespace.BlobMove;
import io.headgate.namespace.LiveBlobs;
import io.headgate.namespace.LiveBlobs.LiveBlob;
import io.headgate.namespace.Namespace;
import io.lettuce.core.Limit;
import io.lettuce.core.Range.Boundary;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Moves of blobs between accounts: each is a change of its blob's record, and of the records of copies beside it. Thread-safe. */
final class Moves {
    /** What one call looks at. */
    private static final int LIVE_GROUPS = 200;

    private static final int LIVE_SCRIPTS = 50;

    private final Cluster cluster;
    private final Blobs blobs;
    private final AccountNumbers accounts;
    private final SlotsInUse slots;
    private final RandomGenerator random;

    Moves(Cluster cluster, Blobs blobs, AccountNumbers accounts, SlotsInUse slots, RandomGenerator random) {
        this.cluster = cluster;
        this.blobs = blobs;
        this.accounts = accounts;
        this.slots = slots;
        this.random = random;
    }

    /** Some of the live blobs of an account: slot by slot, and in each as they were made. */
    LiveBlobs live(String account, @Nullable BlobId after, int limit) {
        byte[] number = AccountNumbers.bytes(accounts.number(account));
        List<LiveBlob> found = new ArrayList<>();
        List<Integer> all = slots.all();
        int slot = after == null ? 0 : after.slot();
        byte[] from = after == null ? Blobs.NOTHING : Blobs.encoded(after);
        for (int scripts = 0; scripts < LIVE_SCRIPTS; scripts++) {
            int least = slot;
            Integer next =
                    all.stream().filter(used -> used >= least).findFirst().orElse(null);
            if (next == null) {
                return new LiveBlobs(found, Optional.empty());
            }
            if (next != slot) {
                slot = next;
                from = Blobs.NOTHING;
            }
            List<byte[]> answer = cluster.many(
                    Script.LIVE,
                    blobs.keys(slot),
                    number,
                    from,
                    Script.number(limit - found.size()),
                    Script.number(LIVE_GROUPS));
            for (int i = 1; i < answer.size(); i += 2) {
                found.add(new LiveBlob(
                        Blobs.decoded(answer.get(i), 0), Long.parseLong(new String(answer.get(i + 1), US_ASCII))));
            }
            from = answer.getFirst();
            if (from.length == 0) {
                slot++;
            }
            if (slot == Slots.COUNT) {
                return new LiveBlobs(found, Optional.empty());
            }
            if (found.size() == limit) {
                break;
            }
        }
        BlobId next = from.length == 0 ? BlobId.of(0, slot, 0, 0) : Blobs.decoded(from, 0);
        return new LiveBlobs(found, Optional.of(next));
    }

    List<BlobMove> begin(List<BlobMove> moves, Instant now) {
        Instant here = blobs.now();
        byte[] goneBefore = StoredVersion.time((here.isAfter(now) ? here : now).minus(Namespace.MOVE_BACK_AFTER));
        List<BlobMove> recorded = new ArrayList<>();
        for (BlobMove move : moves) {
            byte[] size = cluster.one(
                    Script.MOVE_BEGIN,
                    blobs.copyKeys(move.blob().slot()),
                    Blobs.encoded(move.blob()),
                    AccountNumbers.bytes(accounts.number(move.from())),
                    AccountNumbers.bytes(accounts.number(move.to())),
                    goneBefore);
            if (size != null) {
                recorded.add(
                        new BlobMove(move.blob(), move.from(), move.to(), Long.parseLong(new String(size, US_ASCII))));
            }
        }
        return recorded;
    }

    /**
     * Ends moves.
     *
     * @param whole whether their copies are
     * @return those whose blobs live in the new account now, with the bytes that this call has moved
     */
    Map<BlobMove, Long> end(List<BlobMove> moves, boolean whole, Instant now) {
        Map<BlobMove, Long> moved = new LinkedHashMap<>();
        for (BlobMove move : moves) {
            byte[] size = cluster.one(
                    Script.MOVE_END,
                    blobs.copyKeys(move.blob().slot()),
                    Blobs.encoded(move.blob()),
                    AccountNumbers.bytes(accounts.number(move.from())),
                    AccountNumbers.bytes(accounts.number(move.to())),
                    blobs.since(now),
                    Script.number(whole ? 1 : 0),
                    Script.operation(random));
            if (size != null) {
                moved.put(move, Long.parseLong(new String(size, US_ASCII)));
            }
        }
        return moved;
    }

    /** Of a copy, as it is recorded. */
    static long size(ByteBuffer copy) {
        return (copy.get(3) & 0xFFL) << 32 | (copy.getInt(4) & 0xFFFF_FFFFL);
    }

    List<BlobMove> underWay(int limit) {
        List<BlobMove> moves = new ArrayList<>();
        io.lettuce.core.Range<byte[]> moving =
                io.lettuce.core.Range.from(Boundary.including(new byte[] {'v'}), Boundary.excluding(new byte[] {'w'}));
        for (int slot : slots.all()) {
            byte[] key = SlotKeys.key(slot, "v");
            List<byte[]> members =
                    cluster.command(redis -> redis.zrangebylex(key, moving, Limit.create(0, limit - moves.size())));
            for (byte[] member : members == null ? List.<byte[]>of() : members) {
                byte[] field = Arrays.copyOfRange(member, 1, member.length);
                byte[] copy = cluster.command(redis -> redis.hget(SlotKeys.key(slot, "c"), field));
                if (copy != null && copy[0] == 'm') {
                    ByteBuffer in = ByteBuffer.wrap(copy);
                    String from = accounts.name(in.getShort(1) & 0xFFFF);
                    long size = size(in);
                    String to = accounts.name(ByteBuffer.wrap(field).getShort() & 0xFFFF);
                    moves.add(new BlobMove(Blobs.decoded(field, 2), from, to, size));
                }
            }
            if (moves.size() >= limit) {
                break;
            }
        }
        return moves;
    }
}
