package io.headgate.s3;

/**
 * The errors that S3 answers with: code, HTTP status and message.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html">S3: error responses</a>
 */
public enum S3Error {
    ACCESS_CONTROL_LIST_NOT_SUPPORTED("AccessControlListNotSupported", 400, "The bucket does not allow ACLs"),
    ACCESS_DENIED("AccessDenied", 403, "Access Denied"),
    ACCESS_FORBIDDEN("AccessForbidden", 403, "Access is forbidden"),
    AUTHORIZATION_HEADER_MALFORMED(
            "AuthorizationHeaderMalformed", 400, "The authorization header that you provided is not valid"),
    AUTHORIZATION_QUERY_PARAMETERS_ERROR(
            "AuthorizationQueryParametersError",
            400,
            "The authorization query parameters that you provided are not valid"),
    BAD_DIGEST("BadDigest", 400, "The checksum that you specified did not match what we received"),
    BAD_REQUEST("BadRequest", 400, "The request is not valid"),
    BUCKET_ALREADY_EXISTS(
            "BucketAlreadyExists",
            409,
            "The requested bucket name is not available. Bucket names are shared by all users of the system"),
    BUCKET_ALREADY_OWNED_BY_YOU(
            "BucketAlreadyOwnedByYou", 409, "The bucket that you tried to create already exists, and you own it"),
    BUCKET_NOT_EMPTY("BucketNotEmpty", 409, "The bucket that you tried to delete is not empty"),
    ENTITY_TOO_LARGE("EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed object size"),
    ENTITY_TOO_SMALL("EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed object size"),
    INCOMPLETE_BODY(
            "IncompleteBody",
            400,
            "You did not provide the number of bytes specified by the Content-Length HTTP header"),
    INTERNAL_ERROR("InternalError", 500, "We encountered an internal error. Please try again"),
    INVALID_ACCESS_KEY_ID(
            "InvalidAccessKeyId", 403, "The AWS access key ID that you provided does not exist in our records"),
    INVALID_ARGUMENT("InvalidArgument", 400, "Invalid argument"),
    INVALID_BUCKET_ACL_WITH_OBJECT_OWNERSHIP(
            "InvalidBucketAclWithObjectOwnership",
            400,
            "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting"),
    INVALID_BUCKET_NAME("InvalidBucketName", 400, "The specified bucket is not valid"),
    INVALID_DIGEST("InvalidDigest", 400, "The Content-MD5 or checksum value that you specified is not valid"),
    INVALID_LOCATION_CONSTRAINT("InvalidLocationConstraint", 400, "The specified location constraint is not valid"),
    INVALID_PART(
            "InvalidPart",
            400,
            "One or more of the specified parts could not be found. The part might not have been uploaded, or the specified"
                    + " entity tag might not have matched the part's entity tag"),
    INVALID_PART_NUMBER("InvalidPartNumber", 416, "The requested part number is not satisfiable"),
    INVALID_PART_ORDER("InvalidPartOrder", 400, "The list of parts was not in ascending order"),
    INVALID_POLICY_DOCUMENT(
            "InvalidPolicyDocument",
            400,
            "The content of the form does not meet the conditions specified in the policy document"),
    INVALID_RANGE("InvalidRange", 416, "The requested range is not satisfiable"),
    INVALID_REQUEST("InvalidRequest", 400, "The request is not valid"),
    INVALID_STORAGE_CLASS("InvalidStorageClass", 400, "The storage class that you specified is not valid"),
    INVALID_TAG("InvalidTag", 400, "The tag provided was not a valid tag"),
    INVALID_TOKEN("InvalidToken", 400, "The provided token is malformed or otherwise not valid"),
    INVALID_URI("InvalidURI", 400, "The specified URI couldn't be parsed"),
    KEY_TOO_LONG("KeyTooLongError", 400, "Your key is too long"),
    MALFORMED_ACL_ERROR(
            "MalformedACLError",
            400,
            "The XML that you provided was not well formed or did not validate against our published schema"),
    MALFORMED_POLICY("MalformedPolicy", 400, "The policy is not valid"),
    MALFORMED_POST_REQUEST(
            "MalformedPOSTRequest", 400, "The body of your POST request is not well-formed multipart/form-data"),
    MALFORMED_TRAILER("MalformedTrailerError", 400, "The request contained trailing data that was not well-formed"),
    MALFORMED_XML(
            "MalformedXML",
            400,
            "The XML that you provided was not well formed or did not validate against our published schema"),
    MAX_POST_PRE_DATA_LENGTH(
            "MaxPostPreDataLengthExceeded", 400, "Your POST request fields preceding the upload file were too large"),
    METADATA_TOO_LARGE("MetadataTooLarge", 400, "Your metadata headers exceed the maximum allowed metadata size"),
    MISSING_CONTENT_LENGTH("MissingContentLength", 411, "You must provide the Content-Length HTTP header"),
    NO_SUCH_BUCKET("NoSuchBucket", 404, "The specified bucket does not exist"),
    NO_SUCH_BUCKET_POLICY("NoSuchBucketPolicy", 404, "The bucket policy does not exist"),
    NO_SUCH_CORS_CONFIGURATION("NoSuchCORSConfiguration", 404, "The CORS configuration does not exist"),
    NO_SUCH_KEY("NoSuchKey", 404, "The specified key does not exist"),
    NO_SUCH_PUBLIC_ACCESS_BLOCK_CONFIGURATION(
            "NoSuchPublicAccessBlockConfiguration", 404, "The public access block configuration was not found"),
    NO_SUCH_TAG_SET("NoSuchTagSet", 404, "The TagSet does not exist"),
    NO_SUCH_UPLOAD(
            "NoSuchUpload",
            404,
            "The specified multipart upload does not exist. The upload ID may be invalid, or the upload may have been aborted or"
                    + " completed"),
    NO_SUCH_VERSION("NoSuchVersion", 404, "The specified version does not exist"),
    NOT_IMPLEMENTED(
            "NotImplemented",
            501,
            "A header or operation that you provided implies functionality that is not implemented"),
    NOT_MODIFIED("NotModified", 304, "Not Modified"),
    OPERATION_ABORTED(
            "OperationAborted",
            409,
            "A conflicting conditional operation is currently in progress against this resource"),
    CONDITIONAL_REQUEST_CONFLICT(
            "ConditionalRequestConflict", 409, "A conflicting operation occurred during the request. Please try again"),
    OWNERSHIP_CONTROLS_NOT_FOUND("OwnershipControlsNotFoundError", 404, "The bucket ownership controls were not found"),
    PRECONDITION_FAILED("PreconditionFailed", 412, "At least one of the preconditions that you specified did not hold"),
    REPLICATION_CONFIGURATION_NOT_FOUND(
            "ReplicationConfigurationNotFoundError", 404, "The replication configuration was not found"),
    REQUEST_TIME_TOO_SKEWED(
            "RequestTimeTooSkewed", 403, "The difference between the request time and the server's time is too large"),
    SERVER_SIDE_ENCRYPTION_CONFIGURATION_NOT_FOUND(
            "ServerSideEncryptionConfigurationNotFoundError",
            404,
            "The server side encryption configuration was not found"),
    SERVICE_UNAVAILABLE("ServiceUnavailable", 503, "Service is unable to handle the request. Please try again"),
    SIGNATURE_DOES_NOT_MATCH(
            "SignatureDoesNotMatch",
            403,
            "The request signature that we calculated does not match the signature that you provided. Check your key and signing"
                    + " method"),
    SLOW_DOWN("SlowDown", 503, "Please reduce your request rate"),
    UNRESOLVABLE_GRANT_BY_EMAIL_ADDRESS(
            "UnresolvableGrantByEmailAddress",
            400,
            "The email address that you provided does not match any account on record"),
    TEMPORARY_REDIRECT(
            "TemporaryRedirect",
            307,
            "Please re-send this request to the specified temporary endpoint. Continue to use the original request endpoint for future"
                    + " requests"),
    X_AMZ_CONTENT_SHA256_MISMATCH(
            "XAmzContentSHA256Mismatch",
            400,
            "The provided 'x-amz-content-sha256' header does not match what was computed");

    private final String code;
    private final int status;
    private final String message;

    S3Error(String code, int status, String message) {
        this.code = code;
        this.status = status;
        this.message = message;
    }

    public String code() {
        return code;
    }

    public int status() {
        return status;
    }

    /** The message for people, without a full stop; a more telling one may take its place. */
    public String message() {
        return message;
    }
}
