package io.headgate.blob.local;

import io.headgate.blob.Bytes;
import io.headgate.domain.BlobId;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A process that puts and deletes blobs until it is killed, and says on its standard output what it does, an id a line: {@code p} when a
 * put begins and {@code P} when it is acknowledged, {@code d} and {@code D} for deletions.
 */
final class CrashingWriter {
    /** One segment is never full; or many small ones are. */
    static final Journal.Sizes LARGE =
            new Journal.Sizes(16 << 10, 16 << 20, 16 << 20, 1 << 20, 1_000_000, 100, Duration.ofMinutes(10));

    static final Journal.Sizes SMALL =
            new Journal.Sizes(16 << 10, 128 << 10, 128 << 10, 32 << 10, 100, 4, Duration.ofMinutes(10));

    private CrashingWriter() {}

    public static void main(String[] args) {
        Journal.Sizes sizes = args[1].equals("large") ? LARGE : SMALL;
        LocalBlobStore store = new LocalBlobStore(
                "disk-1", "namespace-1", Path.of(args[0]), Durability.SYNC, true, Clock.systemUTC(), sizes);
        for (int caller = 0; caller < 8; caller++) {
            Random random = new Random(caller);
            Thread.ofPlatform().start(() -> putAndDelete(store, random));
        }
    }

    static int lengthOf(BlobId id) {
        int random = (int) (id.uuid().getLeastSignificantBits() & 0xFFFF);
        return random < 1000 ? 20_000 + random : 1 + random % 3000;
    }

    private static void putAndDelete(LocalBlobStore store, Random random) {
        List<BlobId> alive = new ArrayList<>();
        List<BlobId> gone = new ArrayList<>();
        try {
            while (true) {
                int dice = random.nextInt(10);
                if (dice < 5 || alive.isEmpty()) {
                    put(store, freshOrOldId(random), alive);
                } else if (dice < 9) {
                    BlobId id = alive.remove(random.nextInt(alive.size()));
                    say('d', id);
                    store.delete(id);
                    say('D', id);
                    gone.add(id);
                } else if (!gone.isEmpty()) { // as a blob that moves away and back
                    put(store, gone.remove(random.nextInt(gone.size())), alive);
                }
            }
        } catch (Exception failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    /** An old one gets a file of its own. */
    private static BlobId freshOrOldId(Random random) {
        BlobId fresh = Bytes.freshId();
        if (random.nextInt(6) > 0) {
            return fresh;
        }
        long second = fresh.createdAt().getEpochSecond() - 3600;
        return BlobId.of(second, 1, random.nextLong(), random.nextLong());
    }

    private static void put(LocalBlobStore store, BlobId id, List<BlobId> alive) throws Exception {
        int length = lengthOf(id);
        say('p', id);
        store.put(id, length, Bytes.stream(Bytes.of(id, length)));
        say('P', id);
        alive.add(id);
    }

    private static void say(char what, BlobId id) {
        // One write each, so that lines do not mix
        System.out.print(what + " " + id + "\n");
    }
}
