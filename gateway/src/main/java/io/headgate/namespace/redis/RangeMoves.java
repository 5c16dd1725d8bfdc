package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BucketName;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Splits, moves and joins of ranges while they are read and written. A range has one owner at all times: up to one script in the source's
 * slot, the cut, it is the source, and whatever has been done can be undone; from then on it is the target, and whoever finds it so goes on.
 * Which it is stands in the source's root. Thread-safe; but only one gateway at a time should move ranges.
 */
final class RangeMoves {
    private static final Logger LOG = LoggerFactory.getLogger(RangeMoves.class);
    private static final byte[] NOTES = SlotKeys.named("V", "moves");
    private static final int GROUPS_A_TRIM = 64;
    /** Groups and uploads that are joined in one script. */
    private static final int GROUPS_A_JOIN = 2_000;
    /** Who has stopped the writes of a range for so long has died. */
    private static final Duration FROZEN_BY = Duration.ofSeconds(5);
    /** For how long the root of a range that is gone tells where it went. */
    private static final Duration REMEMBERED = Duration.ofDays(1);

    private final Cluster cluster;
    private final SlotsInUse slots;
    private final InstantSource clock;
    private final Consumer<Step> steps;

    /** How far a move has come. */
    enum Step {
        NOTED,
        BEGUN,
        COPIED,
        FROZEN,
        FILLED,
        CUT,
        OPENED,
        MAPPED,
        TRIMMED
    }

    /** @param steps is told of each step after it is done */
    RangeMoves(Cluster cluster, SlotsInUse slots, InstantSource clock, Consumer<Step> steps) {
        this.cluster = cluster;
        this.slots = slots;
        this.clock = clock;
        this.steps = steps;
    }

    /** As {@link #move(RangeMove, Runnable)}, by one who need not say that it is alive. */
    boolean move(RangeMove move) {
        return move(move, () -> {});
    }

    /**
     * Moves a part of a range, or all of it.
     *
     * @param eachChunk is run again and again, so that who copies for long can say that it is alive
     * @return whether it was moved; otherwise the range is as it was, or has been changed by others
     */
    boolean move(RangeMove move, Runnable eachChunk) {
        if (!enter(move.bucket(), List.of(move.source()), List.of(move.source()))) {
            return false; // the map is not what it was, or was not for long
        }
        slots.use(move.target().slot());
        cluster.one(Script.RANGE_MAKE, new byte[][] {move.target().root()});
        cluster.command(redis -> redis.hset(NOTES, note(move), move.write()));
        steps.accept(Step.NOTED);
        RangeCopy copy = new RangeCopy(cluster, move, eachChunk);
        try {
            copy.begin();
            steps.accept(Step.BEGUN);
            copy.copyAll();
            steps.accept(Step.COPIED);
            int round = copy.copyAllChanges();
            copy.copyChanges(round - 1);
            copy.freeze();
            steps.accept(Step.FROZEN);
            copy.copyChanges(round);
            steps.accept(Step.FILLED);
            copy.cut();
        } catch (RangeCopy.Overtaken overtaken) {
            LOG.info(
                    "A range of the bucket {} stays where it is: {}",
                    move.bucket().value(),
                    overtaken.getMessage());
            recover(move);
            return false;
        }
        steps.accept(Step.CUT);
        if (finish(move)) {
            clear(move);
        }
        return true;
    }

    private static byte[] note(RangeMove move) {
        return move.target().id().getBytes(US_ASCII);
    }

    /** After the cut: whoever looks for the part finds the target. False if the target is not there, which has moved on since then. */
    private boolean finish(RangeMove move) {
        byte[] opened = cluster.one(
                Script.RANGE_OPEN,
                new byte[][] {move.target().root()},
                move.target().epochBytes());
        steps.accept(Step.OPENED);
        if (opened == null) {
            return false;
        }
        boolean unused = enter(move.bucket(), List.of(move.source()), move.after());
        steps.accept(Step.MAPPED);
        return true;
    }

    /** Puts ranges in the place of others in the map; whether they stand there now. */
    private boolean enter(BucketName bucket, List<Range> before, List<Range> after) {
        List<byte[]> arguments = new ArrayList<>(List.of(Script.number(before.size())));
        before.forEach(range -> arguments.add(range.entry()));
        after.forEach(range -> arguments.add(range.entry()));
        byte[] entered = cluster.one(Script.BUCKET_RANGES, Buckets.keys(bucket), arguments.toArray(byte[][]::new));
        return entered != null && entered[0] == '1';
    }

    /** Notes a copy that was begun and of which no note is left, so that it is undone. */
    void note(BucketName bucket, Range range, RangeRoot root) {
        if (root.isCopied()) {
            RangeMove move = new RangeMove(bucket, range, Range.parse(root.to(), range.hashed()));
            cluster.command(redis -> redis.hsetnx(NOTES, note(move), move.write()));
        }
    }

    /** Takes away what the source does not own any more, and the note. */
    private void clear(RangeMove move) {
        Range source = move.source();
        if (move.isWhole()) {
            cluster.command(redis -> redis.unlink(source.records(), source.uploads(), source.changes()));
            cluster.command(redis -> redis.expire(source.root(), REMEMBERED));
        } else {
            byte[] done;
            do {
                done = cluster.one(
                        Script.RANGE_TRIM,
                        new byte[][] {source.root(), source.records(), source.uploads()},
                        move.target().entry(),
                        move.target().low(),
                        Script.number(GROUPS_A_TRIM));
            } while (done != null && done[0] == '0');
        }
        steps.accept(Step.TRIMMED);
        cluster.command(redis -> redis.hdel(NOTES, note(move)));
    }

