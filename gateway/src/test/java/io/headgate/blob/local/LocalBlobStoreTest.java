package io.headgate.blob.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreContract;
import io.headgate.blob.StoreCheck;
import io.headgate.domain.BlobId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalBlobStoreTest extends BlobStoreContract {
    /** Small, so that segments fill, and with room for ids of any time, so that the packs have all small blobs. */
    static final Journal.Sizes SMALL =
            new Journal.Sizes(64 << 10, 1 << 20, 1 << 20, 256 << 10, 100, 3, Duration.ofDays(100_000));

    @TempDir
    private Path root;

    @Override
    protected BlobStore openStore() {
        return new LocalBlobStore("disk-1", "namespace-1", root, Durability.SYNC, true, Clock.systemUTC(), SMALL);
    }

    @Test
    void a_check_tells_of_a_directory_that_cannot_be_used(@TempDir Path elsewhere) throws Exception {
        // Not by permissions, which do not bind who is root: a file stands where the directory should be.
        Path file = Files.writeString(elsewhere.resolve("file"), "");
        try (BlobStore unusable = new LocalBlobStore(
                "disk-2", "namespace-1", file.resolve("disk"), Durability.SYNC, true, Clock.systemUTC(), SMALL)) {
            StoreCheck.Report report = StoreCheck.run(unusable, BlobId.of(1_800_000_000, 1, 2, 3), Clock.systemUTC());

            assertThat(report.passed()).isFalse();
            assertThat(report.detail(StoreCheck.Step.WRITE)).contains(file.toString());
        }
    }

    @Test
    void a_check_tells_of_a_directory_that_is_read_only(@TempDir Path disk) throws Exception {
        Files.setPosixFilePermissions(disk, PosixFilePermissions.fromString("r-xr-xr-x"));
        assumeFalse(Files.isWritable(disk), "root writes anywhere");
        try (BlobStore readOnly =
                new LocalBlobStore("disk-2", "namespace-1", disk, Durability.SYNC, true, Clock.systemUTC(), SMALL)) {
            StoreCheck.Report report = StoreCheck.run(readOnly, BlobId.of(1_800_000_000, 1, 2, 3), Clock.systemUTC());

            assertThat(report.passed()).isFalse();
            assertThat(report.detail(StoreCheck.Step.WRITE)).contains(disk.toString());
        } finally {
            Files.setPosixFilePermissions(disk, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }
}
