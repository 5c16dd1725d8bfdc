package io.headgate.namespace.redis;

import io.headgate.domain.ObjectKey;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.PackedReader;
import io.headgate.namespace.codec.PackedWriter;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * How an upload is to end, kept with it, so that whoever finds it can go on.
 *
 * @param record of the version that it makes
 * @param condition as scripts read it
 * @param writeId of the version
 * @param unnamed the numbers of the parts that the object does not have
 */
@SuppressWarnings("ArrayRecordComponent")
record Ending(byte[] record, byte[] condition, String writeId, Instant now, List<Integer> unnamed) {
    byte[] write() {
        PackedWriter out = new PackedWriter()
                .bytes(record)
                .bytes(condition)
                .string(writeId)
                .number(now.toEpochMilli())
                .number(unnamed.size());
        unnamed.forEach(out::number);
        return out.toBytes();
    }

    static Ending read(byte[] bytes) {
        PackedReader in = new PackedReader(bytes);
        byte[] record = in.bytes();
        byte[] condition = in.bytes();
        String writeId = in.string();
        Instant now = Instant.ofEpochMilli(in.number());
        List<Integer> unnamed = new ArrayList<>();
        for (int left = in.count(); left > 0; left--) {
            unnamed.add((int) in.number());
        }
        return new Ending(record, condition, writeId, now, unnamed);
    }

    /** The id of the version's manifest. */
    String manifest() {
        return StoredVersion.manifest(ByteBuffer.wrap(record)).orElseThrow(Codec::corrupt);
    }

    ObjectVersion version(ObjectKey key) {
        return StoredVersion.read(key, ByteBuffer.wrap(record), "");
    }
}
