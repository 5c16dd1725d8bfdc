package io.headgate.s3;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import java.util.Optional;

/**
 * What a request asks for, as far as its method, target and the headers that choose the operation say it. One record an operation;
 * the other headers and the body are the operation's business.
 */
public sealed interface S3Request {
    /** The operation's name in S3's API, also the label of metrics and log lines. */
    default String operation() {
        return getClass().getSimpleName();
    }

    /** A request that concerns one bucket. */
    sealed interface OfBucket extends S3Request {
        BucketName bucket();
    }

    /** A request that concerns one object. */
    sealed interface OfObject extends OfBucket {
        ObjectKey key();
    }

    // Service

    /** Pages of {@code limit} from {@code continuationToken} on. */
    record ListBuckets(String prefix, String continuationToken, Optional<Integer> limit) implements S3Request {}

    // Buckets

    record CreateBucket(BucketName bucket) implements OfBucket {}

    record HeadBucket(BucketName bucket) implements OfBucket {}

    record DeleteBucket(BucketName bucket) implements OfBucket {}

    record GetBucketLocation(BucketName bucket) implements OfBucket {}

    record ListObjects(
            BucketName bucket, String prefix, String delimiter, String marker, int maxKeys, boolean encodeUrl)
            implements OfBucket {}

    record ListObjectsV2(
            BucketName bucket,
            String prefix,
            String delimiter,
            String startAfter,
            Optional<String> continuationToken,
            int maxKeys,
            boolean encodeUrl,
            boolean fetchOwner)
            implements OfBucket {}

    record ListMultipartUploads(
            BucketName bucket,
            String prefix,
            String delimiter,
            String keyMarker,
            String uploadIdMarker,
            int maxUploads,
            boolean encodeUrl)
            implements OfBucket {}

    record DeleteObjects(BucketName bucket) implements OfBucket {}

    // What owners set for buckets

    record GetBucketAccelerateConfiguration(BucketName bucket) implements OfBucket {}

    record GetBucketEncryption(BucketName bucket) implements OfBucket {}

    record GetBucketLogging(BucketName bucket) implements OfBucket {}

    record GetBucketNotificationConfiguration(BucketName bucket) implements OfBucket {}

    record GetBucketReplication(BucketName bucket) implements OfBucket {}

    record GetBucketOwnershipControls(BucketName bucket) implements OfBucket {}

    record PutBucketOwnershipControls(BucketName bucket) implements OfBucket {}

    record DeleteBucketOwnershipControls(BucketName bucket) implements OfBucket {}

    record GetPublicAccessBlock(BucketName bucket) implements OfBucket {}

    record PutPublicAccessBlock(BucketName bucket) implements OfBucket {}

    record DeletePublicAccessBlock(BucketName bucket) implements OfBucket {}

    record GetBucketRequestPayment(BucketName bucket) implements OfBucket {}

    record PutBucketRequestPayment(BucketName bucket) implements OfBucket {}

    record GetBucketTagging(BucketName bucket) implements OfBucket {}

    record PutBucketTagging(BucketName bucket) implements OfBucket {}

    record DeleteBucketTagging(BucketName bucket) implements OfBucket {}

    record GetBucketCors(BucketName bucket) implements OfBucket {}

    record PutBucketCors(BucketName bucket) implements OfBucket {}

    record DeleteBucketCors(BucketName bucket) implements OfBucket {}

    /** A browser asks what a page of another origin may do. */
    record Preflight(BucketName bucket, Optional<ObjectKey> key) implements OfBucket {}

    record GetBucketAcl(BucketName bucket) implements OfBucket {}

    record PutBucketAcl(BucketName bucket) implements OfBucket {}

    record GetBucketPolicy(BucketName bucket) implements OfBucket {}

    record GetBucketPolicyStatus(BucketName bucket) implements OfBucket {}

    record PutBucketPolicy(BucketName bucket) implements OfBucket {}

    record DeleteBucketPolicy(BucketName bucket) implements OfBucket {}

    /** A browser's form; its fields name the key. */
    record PostObject(BucketName bucket) implements OfBucket {}

    // Objects

    record GetObjectAcl(BucketName bucket, ObjectKey key, Optional<String> versionId) implements OfObject {}

    record PutObjectAcl(BucketName bucket, ObjectKey key, Optional<String> versionId) implements OfObject {}

    record GetObjectTagging(BucketName bucket, ObjectKey key, Optional<String> versionId) implements OfObject {}

    record PutObjectTagging(BucketName bucket, ObjectKey key, Optional<String> versionId) implements OfObject {}

    record DeleteObjectTagging(BucketName bucket, ObjectKey key, Optional<String> versionId) implements OfObject {}

    record PutObject(BucketName bucket, ObjectKey key) implements OfObject {}

    record CopyObject(BucketName bucket, ObjectKey key, CopySource source) implements OfObject {}

    record GetObject(BucketName bucket, ObjectKey key, Optional<String> versionId, Optional<Integer> partNumber)
            implements OfObject {}

    record HeadObject(BucketName bucket, ObjectKey key, Optional<String> versionId, Optional<Integer> partNumber)
            implements OfObject {}

    record GetObjectAttributes(BucketName bucket, ObjectKey key, Optional<String> versionId) implements OfObject {}

    record DeleteObject(BucketName bucket, ObjectKey key, Optional<String> versionId) implements OfObject {}

    // Multipart uploads

    record CreateMultipartUpload(BucketName bucket, ObjectKey key) implements OfObject {}

    record UploadPart(BucketName bucket, ObjectKey key, String uploadId, int partNumber) implements OfObject {}

    record UploadPartCopy(BucketName bucket, ObjectKey key, String uploadId, int partNumber, CopySource source)
            implements OfObject {}

    record CompleteMultipartUpload(BucketName bucket, ObjectKey key, String uploadId) implements OfObject {}

    record AbortMultipartUpload(BucketName bucket, ObjectKey key, String uploadId) implements OfObject {}

    record ListParts(
            BucketName bucket, ObjectKey key, String uploadId, int partNumberMarker, int maxParts, boolean encodeUrl)
            implements OfObject {}

    /** An operation of S3 that is not built, or a method that S3 does not know on such a resource. */
    record Unsupported(String name) implements S3Request {
        @Override
        public String operation() {
            return name;
        }
    }
}
