package io.headgate.namespace;

import io.headgate.domain.BucketName;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ObjectKey;
import java.time.Instant;
import java.util.Optional;

/**
 * A multipart upload in progress.
 *
 * @param id made by the caller, unique for ever
 * @param checksum the checksum that each part carries and how the whole's is made of them, if the client asked for one
 * @param owner the user id of who started it
 */
public record Upload(
        String id,
        BucketName bucket,
        ObjectKey key,
        ObjectAttributes attributes,
        Optional<UploadChecksum> checksum,
        String owner,
        Instant startedAt) {

    /** Which checksum an upload uses. */
    public record UploadChecksum(ChecksumAlgorithm algorithm, Checksum.Type type) {}
}
