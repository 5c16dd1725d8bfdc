package io.headgate.namespace.redis;

import io.headgate.domain.BlobId;
import io.headgate.namespace.codec.Codec;
import java.nio.ByteBuffer;

/**
 * A run of bytes in a blob that a part or a manifest needs, and by which name it holds the blob.
 *
 * @param holder a UUID in text, of this slice alone
 */
record HeldSlice(String holder, BlobId blob, long offsetBytes, long lengthBytes) {
    static final int BYTES = 44;

    void write(ByteBuffer out) {
        out.put(Codec.writeId(holder)).put(StoredVersion.bytes(blob));
        StoredVersion.put6(out, offsetBytes);
        StoredVersion.put6(out, lengthBytes);
    }

    static HeldSlice read(ByteBuffer in) {
        byte[] holder = new byte[16];
        byte[] blob = new byte[16];
        in.get(holder).get(blob);
        return new HeldSlice(
                Codec.writeId(holder), StoredVersion.blobId(blob), StoredVersion.get6(in), StoredVersion.get6(in));
    }

    HeldSlice sub(String newHolder, long skipBytes, long length) {
        return new HeldSlice(newHolder, blob, offsetBytes + skipBytes, length);
    }
}
