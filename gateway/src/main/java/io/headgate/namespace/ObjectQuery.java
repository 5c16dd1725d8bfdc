package io.headgate.namespace;

import io.headgate.domain.BucketName;

/**
 * A page of a bucket's current versions in the order of their keys' bytes, with keys that share the text up to the next delimiter
 * after the prefix rolled up into one common prefix.
 *
 * @param prefix only keys that begin with it; may be empty; any string
 * @param delimiter any string; empty for no roll-up
 * @param after only keys, and common prefixes, greater than it; may be empty. A common prefix that equals it, or of which it is an
 *     extension, is not listed again
 * @param limit how many keys and common prefixes together, 0 to 1,000
 */
public record ObjectQuery(BucketName bucket, String prefix, String delimiter, String after, int limit) {}
