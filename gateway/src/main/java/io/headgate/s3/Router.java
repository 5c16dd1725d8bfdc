package io.headgate.s3;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.http.RequestHead;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/**
 * Turns a request's head into the operation it asks for: a pure function. Buckets stand in the path, or before the configured domain
 * in the Host header.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html">S3: virtual hosting of buckets</a>
 */
public final class Router {
    /** The largest page of a listing. */
    public static final int MAX_PAGE = 1000;

    private static final int MAX_BUCKETS_PAGE = 10_000;
    private static final int MAX_PART_NUMBER = 10_000;

    /** {@code .} + domain, or empty when only path style is served. */
    private final String hostSuffix;

    /** @param domain the domain under which buckets are hosts; empty for path style only */
    public Router(String domain) {
        this.hostSuffix = domain.isEmpty() ? "" : "." + domain.toLowerCase(Locale.ROOT);
    }

    /**
     * The operation that the head asks for; {@link S3Request.Unsupported} if it is not built.
     *
     * @param query the head's
     * @throws S3Exception if the target names no valid bucket or key, or a parameter is invalid
     */
    public S3Request route(RequestHead head, QueryParameters query) {
        String path = head.rawPath();
        if (!path.startsWith("/")) {
            throw new S3Exception(S3Error.INVALID_URI);
        }
        String bucket = hostBucket(head);
        String rawKey;
        if (bucket.isEmpty()) {
            int slash = path.indexOf('/', 1);
            bucket = decodePath(slash < 0 ? path.substring(1) : path.substring(1, slash));
            rawKey = slash < 0 ? "" : path.substring(slash + 1);
        } else {
            rawKey = path.substring(1);
        }
        if (bucket.isEmpty()) {
            if (!rawKey.isEmpty()) {
                throw new S3Exception(S3Error.INVALID_URI);
            }
            return service(head, query);
        }
        if (!BucketName.isValid(bucket)) {
            throw new S3Exception(
                    S3Error.INVALID_BUCKET_NAME,
                    S3Error.INVALID_BUCKET_NAME.message(),
                    java.util.Map.of("BucketName", bucket));
        }
        BucketName name = new BucketName(bucket);
        if (head.method().equals("OPTIONS")) {
            return new S3Request.Preflight(
                    name, rawKey.isEmpty() ? Optional.empty() : Optional.of(key(decodePath(rawKey))));
        }
        if (rawKey.isEmpty()) {
            return bucket(head, query, name);
        }
        return object(head, query, name, key(decodePath(rawKey)));
    }

    /** The bucket that the Host header stands for; empty if the bucket stands in the path. */
    public String hostBucket(RequestHead head) {
        String host = head.header("host");
        if (hostSuffix.isEmpty() || host == null) {
            return "";
        }
        int colon = host.lastIndexOf(':');
        String name = (colon < 0 || host.endsWith("]") ? host : host.substring(0, colon)).toLowerCase(Locale.ROOT);
        return name.endsWith(hostSuffix) ? name.substring(0, name.length() - hostSuffix.length()) : "";
    }

    private static String decodePath(String raw) {
        try {
            return PercentCoding.decode(raw, false);
        } catch (IllegalArgumentException malformed) {
            throw new S3Exception(S3Error.INVALID_URI);
        }
    }

    /** The key, or the S3 error that it is too long or not text. */
    public static ObjectKey key(String text) {
        try {
            return new ObjectKey(text);
        } catch (IllegalArgumentException invalid) {
            boolean tooLong = text.getBytes(StandardCharsets.UTF_8).length > ObjectKey.MAX_BYTES;
            throw new S3Exception(tooLong ? S3Error.KEY_TOO_LONG : S3Error.INVALID_URI);
        }
    }

    private static S3Request service(RequestHead head, QueryParameters query) {
        if (!head.method().equals("GET") || !Subresource.of(query).isEmpty()) {
            return new S3Request.Unsupported(
                    Subresource.operationName(head.method(), Subresource.Scope.SERVICE, query));
        }
        Optional<Integer> limit = query.has("max-buckets")
                ? Optional.of(query.number("max-buckets", MAX_BUCKETS_PAGE, 1, MAX_BUCKETS_PAGE))
                : Optional.empty();
        return new S3Request.ListBuckets(query.get("prefix"), query.get("continuation-token"), limit);
    }

