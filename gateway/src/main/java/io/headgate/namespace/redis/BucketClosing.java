package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BucketName;
import io.headgate.namespace.codec.Codec;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Closes the ranges of a bucket one by one, as long as they are empty. Only when all are closed the bucket goes; until then whoever meets
 * a closed range waits, and opens all again if the gateway that closed them seems to have died. Thread-safe.
 */
final class BucketClosing {
    /** Who closes a bucket and is not done by then, by the clock of the bucket's master, has died. */
    private static final Duration CLOSED_BY = Duration.ofSeconds(10);

    /** Ranges that are closed before the bucket is told that this goes on. */
    private static final int RANGES_A_SIGN_OF_LIFE = 500;

    private final Cluster cluster;

    BucketClosing(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Whether the bucket may be closed by this token. */
    enum Begun {
        OURS,
        OTHERS,
        NO_SUCH_BUCKET
    }

    /** What came of it. */
    enum Closed {
        EMPTY,
        NOT_EMPTY,
        /** A range has moved meanwhile; all are open. */
        MOVED
    }

    Begun begin(BucketName name, String token) {
        byte[] mine = cluster.one(
                Script.BUCKET_CLOSE,
                new byte[][] {Buckets.key(name)},
                token.getBytes(US_ASCII),
                Script.number(CLOSED_BY.toMillis()));
        if (mine == null) {
            return Begun.NO_SUCH_BUCKET;
        }
        return mine[0] == '1' ? Begun.OURS : Begun.OTHERS;
    }

    /** Closes all ranges, and takes the bucket away if they are empty. */
    Closed close(RangeMap map, String token) {
        byte state = '1';
        int closed = 0;
        for (Range range : map.all()) {
            if (++closed % RANGES_A_SIGN_OF_LIFE == 0 && begin(map.bucket().name(), token) != Begun.OURS) {
                state = 'm';
            } else {
                state = move(range, Long.toString(range.epoch()), closed(range, token));
            }
            if (state != '1') {
                break;
            }
        }
        boolean ended = end(map.bucket().name(), token, Script.flag(state == '1'));
        if (state != '1' || !ended) {
            open(map, token);
        }
        if (state == '0') {
            return Closed.NOT_EMPTY;
        }
        return state == '1' && ended ? Closed.EMPTY : Closed.MOVED;
    }

    /** Whether the bucket was closed by this token. */
    private boolean end(BucketName name, String token, byte[] goes) {
        byte[] ended = cluster.one(Script.BUCKET_END, keys(name), token.getBytes(US_ASCII), goes);
        return ended != null && ended[0] == '1';
    }

    /** Of the bucket, of the map of its ranges, and of what ended last of that name. */
    static byte[][] keys(BucketName name) {
        byte[][] keys = Buckets.keys(name);
        return new byte[][] {keys[0], keys[1], SlotKeys.named("d", name.value())};
    }

    private static String closed(Range range, String token) {
        return "x" + range.epoch() + "@" + token;
    }

    private byte move(Range range, String from, String to) {
        byte[] answer = cluster.one(
                Script.RANGE_CLOSE,
                new byte[][] {range.root(), range.changes()},
                from.getBytes(US_ASCII),
                to.getBytes(US_ASCII));
        if (answer == null) {
            throw Codec.corrupt();
        }
        return answer[0];
    }

    private void open(RangeMap map, String token) {
        map.all().forEach(range -> move(range, closed(range, token), Long.toString(range.epoch())));
    }

    /**
     * Opens a range that was closed by who does not close its bucket any more: from the moment when another token stands in the bucket, or
     * none, that one cannot end it.
     *
     * @param current who closes the bucket, read when it is asked for, as it stands there; null if there is no such bucket
     */
    void openStray(Range range, Supplier<@Nullable String> current) {
        RangeRoot root = RangeRoot.read(cluster, range);
        int at = root.epoch().indexOf('@');
        if (at < 0 || !root.epoch().startsWith("x")) {
            return;
        }
        String closing = current.get();
        if (closing != null && !closing.startsWith(root.epoch().substring(at + 1) + "@")) {
            move(range, root.epoch(), root.epoch().substring(1, at));
        }
    }

    /** For who meets a closed range. */
    void reopenIfAbandoned(RangeMap map) {
        Cluster.Dated closing = cluster.dated(Buckets.key(map.bucket().name()), "closing");
        int at = closing.text().lastIndexOf('@');
        if (at < 0 || closing.nowMillis() - Long.parseLong(closing.text().substring(at + 1)) < CLOSED_BY.toMillis()) {
            return;
        }
        String token = closing.text().substring(0, at);
        if (end(map.bucket().name(), token, Script.NO)) {
            open(map, token);
        }
    }
}
