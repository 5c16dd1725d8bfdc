package io.headgate.namespace;

/** Why an operation was refused. Each has one S3 error, assigned in one place by the S3 operations. */
public enum Refusal {
    NO_SUCH_BUCKET,
    NO_SUCH_KEY,
    NO_SUCH_UPLOAD,
    BUCKET_NOT_EMPTY,
    /** A write condition (If-Match, If-None-Match) does not hold, or a copy's condition on its source does not. */
    PRECONDITION_FAILED,
    /** Complete names a part that was not uploaded, or whose ETag or checksum differs. The detail names the part. */
    INVALID_PART,
    /** Complete: the part numbers do not ascend. */
    INVALID_PART_ORDER,
    /** Complete: a part other than the last is below the least size. The detail names the part. */
    ENTITY_TOO_SMALL,
    /** Complete: the object would be larger than 5 TiB. */
    ENTITY_TOO_LARGE,
    /** Complete: the object's size is not the one that the client said. */
    SIZE_MISMATCH,
    /** Complete: the checksum of the whole is not the one that the client said. */
    BAD_DIGEST,
    /** The source of a copy is no longer the version whose bytes the caller has read. */
    SOURCE_CHANGED,
    /** The requested range does not lie in the source of a copied part. */
    INVALID_RANGE,
    /** The write's intent has expired and its blobs may have been swept already: the write must be made again. */
    INTENT_EXPIRED,
    /** A later attempt of the same client call has committed already; this one must not overwrite it. */
    SUPERSEDED
}
