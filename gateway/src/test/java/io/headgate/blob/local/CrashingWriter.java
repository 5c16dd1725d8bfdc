package io.headgate.blob.local;

import io.headgate.blob.Bytes;
import io.headgate.domain.BlobId;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

/**
 * A process that puts and deletes blobs until it is killed, and says on its standard output what has been acknowledged: {@code P id} or
 * {@code D id} a line.
 */
final class CrashingWriter {
    /** One segment is never full and never old, so that all stays in the journal; or small ones are used again and again. */
    static final Journal.Sizes KEPT = new Journal.Sizes(16 << 10, 16 << 20, 2, 1 << 20, 1_000_000, Duration.ofDays(1));

    static final Journal.Sizes RECYCLED =
            new Journal.Sizes(16 << 10, 256 << 10, 4, 64 << 10, 1000, Duration.ofMillis(50));

    private CrashingWriter() {}

    public static void main(String[] args) {
        Journal.Sizes sizes = args[1].equals("kept") ? KEPT : RECYCLED;
        LocalBlobStore store = new LocalBlobStore(
                "disk-1", "namespace-1", Path.of(args[0]), Durability.SYNC, true, Clock.systemUTC(), sizes);
        for (int caller = 0; caller < 8; caller++) {
            Thread.ofPlatform().start(() -> putAndDelete(store));
        }
    }

    static int lengthOf(BlobId id) {
        int random = (int) (id.uuid().getLeastSignificantBits() & 0xFFFF);
        return random < 1000 ? 20_000 + random : 1 + random % 3000;
    }

    private static void putAndDelete(LocalBlobStore store) {
        try {
            for (int i = 0; ; i++) {
                BlobId id = Bytes.freshId();
                int length = lengthOf(id);
                store.put(id, length, Bytes.stream(Bytes.of(id, length)));
                say('P', id);
                if (i % 4 == 0) {
                    store.delete(id);
                    say('D', id);
                }
            }
        } catch (Exception failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void say(char what, BlobId id) {
        // One write each, so that lines do not mix
        System.out.print(what + " " + id + "\n");
    }
}
