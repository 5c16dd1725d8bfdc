package io.headgate.namespace;

import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import java.time.Instant;
import java.util.Optional;

/** What a listing says of an object's current version: only what its index holds, so that a page reads nothing else. */
public record ListedObject(
        ObjectKey key,
        Instant lastModified,
        long sizeBytes,
        ETag etag,
        String storageClass,
        Optional<ChecksumAlgorithm> checksumAlgorithm,
        Optional<Checksum.Type> checksumType) {}
