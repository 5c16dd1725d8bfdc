package io.headgate.namespace;

import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.Checksum;
import io.headgate.domain.ObjectKey;
import java.time.Instant;
import java.util.Optional;

/**
 * Makes a part of a range of an existing object by sharing its slices: no bytes move. The part's ETag is derived from the source's
 * ETag and the range ({@link MultipartRules#copiedPartETag}).
 *
 * @param expectedSourceWriteId as in {@link CopyObject}
 * @param range must lie in the source, its end included (INVALID_RANGE otherwise)
 * @param checksum of the range's bytes, when the upload asks for one
 */
public record CopyPart(
        BucketName sourceBucket,
        ObjectKey sourceKey,
        Optional<String> expectedSourceWriteId,
        ReadCondition sourceCondition,
        ByteRange range,
        BucketName bucket,
        ObjectKey key,
        String uploadId,
        int partNumber,
        Optional<Checksum> checksum,
        Instant now) {

    /** The range in a source of that size; empty if it does not lie in it. Unlike a read's, it must not reach beyond the end. */
    public Optional<ByteRange.Resolved> rangeIn(long sourceSizeBytes) {
        boolean beyond = range instanceof ByteRange.Between between && between.last() >= sourceSizeBytes;
        return beyond ? Optional.empty() : range.resolve(sourceSizeBytes);
    }
}
