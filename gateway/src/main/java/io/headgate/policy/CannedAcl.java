package io.headgate.policy;

import java.util.Optional;

/**
 * Access control lists by name, as {@code x-amz-acl} gives them.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#canned-acl">S3: canned ACL</a>
 */
public enum CannedAcl {
    PRIVATE("private"),
    PUBLIC_READ("public-read"),
    PUBLIC_READ_WRITE("public-read-write"),
    AUTHENTICATED_READ("authenticated-read"),
    /** On a bucket the same as private. */
    BUCKET_OWNER_READ("bucket-owner-read"),
    /** On a bucket the same as private. */
    BUCKET_OWNER_FULL_CONTROL("bucket-owner-full-control"),
    /** On an object the same as private. */
    LOG_DELIVERY_WRITE("log-delivery-write"),
    /** For images of a service that is not here: the same as private. */
    AWS_EXEC_READ("aws-exec-read");

    private final String headerValue;

    CannedAcl(String headerValue) {
        this.headerValue = headerValue;
    }

    public String headerValue() {
        return headerValue;
    }

    /** Empty if there is none of that name, which is an InvalidArgument. */
    public static Optional<CannedAcl> of(String headerValue) {
        for (CannedAcl acl : values()) {
            if (acl.headerValue.equals(headerValue)) {
                return Optional.of(acl);
            }
        }
        return Optional.empty();
    }
}
