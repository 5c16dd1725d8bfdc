package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BucketName;
import io.headgate.namespace.codec.Codec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Closes the ranges of a bucket one by one, as long as they are empty. Only when all are closed the bucket goes; until then whoever meets
 * a closed range waits, and opens all again if the gateway that closed them seems to have died. Thread-safe.
 */
final class BucketClosing {
    /** Who closes a bucket and is not done by then has died. */
    private static final Duration CLOSED_BY = Duration.ofSeconds(10);

    private static final byte[] YES = {'1'};
    private static final byte[] NO = {'0'};

    private final Cluster cluster;
    private final InstantSource clock;

    BucketClosing(Cluster cluster, InstantSource clock) {
        this.cluster = cluster;
        this.clock = clock;
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
        Instant now = clock.instant();
        byte[] mine = cluster.one(
                Script.BUCKET_CLOSE,
                new byte[][] {Buckets.key(name)},
                token.getBytes(US_ASCII),
                millis(now),
                millis(now.minus(CLOSED_BY)));
        if (mine == null) {
            return Begun.NO_SUCH_BUCKET;
        }
        return mine[0] == '1' ? Begun.OURS : Begun.OTHERS;
    }

    private static byte[] millis(Instant time) {
        return Long.toString(time.toEpochMilli()).getBytes(US_ASCII);
    }

    /** Closes all ranges, and takes the bucket away if they are empty. */
    Closed close(RangeMap map, String token) {
        byte state = '1';
        for (Range range : map.all()) {
            state = move(range, Long.toString(range.epoch()), closed(range));
            if (state != '1') {
                open(map);
                break;
            }
        }
        byte[] ended = end(map.bucket().name(), token, state == '1' ? YES : NO);
        if (state == '0') {
            return Closed.NOT_EMPTY;
        }
        return state == '1' && ended != null && ended[0] == '1' ? Closed.EMPTY : Closed.MOVED;
    }

    private byte @Nullable [] end(BucketName name, String token, byte[] goes) {
        return cluster.one(Script.BUCKET_END, Buckets.keys(name), token.getBytes(US_ASCII), goes);
    }

    private static String closed(Range range) {
        return "x" + range.epoch();
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

    private void open(RangeMap map) {
        map.all().forEach(range -> move(range, closed(range), Long.toString(range.epoch())));
    }

    /** For who meets a closed range. */
    void reopenIfAbandoned(RangeMap map) {
        String closing = map.closing();
        int at = closing.lastIndexOf('@');
        Instant since = Instant.ofEpochMilli(Long.parseLong(closing.substring(at + 1)));
        if (since.plus(CLOSED_BY).isAfter(clock.instant())) {
            return;
        }
        open(map);
        end(map.bucket().name(), closing.substring(0, at), NO);
    }
}
