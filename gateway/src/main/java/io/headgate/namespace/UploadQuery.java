package io.headgate.namespace;

import io.headgate.domain.BucketName;

/**
 * A page of a bucket's uploads in progress, in the order of their keys' bytes, then of their start, then of their ids.
 *
 * @param afterKey only uploads of keys greater than it, or of this key and after {@code afterUploadId} when that is not empty; if
 *     that upload is gone since, all uploads of the key come again
 * @param limit how many uploads and common prefixes together, 0 to 1,000
 */
public record UploadQuery(
        BucketName bucket, String prefix, String delimiter, String afterKey, String afterUploadId, int limit) {}
