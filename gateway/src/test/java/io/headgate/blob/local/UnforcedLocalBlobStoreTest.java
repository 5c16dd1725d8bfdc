package io.headgate.blob.local;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreContract;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.io.TempDir;

final class UnforcedLocalBlobStoreTest extends BlobStoreContract {
    @TempDir
    private Path root;

    @Override
    protected BlobStore openStore() {
        return new LocalBlobStore("disk-1", "namespace-1", root, Durability.NONE, true, Clock.systemUTC());
    }
}
