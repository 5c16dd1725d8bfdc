package io.headgate.namespace;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;

/** Who needs the bytes of a slice. The account of a slice is empty if nothing is recorded of its blob. */
public sealed interface Holder {
    Slice slice();

    /** A version. {@code objectOffsetBytes} is where the slice begins in it, {@code writeId} the version's. */
    record OfVersion(BucketName bucket, ObjectKey key, String writeId, long objectOffsetBytes, Slice slice)
            implements Holder {}

    /** A part of an upload in progress. */
    record OfPart(BucketName bucket, ObjectKey key, String uploadId, int part, Slice slice) implements Holder {}
}
