package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.s3.Action;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import java.util.Optional;

/**
 * Decides who may do what: root everything, every user whatever they like with their own buckets, nobody else anything. Policies and
 * ACLs are not built.
 */
final class Authorizer {
    private static final String EXPECTED_OWNER = "x-amz-expected-bucket-owner";
    private static final String EXPECTED_SOURCE_OWNER = "x-amz-source-expected-bucket-owner";

    private final String rootUserId;
    private final Optional<OwningRegion> owning;

    /** @param owning if there are several regions */
    Authorizer(String rootUserId, Optional<OwningRegion> owning) {
        this.rootUserId = rootUserId;
        this.owning = owning;
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
                    GET_ACCELERATE_CONFIGURATION,
                    GET_BUCKET_LOCATION,
                    GET_BUCKET_LOGGING,
                    GET_BUCKET_NOTIFICATION,
                    GET_BUCKET_OWNERSHIP_CONTROLS,
                    GET_BUCKET_PUBLIC_ACCESS_BLOCK,
                    GET_BUCKET_REQUEST_PAYMENT,
                    GET_BUCKET_TAGGING,
                    GET_ENCRYPTION_CONFIGURATION,
                    GET_OBJECT,
                    GET_OBJECT_ATTRIBUTES,
                    GET_REPLICATION_CONFIGURATION,
                    LIST_BUCKET,
                    LIST_BUCKET_MULTIPART_UPLOADS,
                    LIST_MULTIPART_UPLOAD_PARTS,
                    PUT_BUCKET_OWNERSHIP_CONTROLS,
                    PUT_BUCKET_PUBLIC_ACCESS_BLOCK,
                    PUT_BUCKET_REQUEST_PAYMENT,
                    PUT_BUCKET_TAGGING,
                    PUT_OBJECT -> {
                if (request instanceof S3Request.OfBucket ofBucket) {
                    checkBucket(ofBucket.bucket(), EXPECTED_OWNER, call);
                }
                switch (request) {
                    case S3Request.CopyObject copy -> checkSource(copy.source().bucket(), call);
                    case S3Request.UploadPartCopy copy ->
                        checkSource(copy.source().bucket(), call);
                    default -> {
                        // no second bucket is concerned
                    }
                }
            }
        }
    }

    /** A source in another region is read by its rules, and only there. */
    private void checkSource(BucketName name, Call call) {
        Optional<String> region = owning.flatMap(of -> of.other(name));
        call.sourceIsIn(region);
        if (region.isEmpty()) {
            checkLocalSource(name, call);
        }
    }

    /** For who finds the source in this region though it was thought to be in another. */
    void checkLocalSource(BucketName name, Call call) {
        checkBucket(name, EXPECTED_SOURCE_OWNER, call);
    }

    /** @param ownerHeader the header in which a client may say whose it takes the bucket to be */
    private void checkBucket(BucketName name, String ownerHeader, Call call) {
        String expectedOwner = call.header(ownerHeader);
        boolean isRoot = call.userId().equals(rootUserId);
        if (isRoot && expectedOwner == null) {
            return; // without a look-up: the operation itself finds out whether the bucket exists
        }
        String owner = call.bucket(name).owner();
        boolean allowed = isRoot || owner.equals(call.userId());
        if (!allowed || (expectedOwner != null && !expectedOwner.equals(owner))) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
    }
}
