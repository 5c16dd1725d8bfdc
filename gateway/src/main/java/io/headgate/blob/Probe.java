package io.headgate.blob;

import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.domain.BlobId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** What {@link BlobStore#probe} does with a remote account. */
public final class Probe {
    private static final int BYTES = 1024;

    private Probe() {}

    /** Writes a small blob, reads it back, and deletes it. */
    public static void run(BlobStore store, BlobId id) throws BlobStoreException {
        byte[] written = new byte[BYTES];
        ByteBuffer.wrap(written).putLong(id.uuid().getLeastSignificantBits());
        ByteBuffer read = ByteBuffer.allocate(BYTES);
        try {
            store.put(id, BYTES, new ByteArrayInputStream(written));
            try (ReadableByteChannel channel = store.get(id, 0, BYTES)) {
                while (read.hasRemaining() && channel.read(read) >= 0) {
                    // until all is read
                }
            }
            store.delete(id);
        } catch (BlobStoreException fault) {
            // The blob was just written: an account that does not find it is at fault.
            throw fault.kind() == Kind.MISSING
                    ? new BlobStoreException(Kind.ACCOUNT_FAULT, "a blob just written is not found", fault)
                    : fault;
        } catch (IOException failure) {
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "a probe failed: " + failure.getMessage(), failure);
        }
        if (!read.flip().equals(ByteBuffer.wrap(written))) {
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "what was written is not what was read");
        }
    }
}