    /** Brings to an end what was begun by gateways that have died. Only who may move ranges does this. */
    void recover() {
        List<byte[]> notes = cluster.command(redis -> redis.hvals(NOTES));
        if (notes != null) {
            notes.forEach(note -> recover(RangeMove.read(note)));
        }
    }

    /** Goes on with a move that has been cut, and undoes one that has not. */
    private void recover(RangeMove move) {
        RangeRoot copied =
                RangeRoot.read(cluster, move.target()); // before the source, which knows of it as long as it is filled
        RangeRoot source = RangeRoot.read(cluster, move.source());
        boolean known = Arrays.equals(source.to(), move.target().entry());
        if (known && undo(move)) {
            if (finish(move)) {
                clear(move);
                return;
            }
        } else if (copied.epoch().equals("-") || copied.epoch().equals("p")) {
            Range target = move.target();
            cluster.one(
                    Script.RANGE_DROP,
                    new byte[][] {target.root(), target.records(), target.uploads()},
                    copied.epoch().getBytes(US_ASCII));
        }
        cluster.command(redis -> redis.hdel(NOTES, note(move)));
    }

    /** The source stays whole, unless it is cut, which is answered; replicas have what is answered. */
    private boolean undo(RangeMove move) {
        RangeRoot target = RangeRoot.read(cluster, move.target());
        if (!target.epoch().isEmpty()
                && !target.epoch().equals("-")
                && !target.epoch().equals("p")) {
            return recut(move);
        }
        byte[] cut = cluster.one(
                Script.RANGE_THAW,
                new byte[][] {move.source().root(), move.source().changes()},
                move.source().epochBytes(),
                move.target().entry());
        return cut != null && cut[0] == '1';
    }

    /** A master that has lost what it had not told its replica may not know of a cut, after which the target was opened. */
    private boolean recut(RangeMove move) {
        LOG.warn(
                "Redis has lost that a range of the bucket {} was moved, which is mended",
                move.bucket().value());
        byte[] cut = cluster.one(
                Script.RANGE_RECUT,
                new byte[][] {
                    move.source().root(), move.source().records(), move.source().changes()
                },
                move.source().epochBytes(),
                move.target().entry(),
                move.isWhole() ? Blobs.NOTHING : move.rest().epochBytes(),
                move.target().low());
        return cut != null && cut[0] == '1';
    }

    /** Of a range that answers that it has moved, where the map says that it has not: goes on with what has left it so. */
    void settle(RangeMap map, Range range) {
        BucketName bucket = map.bucket().name();
        RangeRoot root = RangeRoot.read(cluster, range);
        if (root.joined().length > 0 && root.epoch().equals(Long.toString(range.epoch() + 1))) {
            boolean unused = join(bucket, range, Range.parse(root.joined(), range.hashed()));
            return;
        }
        if (root.epoch().isEmpty() && map.ranges().lowerEntry(range.low()) != null) {
            Range left = map.ranges().lowerEntry(range.low()).getValue();
            RangeRoot taken = RangeRoot.read(cluster, left);
            if (Arrays.equals(taken.joined(), range.entry())) {
                settle(map, left);
            }
            return;
        }
        if (root.to().length == 0) {
            return;
        }
        RangeMove move = new RangeMove(bucket, range, Range.parse(root.to(), range.hashed()));
        boolean abandoned = root.isFrozen() && frozenFor(range).compareTo(FROZEN_BY) > 0;
        if ((root.isCutSince(range.epoch()) || abandoned) && undo(move)) {
            boolean unused = finish(move);
        }
    }

    /** How long nothing has been written, by the clock of the range's master: those of gateways may differ. */
    private Duration frozenFor(Range range) {
        Cluster.Dated since = cluster.dated(range.root(), "at");
        return since.text().isEmpty()
                ? Duration.ZERO
                : Duration.ofMillis(since.nowMillis() - Long.parseLong(since.text()));
    }

    /** Whether a range is small enough to be taken into the one before it: of uploads it may have more than of objects. */
    boolean isSmallEnoughToJoin(Range range) {
        Long groups = cluster.command(redis -> redis.zcard(range.records()));
        Long uploads = cluster.command(redis -> redis.zcard(range.uploads()));
        return groups != null && uploads != null && groups + uploads <= GROUPS_A_JOIN;
    }

    /**
     * Joins two small neighbours that lie in one slot.
     *
     * @return whether they are one now
     * @throws IllegalArgumentException for ranges of hashes: their keys do not follow each other
     */
    boolean join(BucketName bucket, Range left, Range right) {
        if (left.hashed() || left.slot() != right.slot()) {
            throw new IllegalArgumentException("only neighbours in one slot are joined");
        }
        if (!enter(bucket, List.of(left, right), List.of(left, right))) {
            return false;
        }
        Range joined = left.joinedWith(right, clock.instant());
        byte[] answer = cluster.one(
                Script.RANGE_JOIN,
                new byte[][] {
                    left.root(), left.records(), left.uploads(), right.root(), right.records(), right.uploads()
                },
                left.epochBytes(),
                right.epochBytes(),
                joined.epochBytes(),
                right.entry(),
                Script.number(GROUPS_A_JOIN));
        if (answer == null || answer[0] != '1') {
            return false;
        }
        return enter(bucket, List.of(left, right), List.of(joined));
    }
}
