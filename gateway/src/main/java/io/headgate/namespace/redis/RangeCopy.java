package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies a part of a range into another, while it is read and written: first all of it, a chunk at a time, then what has changed
 * meanwhile, in rounds that get shorter, and at last, when nothing is written for a moment, what has changed since the last round. Not
 * thread-safe; one for each move.
 */
final class RangeCopy {
    private static final int RECORDS_A_CHUNK = 512;
    private static final int BYTES_A_CHUNK = 256 * 1024;
    private static final int UPLOADS_A_CHUNK = 500;
    private static final int CHANGES_A_STEP = 512;
    /** So few that they are copied, in a step, while nothing is written. A busy range never has much fewer. */
    private static final int FEW_CHANGES = CHANGES_A_STEP;
    /** After these the range is written faster than it can be copied. */
    private static final int MOST_ROUNDS = 30;

    private final Cluster cluster;
    private final RangeMove move;
    private final Runnable eachChunk;
    private final byte[] epoch;
    private final byte[] descriptor;
    /** How often the target has been filled. */
    private long filled;

    /** @param eachChunk is run again and again, so that who copies for long can say that it is alive */
    RangeCopy(Cluster cluster, RangeMove move, Runnable eachChunk) {
        this.cluster = cluster;
        this.move = move;
        this.eachChunk = eachChunk;
        epoch = move.source().epochBytes();
        descriptor = move.target().entry();
    }

    /** The move is not to be done any more: another has undone it, or a part of what was copied is lost. */
    static final class Overtaken extends Exception {
        private static final long serialVersionUID = 1;

        Overtaken(String reason) {
            super(reason);
        }
    }

    private static byte[] notNull(byte @Nullable [] answer) throws Overtaken {
        if (answer == null) {
            throw new Overtaken("nothing was answered");
        }
        return answer;
    }

    /** From now on all writes note what they change. */
    void begin() throws Overtaken {
        List<byte[]> begun = cluster.many(
                Script.RANGE_BEGIN,
                new byte[][] {move.source().root(), move.source().changes()},
                epoch,
                descriptor);
        if (Buckets.isMoved(begun.getFirst())) {
            throw new Overtaken("the range is not what it was");
        }
    }

    /**
     * Copies up to where the range ends at the last look: what is written behind that is noted as changed. Whoever went on until nothing is left
     * would follow keys that come in order for ever.
     */
    void copyAll() throws Overtaken {
        byte[] from = move.firstKey();
        while (true) {
            List<byte[]> groups = cluster.settled(
                    Script.LIST,
                    new byte[][] {move.source().root(), move.source().records()},
                    epoch,
                    from,
                    Blobs.NOTHING,
                    Script.number(RECORDS_A_CHUNK),
                    Script.number(BYTES_A_CHUNK));
            if (groups.size() == 1 && Buckets.isMoved(groups.getFirst())) {
                throw new Overtaken("the range is not what it was");
            }
            Chunk chunk = new Chunk(from);
            groups.forEach(chunk::add);
            if (chunk.groups.isEmpty()) {
                break;
            }
            fill(chunk.groups, List.of());
            if (chunk.records < RECORDS_A_CHUNK && chunk.bytes < BYTES_A_CHUNK) {
                break;
            }
            from = KeyCodec.next(chunk.last);
        }
        copyUploads();
    }

    /** Groups without the keys before the first. */
    private static final class Chunk {
        final byte[] first;
        final List<byte[]> groups = new ArrayList<>();
        byte[] last = {};
        int records;
        int bytes;

        Chunk(byte[] first) {
            this.first = first;
        }

        void add(byte[] group) {
            bytes += group.length;
            int[] begins = {-1};
            int at = 0;
            while (at < group.length) {
                int here = at;
                at = Groups.readOne(group, at, (key, record) -> {
                    if (Arrays.compareUnsigned(key, first) >= 0) {
                        begins[0] = begins[0] < 0 ? here : begins[0];
                        records++;
                    }
                    last = key;
                });
            }
            if (begins[0] >= 0) {
                groups.add(begins[0] == 0 ? group : Arrays.copyOfRange(group, begins[0], group.length));
            }
        }
    }

