package io.headgate.namespace;

/**
 * A page of an owner's buckets, in the order of their names.
 *
 * @param prefix only names that begin with it; empty for all
 * @param after only names greater than it; empty for all
 * @param limit how many at most, at least 1
 */
public record BucketQuery(String owner, String prefix, String after, int limit) {}
