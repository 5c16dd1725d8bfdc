package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.namespace.codec.Codec;
import io.lettuce.core.KeyValue;
import java.util.List;

/**
 * What the root of a range says, see {@code range.lua}.
 *
 * @param epoch with what is behind it; empty if there is no such range
 * @param to where a part of it goes or went; empty if none did
 * @param cut whether that part is the other range's: empty, or 1, or 2 when nothing of it is left here
 * @param joined the range that it has taken the place of last; empty if none
 */
@SuppressWarnings("ArrayRecordComponent")
record RangeRoot(String epoch, long objects, long bytes, byte[] to, String cut, byte[] joined) {
    static RangeRoot read(Cluster cluster, Range range) {
        List<KeyValue<byte[], byte[]>> fields = cluster.command(redis ->
                redis.hmget(range.root(), name("e"), name("n"), name("b"), name("to"), name("cut"), name("joined")));
        if (fields == null) {
            throw Codec.corrupt();
        }
        return new RangeRoot(
                text(fields.get(0)),
                number(fields.get(1)),
                number(fields.get(2)),
                fields.get(3).getValueOrElse(Blobs.NOTHING),
                text(fields.get(4)),
                fields.get(5).getValueOrElse(Blobs.NOTHING));
    }

    private static byte[] name(String field) {
        return field.getBytes(US_ASCII);
    }

    private static String text(KeyValue<byte[], byte[]> field) {
        return new String(field.getValueOrElse(Blobs.NOTHING), US_ASCII);
    }

    private static long number(KeyValue<byte[], byte[]> field) {
        return field.hasValue() ? Long.parseLong(text(field)) : 0;
    }

    /** Whether it may be read by one who knows it by the epoch. */
    boolean isKnownBy(long known) {
        String number = Long.toString(known);
        return epoch.equals(number) || epoch.startsWith(number + '+') || epoch.equals(number + '!');
    }

    /** Whether a part is on its way, and writes go on. */
    boolean isCopied() {
        return to.length > 0 && epoch.indexOf('+') > 0;
    }

    boolean isFrozen() {
        return epoch.endsWith("!");
    }

    boolean isCut() {
        return !cut.isEmpty();
    }

    /** Whether it was cut by the move that took it from that epoch, not by an earlier one, which it also tells of. */
    boolean isCutSince(long known) {
        return isCut() && (epoch.equals("gone") || epoch.equals(Long.toString(known + 1)));
    }
}
