package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.s3.Action;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.auth.Credential;

/**
 * Decides who may do what: root everything, every user whatever they like with their own buckets, nobody else anything. Policies and
 * ACLs are not built.
 */
final class Authorizer {
    private final String rootUserId;

    Authorizer(String rootUserId) {
        this.rootUserId = rootUserId;
    }

    /** @throws S3Exception AccessDenied, or NoSuchBucket for a bucket that does not exist */
    void check(S3Request request, Action action, Call call) {
        switch (action) {
            case LIST_ALL_MY_BUCKETS, CREATE_BUCKET -> {
                // every user has buckets, and may make them
            }
            case ABORT_MULTIPART_UPLOAD,
                    DELETE_BUCKET,
                    DELETE_OBJECT,
                    GET_BUCKET_LOCATION,
                    GET_OBJECT,
                    GET_OBJECT_ATTRIBUTES,
                    LIST_BUCKET,
                    LIST_BUCKET_MULTIPART_UPLOADS,
                    LIST_MULTIPART_UPLOAD_PARTS,
                    PUT_OBJECT -> {
                if (request instanceof S3Request.OfBucket ofBucket) {
                    checkBucket(ofBucket.bucket(), call);
                }
                switch (request) {
                    case S3Request.CopyObject copy -> checkBucket(copy.source().bucket(), call);
                    case S3Request.UploadPartCopy copy ->
                        checkBucket(copy.source().bucket(), call);
                    default -> {
                        // no second bucket is concerned
                    }
                }
            }
        }
    }

    private void checkBucket(BucketName name, Call call) {
        Credential user = call.user();
        // Root needs no look-up: the operation itself finds out whether the bucket exists.
        if (!user.userId().equals(rootUserId) && !call.bucket(name).owner().equals(user.userId())) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
    }
}
