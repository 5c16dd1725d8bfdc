package io.headgate.namespace;

import io.headgate.domain.BlobId;
import java.util.List;
import java.util.Optional;

/**
 * Some of the blobs that live in an account.
 *
 * @param next where to go on, even if {@code blobs} is empty; empty after the last
 */
public record LiveBlobs(List<LiveBlob> blobs, Optional<BlobId> next) {
    public LiveBlobs {
        blobs = List.copyOf(blobs);
    }

    /** A blob that something refers to. */
    public record LiveBlob(BlobId blob, long sizeBytes) {}
}
