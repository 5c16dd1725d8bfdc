package io.headgate.policy;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;

/** What a request is about, by the name that policies use: {@code arn:aws:s3:::bucket} or {@code arn:aws:s3:::bucket/key}. */
public record Resource(String arn) {
    static final String PREFIX = "arn:aws:s3:::";

    /** For what concerns no bucket, such as a listing of all buckets. */
    public static final Resource SERVICE = new Resource(PREFIX + "*");

    public static Resource of(BucketName bucket) {
        return new Resource(PREFIX + bucket.value());
    }

    public static Resource of(BucketName bucket, ObjectKey key) {
        return new Resource(PREFIX + bucket.value() + "/" + key.value());
    }
}
