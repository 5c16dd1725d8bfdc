package io.headgate.blob.local;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreContract;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

final class LocalBlobStoreTest extends BlobStoreContract {
    /** Small, so that segments fill and are used again. */
    static final Journal.Sizes SMALL = new Journal.Sizes(64 << 10, 1 << 20, 4, 256 << 10, 100, Duration.ofMillis(500));

    @TempDir
    private Path root;

    @Override
    protected BlobStore openStore() {
        return new LocalBlobStore("disk-1", "namespace-1", root, Durability.SYNC, true, Clock.systemUTC(), SMALL);
    }
}