    private static S3Request bucket(RequestHead head, QueryParameters query, BucketName bucket) {
        String subresource = Subresource.of(query);
        S3Request request = switch (head.method() + " " + subresource) {
            case "GET " ->
                query.get("list-type").equals("2") ? listObjectsV2(query, bucket) : listObjects(query, bucket);
            case "GET location" -> new S3Request.GetBucketLocation(bucket);
            case "GET uploads" -> listMultipartUploads(query, bucket);
            case "GET accelerate" -> new S3Request.GetBucketAccelerateConfiguration(bucket);
            case "GET encryption" -> new S3Request.GetBucketEncryption(bucket);
            case "GET logging" -> new S3Request.GetBucketLogging(bucket);
            case "GET notification" -> new S3Request.GetBucketNotificationConfiguration(bucket);
            case "GET replication" -> new S3Request.GetBucketReplication(bucket);
            case "GET ownershipControls" -> new S3Request.GetBucketOwnershipControls(bucket);
            case "PUT ownershipControls" -> new S3Request.PutBucketOwnershipControls(bucket);
            case "DELETE ownershipControls" -> new S3Request.DeleteBucketOwnershipControls(bucket);
            case "GET publicAccessBlock" -> new S3Request.GetPublicAccessBlock(bucket);
            case "PUT publicAccessBlock" -> new S3Request.PutPublicAccessBlock(bucket);
            case "DELETE publicAccessBlock" -> new S3Request.DeletePublicAccessBlock(bucket);
            case "GET requestPayment" -> new S3Request.GetBucketRequestPayment(bucket);
            case "PUT requestPayment" -> new S3Request.PutBucketRequestPayment(bucket);
            case "GET tagging" -> new S3Request.GetBucketTagging(bucket);
            case "PUT tagging" -> new S3Request.PutBucketTagging(bucket);
            case "DELETE tagging" -> new S3Request.DeleteBucketTagging(bucket);
            case "GET acl" -> new S3Request.GetBucketAcl(bucket);
            case "GET cors" -> new S3Request.GetBucketCors(bucket);
            case "PUT cors" -> new S3Request.PutBucketCors(bucket);
            case "DELETE cors" -> new S3Request.DeleteBucketCors(bucket);
            case "PUT acl" -> new S3Request.PutBucketAcl(bucket);
            case "GET policy" -> new S3Request.GetBucketPolicy(bucket);
            case "PUT policy" -> new S3Request.PutBucketPolicy(bucket);
            case "DELETE policy" -> new S3Request.DeleteBucketPolicy(bucket);
            case "GET policyStatus" -> new S3Request.GetBucketPolicyStatus(bucket);
            case "PUT " -> new S3Request.CreateBucket(bucket);
            case "HEAD " -> new S3Request.HeadBucket(bucket);
            case "DELETE " -> new S3Request.DeleteBucket(bucket);
            case "POST " -> new S3Request.PostObject(bucket);
            case "POST delete" -> new S3Request.DeleteObjects(bucket);
            default -> null;
        };
        return request != null
                ? request
                : new S3Request.Unsupported(Subresource.operationName(head.method(), Subresource.Scope.BUCKET, query));
    }

    private static S3Request object(RequestHead head, QueryParameters query, BucketName bucket, ObjectKey key) {
        String subresource = Subresource.of(query);
        boolean ofUpload = query.has("uploadId");
        S3Request request = switch (head.method() + " " + subresource) {
            case "GET " ->
                ofUpload
                        ? listParts(query, bucket, key)
                        : new S3Request.GetObject(bucket, key, version(query), partNumber(query));
            case "GET acl" -> new S3Request.GetObjectAcl(bucket, key, version(query));
            case "PUT acl" -> new S3Request.PutObjectAcl(bucket, key, version(query));
            case "GET tagging" -> new S3Request.GetObjectTagging(bucket, key, version(query));
            case "PUT tagging" -> new S3Request.PutObjectTagging(bucket, key, version(query));
            case "DELETE tagging" -> new S3Request.DeleteObjectTagging(bucket, key, version(query));
            case "GET attributes" -> new S3Request.GetObjectAttributes(bucket, key, version(query));
            case "HEAD " -> new S3Request.HeadObject(bucket, key, version(query), partNumber(query));
            case "PUT " -> put(head, query, bucket, key);
            case "DELETE " ->
                ofUpload
                        ? new S3Request.AbortMultipartUpload(bucket, key, query.get("uploadId"))
                        : new S3Request.DeleteObject(bucket, key, version(query));
            case "POST uploads" -> new S3Request.CreateMultipartUpload(bucket, key);
            case "POST " -> ofUpload ? new S3Request.CompleteMultipartUpload(bucket, key, query.get("uploadId")) : null;
            default -> null;
        };
        return request != null
                ? request
                : new S3Request.Unsupported(Subresource.operationName(head.method(), Subresource.Scope.OBJECT, query));
    }

