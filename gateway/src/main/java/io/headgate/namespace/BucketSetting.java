package io.headgate.namespace;

/**
 * What the owner of a bucket may set, each kept as one document of at most a few hundred KiB, in the form that the operation that wrote it
 * reads. The names are stored.
 */
public enum BucketSetting {
    /** Who may do what, besides the policy: grants of the bucket's owner. */
    ACL,
    CORS,
    /** Whose an object is that another user writes, and so whether access control lists count. */
    OWNERSHIP,
    POLICY,
    /** What policies and access control lists may not allow, whatever they say. */
    PUBLIC_ACCESS,
    TAGGING
}
