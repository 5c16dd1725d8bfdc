package io.headgate.namespace;

import io.headgate.domain.Checksum;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import java.time.Instant;
import java.util.List;

/**
 * A version of an object, whole and committed.
 *
 * @param writeId the unique id of the write that made it, a UUID in text: a write sent twice takes effect once
 * @param lastModified when it was committed, by the gateway's clock, to the millisecond
 */
public record ObjectVersion(
        ObjectKey key,
        String writeId,
        Instant lastModified,
        long sizeBytes,
        ETag etag,
        ObjectAttributes attributes,
        List<Checksum> checksums,
        Manifest manifest) {
    public ObjectVersion {
        checksums = List.copyOf(checksums);
    }
}
