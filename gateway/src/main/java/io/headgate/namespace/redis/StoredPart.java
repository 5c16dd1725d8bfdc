package io.headgate.namespace.redis;

import io.headgate.domain.ETag;
import io.headgate.namespace.Part;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.PackedReader;
import io.headgate.namespace.codec.PackedWriter;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A part of an upload as it stands in Redis, described in {@code parts.lua}; after the slices come tag and checksum. */
record StoredPart(Part part, List<HeldSlice> slices) {
    private static final int HEAD_BYTES = 18;

    byte[] write() {
        PackedWriter rest = new PackedWriter().string(part.etag().value());
        byte[] checksum = Codec.checksum(part.checksum());
        rest.bytes(checksum == null ? new byte[0] : checksum);
        byte[] tail = rest.toBytes();
        ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + slices.size() * HeldSlice.BYTES + tail.length);
        out.putShort((short) part.number());
        StoredVersion.put6(out, part.sizeBytes());
        StoredVersion.put6(out, part.lastModified().toEpochMilli());
        out.putInt(slices.size());
        slices.forEach(slice -> slice.write(out));
        return out.put(tail).array();
    }

    static StoredPart read(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int number = in.getShort() & 0xFFFF;
        long size = StoredVersion.get6(in);
        Instant modified = Instant.ofEpochMilli(StoredVersion.get6(in));
        int count = in.getInt();
        List<HeldSlice> slices = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            slices.add(HeldSlice.read(in));
        }
        byte[] tail = new byte[in.remaining()];
        in.get(tail);
        PackedReader rest = new PackedReader(tail);
        ETag etag = new ETag(rest.string());
        byte[] checksum = rest.bytes();
        return new StoredPart(
                new Part(number, size, etag, Codec.checksum(checksum.length == 0 ? null : checksum), modified), slices);
    }
}
