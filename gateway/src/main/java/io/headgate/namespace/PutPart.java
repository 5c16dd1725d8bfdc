package io.headgate.namespace;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import java.util.Optional;

/**
 * Commits a part, whose bytes are in an account already, in place of an earlier one of that number.
 *
 * @param blob the whole blob that holds the bytes, or empty for an empty part; queued as garbage if the command is refused
 * @param intentId the intent under which the blob was made
 */
public record PutPart(
        BucketName bucket, ObjectKey key, String uploadId, Part part, Optional<Slice> blob, long intentId) {}
