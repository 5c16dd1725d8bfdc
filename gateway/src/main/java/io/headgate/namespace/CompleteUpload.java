package io.headgate.namespace;

import io.headgate.domain.BucketName;
import io.headgate.domain.Checksum;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Makes the named parts the current version of the key; no bytes move. Parts of the upload that are not named become garbage.
 * A Complete that repeats one that took effect gives the same outcome, for as long as the engine remembers it (at least a day).
 *
 * @param parts in the client's order; the rules are {@link MultipartRules}
 * @param checksum of the whole object as the client said it
 * @param objectSizeBytes the size as the client said it
 */
public record CompleteUpload(
        BucketName bucket,
        ObjectKey key,
        String uploadId,
        String writeId,
        List<NamedPart> parts,
        Optional<Checksum> checksum,
        Optional<Long> objectSizeBytes,
        WriteCondition condition,
        Instant now) {

    /** A part as the client names it. */
    public record NamedPart(int number, ETag etag, Optional<Checksum> checksum) {}
}
