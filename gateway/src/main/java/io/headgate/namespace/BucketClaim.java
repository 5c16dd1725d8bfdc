package io.headgate.namespace;

/**
 * Who has a bucket's name after a try to take it.
 *
 * @param bucket the bucket of that name
 * @param made whether this try made it; otherwise it was there before
 */
public record BucketClaim(Bucket bucket, boolean made) {}
