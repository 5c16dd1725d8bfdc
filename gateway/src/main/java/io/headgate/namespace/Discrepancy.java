package io.headgate.namespace;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;

/** Something inside a namespace that does not fit together, as {@link Namespace#audit} finds it. */
public sealed interface Discrepancy {
    /** What can be set right without knowing more than the namespace does. */
    sealed interface Correctable extends Discrepancy {}

    /** A bucket's usage is not the sum of its objects. */
    record BucketCounter(BucketName bucket, BucketUsage recorded, BucketUsage counted) implements Correctable {}

    /** An account's usage is not the sum of its blobs. */
    record AccountCounter(String account, AccountUsage recorded, AccountUsage counted) implements Correctable {}

    /** A blob has another number of references than is recorded: with too few it is deleted too early, with too many never. */
    record BlobReferences(BlobId blob, String account, long recorded, long counted) implements Correctable {}

    /** The same of a manifest, by the engine's own name. */
    record ManifestReferences(String manifest, long recorded, long counted) implements Correctable {}

    /** A manifest without references that is not queued to be broken up, by the engine's own name. */
    record ForgottenManifest(String manifest) implements Correctable {}

    /** Parts of an upload that is neither in progress nor queued to be broken up, by the engine's own name. */
    record ForgottenParts(String upload) implements Correctable {}

    /** Slices refer to a blob of which nothing is recorded: where its bytes are is not known. */
    record UnknownBlob(BlobId blob) implements Discrepancy {}

    /** A slice ends behind the end of its blob. */
    record SliceTooLong(BlobId blob, String account, long sizeBytes, long endBytes) implements Discrepancy {}

    /** The slices of an object are longer or shorter than it is. */
    record WrongSize(BucketName bucket, ObjectKey key, long sizeBytes, long slicesBytes) implements Discrepancy {}
}