    private static S3Request put(RequestHead head, QueryParameters query, BucketName bucket, ObjectKey key) {
        if (query.has("append") || head.header("x-amz-write-offset-bytes") != null) {
            return new S3Request.Unsupported("PutObject (append)");
        }
        String copySource = head.header("x-amz-copy-source");
        boolean part = query.has("partNumber") || query.has("uploadId");
        if (!part) {
            return copySource == null
                    ? new S3Request.PutObject(bucket, key)
                    : new S3Request.CopyObject(bucket, key, CopySource.parse(copySource));
        }
        if (query.get("partNumber").isEmpty() || query.get("uploadId").isEmpty()) {
            throw new S3Exception(S3Error.INVALID_ARGUMENT, "This operation needs both partNumber and uploadId");
        }
        int number = query.number("partNumber", 0, 1, MAX_PART_NUMBER);
        String uploadId = query.get("uploadId");
        return copySource == null
                ? new S3Request.UploadPart(bucket, key, uploadId, number)
                : new S3Request.UploadPartCopy(bucket, key, uploadId, number, CopySource.parse(copySource));
    }

    private static S3Request listObjects(QueryParameters query, BucketName bucket) {
        return new S3Request.ListObjects(
                bucket,
                query.get("prefix"),
                query.get("delimiter"),
                query.get("marker"),
                maxKeys(query, "max-keys"),
                encodeUrl(query));
    }

    private static S3Request listObjectsV2(QueryParameters query, BucketName bucket) {
        return new S3Request.ListObjectsV2(
                bucket,
                query.get("prefix"),
                query.get("delimiter"),
                query.get("start-after"),
                Optional.ofNullable(query.find("continuation-token")),
                maxKeys(query, "max-keys"),
                encodeUrl(query),
                query.get("fetch-owner").equals("true"));
    }

    private static S3Request listMultipartUploads(QueryParameters query, BucketName bucket) {
        return new S3Request.ListMultipartUploads(
                bucket,
                query.get("prefix"),
                query.get("delimiter"),
                query.get("key-marker"),
                query.get("upload-id-marker"),
                maxKeys(query, "max-uploads"),
                encodeUrl(query));
    }

    private static S3Request listParts(QueryParameters query, BucketName bucket, ObjectKey key) {
        return new S3Request.ListParts(
                bucket,
                key,
                query.get("uploadId"),
                query.number("part-number-marker", 0, 0, Integer.MAX_VALUE),
                maxKeys(query, "max-parts"),
                encodeUrl(query));
    }

    /** A larger page than S3's largest is cut down to it, not refused. */
    private static int maxKeys(QueryParameters query, String name) {
        return Math.min(query.number(name, MAX_PAGE, 0, Integer.MAX_VALUE), MAX_PAGE);
    }

    private static boolean encodeUrl(QueryParameters query) {
        String encoding = query.get("encoding-type");
        if (!encoding.isEmpty() && !encoding.equals("url")) {
            throw S3Exception.invalidArgument(
                    "encoding-type", encoding, "Invalid Encoding Method specified in Request");
        }
        return !encoding.isEmpty();
    }

    private static Optional<String> version(QueryParameters query) {
        return Optional.ofNullable(query.find("versionId"));
    }

    private static Optional<Integer> partNumber(QueryParameters query) {
        return query.has("partNumber")
                ? Optional.of(query.number("partNumber", 1, 1, MAX_PART_NUMBER))
                : Optional.empty();
    }
}
