package io.headgate.namespace.redis;

import io.headgate.domain.ObjectKey;
import io.headgate.namespace.codec.Codec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BiConsumer;

/** Reads groups of neighbours, as {@code groups.lua} writes them. */
final class Groups {
    private Groups() {}

    /** Shows each encoded key with its record, in order. */
    static void read(byte[] group, BiConsumer<byte[], ByteBuffer> reader) {
        int at = 0;
        while (at < group.length) {
            at = readOne(group, at, reader);
        }
    }

    /** Shows one, which begins there; where the next begins. */
    static int readOne(byte[] group, int from, BiConsumer<byte[], ByteBuffer> reader) {
        int nul = KeyCodec.plainUntil(group, from);
        while (nul < group.length && group[nul] != 0) {
            nul++;
        }
        if (nul + 3 > group.length) {
            throw Codec.corrupt();
        }
        int length = (group[nul + 1] & 0xFF) << 8 | (group[nul + 2] & 0xFF);
        int to = nul + 3 + length;
        if (to > group.length) {
            throw Codec.corrupt();
        }
        byte[] key = Arrays.copyOfRange(group, from, nul);
        reader.accept(key, ByteBuffer.wrap(group, nul + 3, length).slice());
        return to;
    }

    static ObjectKey key(byte[] encoded) {
        return ObjectKey.of(KeyCodec.decode(encoded));
    }
}
