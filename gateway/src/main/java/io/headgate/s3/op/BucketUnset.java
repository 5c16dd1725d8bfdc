package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.http.Response;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import java.util.Map;

/**
 * GetBucketAccelerateConfiguration, GetBucketEncryption, GetBucketLogging, GetBucketNotificationConfiguration, GetBucketReplication and
 * the lists of analytics, intelligent tiering, inventory and metrics: reads of what cannot be set here, answered as S3 does where it is
 * not set. To set it answers NotImplemented.
 */
final class BucketUnset {
    static final Action ACCELERATE = Action.GET_ACCELERATE_CONFIGURATION;
    static final Action ENCRYPTION = Action.GET_ENCRYPTION_CONFIGURATION;
    static final Action LOGGING = Action.GET_BUCKET_LOGGING;
    static final Action NOTIFICATION = Action.GET_BUCKET_NOTIFICATION;
    static final Action REPLICATION = Action.GET_REPLICATION_CONFIGURATION;

    /**
     * GetBucketAccelerateConfiguration.
     *
     * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketAccelerateConfiguration.html">S3: GetBucketAccelerateConfiguration</a>
     */
    Response get(S3Request.GetBucketAccelerateConfiguration request, Call call) {
        return empty(request.bucket(), "AccelerateConfiguration", call);
    }

    /**
     * GetBucketLogging.
     *
     * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLogging.html">S3: GetBucketLogging</a>
     */
    Response get(S3Request.GetBucketLogging request, Call call) {
        return empty(request.bucket(), "BucketLoggingStatus", call);
    }

    /**
     * GetBucketNotificationConfiguration.
     *
     * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketNotificationConfiguration.html">S3: GetBucketNotificationConfiguration</a>
     */
    Response get(S3Request.GetBucketNotificationConfiguration request, Call call) {
        return empty(request.bucket(), "NotificationConfiguration", call);
    }

    /**
     * GetBucketEncryption.
     *
     * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketEncryption.html">S3: GetBucketEncryption</a>
     */
    @SuppressWarnings("DoNotCallSuggester") // the answer is an error
    Response get(S3Request.GetBucketEncryption request, Call call) {
        throw unset(request.bucket(), S3Error.SERVER_SIDE_ENCRYPTION_CONFIGURATION_NOT_FOUND, call);
    }

    /**
     * GetBucketReplication.
     *
     * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketReplication.html">S3: GetBucketReplication</a>
     */
    @SuppressWarnings("DoNotCallSuggester") // the answer is an error
    Response get(S3Request.GetBucketReplication request, Call call) {
        throw unset(request.bucket(), S3Error.REPLICATION_CONFIGURATION_NOT_FOUND, call);
    }

    private static Response empty(BucketName bucket, String root, Call call) {
        call.bucket(bucket);
        return Responses.xml(XmlWriter.document(root).end(root));
    }

    private static S3Exception unset(BucketName bucket, S3Error error, Call call) {
        call.bucket(bucket);
        return new S3Exception(error, error.message(), Map.of("BucketName", bucket.value()));
    }
}
