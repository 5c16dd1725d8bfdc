package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BucketName;
import io.headgate.namespace.codec.Codec;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/**
 * The upper part of a range, or all of it, on its way into a range of its own.
 *
 * @param source as it was before
 * @param target which begins where that part does, and ends where the source ended
 */
record RangeMove(BucketName bucket, Range source, Range target) {
    /** @throws IllegalArgumentException for a part of a range of hashes: its keys are not neighbours */
    RangeMove {
        if (source.hashed() && !Arrays.equals(source.low(), target.low())) {
            throw new IllegalArgumentException("a range of hashes moves as a whole");
        }
    }

    boolean isWhole() {
        return Arrays.equals(source.low(), target.low());
    }

    /** What is left of the source; only if the move is not {@link #isWhole}. */
    Range rest() {
        return source.next(target.low());
    }

    /** What stands in the map afterwards. */
    List<Range> after() {
        return isWhole() ? List.of(target) : List.of(rest(), target);
    }

    /** The encoded key where the part begins. */
    byte[] firstKey() {
        return target.hashed() ? new byte[0] : target.low();
    }

    byte[] write() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(source.hashed() ? 'h' : 'k');
        out.writeBytes(bucket.value().getBytes(US_ASCII));
        out.write(0);
        out.writeBytes(source.entry());
        out.write(0);
        out.writeBytes(target.entry());
        return out.toByteArray();
    }

    static RangeMove read(byte[] bytes) {
        int[] nuls = new int[4];
        int found = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0 && found < nuls.length) {
                nuls[found++] = i;
            }
        }
        if (found < nuls.length) {
            throw Codec.corrupt();
        }
        boolean hashed = bytes[0] == 'h';
        return new RangeMove(
                new BucketName(new String(bytes, 1, nuls[0] - 1, US_ASCII)),
                Range.parse(Arrays.copyOfRange(bytes, nuls[0] + 1, nuls[2]), hashed),
                Range.parse(Arrays.copyOfRange(bytes, nuls[2] + 1, bytes.length), hashed));
    }
}
