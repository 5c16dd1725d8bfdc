package io.headgate.namespace;

import io.headgate.domain.BucketName;
import io.headgate.domain.Checksum;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Commits a new version, whose bytes are in an account already, as the current one.
 *
 * @param writeId a fresh UUID, such as that of a blob that holds nothing else; the same command sent again takes effect once and gives the same outcome
 * @param blob the whole blob that holds the bytes, or empty for an empty object. If the command is refused, the same atomic step
 *     queues it as garbage
 * @param intentId the intent under which the blob was made; refused with INTENT_EXPIRED once it has expired
 * @param attempt which try of the client's call this is, if it said so
 */
public record PutObject(
        BucketName bucket,
        ObjectKey key,
        String writeId,
        ObjectAttributes attributes,
        long sizeBytes,
        ETag etag,
        List<Checksum> checksums,
        Optional<Slice> blob,
        WriteCondition condition,
        long intentId,
        Optional<Attempt> attempt,
        Instant now) {

    /** The version that it makes. */
    public ObjectVersion version() {
        return new ObjectVersion(
                key,
                writeId,
                now.truncatedTo(ChronoUnit.MILLIS),
                sizeBytes,
                etag,
                attributes,
                checksums,
                new Manifest.Inline(blob));
    }
}