    private void copyUploads() throws Overtaken {
        byte[] from = UploadListings.bound('[', move.firstKey());
        while (true) {
            List<byte[]> uploads = cluster.settled(
                    Script.UPLOADS,
                    new byte[][] {move.source().root(), move.source().uploads()},
                    epoch,
                    from,
                    new byte[] {'+'},
                    Script.number(UPLOADS_A_CHUNK));
            if (uploads.isEmpty()) {
                return;
            }
            if (Buckets.isMoved(uploads.getFirst())) {
                throw new Overtaken("the range is not what it was");
            }
            fill(List.of(), uploads);
            from = UploadListings.bound('(', uploads.getLast());
        }
    }

    private void fill(List<byte[]> groups, List<byte[]> uploads) throws Overtaken {
        List<byte[]> arguments = new ArrayList<>(List.of(Script.number(filled), Script.number(groups.size())));
        arguments.addAll(groups);
        arguments.addAll(uploads);
        fill(Script.RANGE_FILL, arguments);
    }

    private void fill(Script script, List<byte[]> arguments) throws Overtaken {
        eachChunk.run();
        Range target = move.target();
        byte[] done = notNull(cluster.one(
                script,
                new byte[][] {target.root(), target.records(), target.uploads()},
                arguments.toArray(byte[][]::new)));
        if (done[0] != '1') {
            throw new Overtaken("what was copied is lost");
        }
        filled++;
    }

    /** Copies what has changed, until that is little; the round that is under way then. */
    int copyAllChanges() throws Overtaken {
        for (int round = 1; round <= MOST_ROUNDS; round++) {
            long changed = turn(Script.number(round));
            if (changed <= FEW_CHANGES) {
                return round;
            }
            copyChanges(round - 1);
        }
        throw new Overtaken("the range is written faster than it can be copied");
    }

    /** Nothing is written any more. */
    void freeze() throws Overtaken {
        turn(new byte[] {'!'});
    }

    private long turn(byte[] round) throws Overtaken {
        byte[] changed = notNull(cluster.one(
                Script.RANGE_TURN,
                new byte[][] {move.source().root(), move.source().changes()},
                epoch,
                descriptor,
                round));
        if (changed[0] == 'm') {
            throw new Overtaken("the move was undone");
        }
        return Long.parseLong(new String(changed, US_ASCII));
    }

    /** Copies what has changed in the rounds up to this one. */
    void copyChanges(int round) throws Overtaken {
        List<byte[]> done = List.of();
        while (true) {
            List<byte[]> arguments = new ArrayList<>(List.of(
                    descriptor, Script.number(round), Script.number(CHANGES_A_STEP), Script.number(BYTES_A_CHUNK)));
            arguments.addAll(done);
            Range source = move.source();
            List<byte[]> changes = cluster.many(
                    Script.RANGE_CHANGES,
                    new byte[][] {source.root(), source.records(), source.uploads(), source.changes()},
                    arguments.toArray(byte[][]::new));
            if (changes.isEmpty()) {
                return;
            }
            if (Buckets.isMoved(changes.getFirst())) {
                throw new Overtaken("the move was undone");
            }
            done = new ArrayList<>();
            List<byte[]> ours = new ArrayList<>();
            for (int i = 0; i < changes.size(); i += 2) {
                byte[] change = changes.get(i);
                done.add(change);
                if (Arrays.compareUnsigned(change, 1, change.length, move.firstKey(), 0, move.firstKey().length) >= 0) {
                    ours.add(change);
                    ours.add(changes.get(i + 1));
                }
            }
            if (!ours.isEmpty()) {
                ours.addFirst(Script.number(filled));
                fill(Script.RANGE_APPLY, ours);
            }
        }
    }

    /** The moment from which the target owns the part. */
    void cut() throws Overtaken {
        Range source = move.source();
        List<byte[]> counts =
                cluster.many(Script.RANGE_FILLED, new byte[][] {move.target().root()}, Script.number(filled));
        if (counts.size() < 2) {
            throw new Overtaken("what was copied is lost");
        }
        byte[] answer = notNull(cluster.one(
                Script.RANGE_CUT,
                new byte[][] {source.root(), source.records(), source.uploads(), source.changes()},
                epoch,
                descriptor,
                move.isWhole() ? Blobs.NOTHING : move.rest().epochBytes(),
                move.target().low(),
                counts.get(0),
                counts.get(1)));
        switch (answer[0]) {
            case '1' -> {}
            case 'x' -> throw new Overtaken("the copy has other counts than what was copied");
            default -> throw new Overtaken("the move was undone");
        }
    }
}
