package io.headgate.s3;

/**
 * What a request needs the permission for, by the names that policies use.
 *
 * @see <a href="https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html">S3: actions</a>
 */
public enum Action {
    ABORT_MULTIPART_UPLOAD("s3:AbortMultipartUpload"),
    CREATE_BUCKET("s3:CreateBucket"),
    DELETE_BUCKET("s3:DeleteBucket"),
    DELETE_BUCKET_POLICY("s3:DeleteBucketPolicy"),
    DELETE_OBJECT("s3:DeleteObject"),
    DELETE_OBJECT_TAGGING("s3:DeleteObjectTagging"),
    GET_ACCELERATE_CONFIGURATION("s3:GetAccelerateConfiguration"),
    GET_BUCKET_ACL("s3:GetBucketAcl"),
    GET_BUCKET_CORS("s3:GetBucketCORS"),
    GET_BUCKET_LOCATION("s3:GetBucketLocation"),
    GET_BUCKET_LOGGING("s3:GetBucketLogging"),
    GET_BUCKET_NOTIFICATION("s3:GetBucketNotification"),
    GET_BUCKET_OWNERSHIP_CONTROLS("s3:GetBucketOwnershipControls"),
    GET_BUCKET_POLICY("s3:GetBucketPolicy"),
    GET_BUCKET_POLICY_STATUS("s3:GetBucketPolicyStatus"),
    GET_BUCKET_PUBLIC_ACCESS_BLOCK("s3:GetBucketPublicAccessBlock"),
    GET_BUCKET_REQUEST_PAYMENT("s3:GetBucketRequestPayment"),
    GET_BUCKET_TAGGING("s3:GetBucketTagging"),
    GET_ENCRYPTION_CONFIGURATION("s3:GetEncryptionConfiguration"),
    GET_OBJECT("s3:GetObject"),
    GET_OBJECT_ACL("s3:GetObjectAcl"),
    GET_OBJECT_ATTRIBUTES("s3:GetObjectAttributes"),
    GET_OBJECT_TAGGING("s3:GetObjectTagging"),
    GET_REPLICATION_CONFIGURATION("s3:GetReplicationConfiguration"),
    LIST_ALL_MY_BUCKETS("s3:ListAllMyBuckets"),
    LIST_BUCKET("s3:ListBucket"),
    LIST_BUCKET_MULTIPART_UPLOADS("s3:ListBucketMultipartUploads"),
    LIST_MULTIPART_UPLOAD_PARTS("s3:ListMultipartUploadParts"),
    PUT_BUCKET_ACL("s3:PutBucketAcl"),
    PUT_BUCKET_CORS("s3:PutBucketCORS"),
    PUT_BUCKET_OWNERSHIP_CONTROLS("s3:PutBucketOwnershipControls"),
    PUT_BUCKET_POLICY("s3:PutBucketPolicy"),
    PUT_BUCKET_PUBLIC_ACCESS_BLOCK("s3:PutBucketPublicAccessBlock"),
    PUT_BUCKET_REQUEST_PAYMENT("s3:PutBucketRequestPayment"),
    PUT_BUCKET_TAGGING("s3:PutBucketTagging"),
    PUT_OBJECT("s3:PutObject"),
    PUT_OBJECT_ACL("s3:PutObjectAcl"),
    PUT_OBJECT_TAGGING("s3:PutObjectTagging");

    private final String policyName;

    Action(String policyName) {
        this.policyName = policyName;
    }

    public String policyName() {
        return policyName;
    }
}
