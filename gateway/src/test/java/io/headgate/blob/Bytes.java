package io.headgate.blob;

import io.headgate.domain.BlobId;
import io.headgate.domain.BlobIds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/** Bytes for tests, and fresh names for them. */
public final class Bytes {
    private static final BlobIds IDS =
            new BlobIds(() -> ThreadLocalRandom.current().nextLong());

    private Bytes() {}

    public static BlobId freshId() {
        return IDS.next(Instant.now());
    }

    /** Bytes that depend on the id, so that a blob under a wrong name is noticed. */
    public static byte[] of(BlobId id, int length) {
        byte[] bytes = new byte[length];
        new Random(id.uuid().getLeastSignificantBits()).nextBytes(bytes);
        return bytes;
    }

    public static InputStream stream(byte[] bytes) {
        return new ByteArrayInputStream(bytes);
    }

    public static byte[] read(ReadableByteChannel channel) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(10_000);
        try (channel) {
            while (channel.read(buffer) >= 0) {
                all.write(buffer.array(), 0, buffer.position());
                buffer.clear();
            }
        }
        return all.toByteArray();
    }
}
