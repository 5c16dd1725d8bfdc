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
    DELETE_OBJECT("s3:DeleteObject"),
    GET_BUCKET_LOCATION("s3:GetBucketLocation"),
    GET_OBJECT("s3:GetObject"),
    GET_OBJECT_ATTRIBUTES("s3:GetObjectAttributes"),
    LIST_ALL_MY_BUCKETS("s3:ListAllMyBuckets"),
    LIST_BUCKET("s3:ListBucket"),
    LIST_BUCKET_MULTIPART_UPLOADS("s3:ListBucketMultipartUploads"),
    LIST_MULTIPART_UPLOAD_PARTS("s3:ListMultipartUploadParts"),
    PUT_OBJECT("s3:PutObject");

    private final String policyName;

    Action(String policyName) {
        this.policyName = policyName;
    }

    public String policyName() {
        return policyName;
    }
}
