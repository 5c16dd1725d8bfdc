package io.headgate.namespace;

import io.headgate.domain.BucketName;
import java.time.Instant;

/**
 * A bucket.
 *
 * @param owner the user id of its owner
 * @param location its LocationConstraint, the preferred region of the accounts that hold its blobs; empty for none
 */
public record Bucket(BucketName name, String owner, String location, Instant createdAt) {}
