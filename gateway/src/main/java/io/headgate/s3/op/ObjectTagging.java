package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.http.Response;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import java.util.Map;

/**
 * GetObjectTagging, PutObjectTagging, DeleteObjectTagging: an object's tags.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html">S3: PutObjectTagging</a>
 */
final class ObjectTagging {
    static final Action READ = Action.GET_OBJECT_TAGGING;
    static final Action WRITE = Action.PUT_OBJECT_TAGGING;
    static final Action DELETE = Action.DELETE_OBJECT_TAGGING;

    private final Storage storage;
    private final AttributeChange change;

    ObjectTagging(Storage storage, AttributeChange change) {
        this.storage = storage;
        this.change = change;
    }

    Response get(S3Request.GetObjectTagging request) {
        ObjectVersion version = ObjectRead.version(storage, request.bucket(), request.key(), request.versionId());
        return Responses.xml(Tags.write(version.attributes().tags()).end("Tagging"));
    }

    Response put(S3Request.PutObjectTagging request, Call call) {
        Map<String, String> tags = Tags.read(call.document("Tagging", Call.DigestOf.DOCUMENT));
        if (tags.size() > RequestAttributes.MAX_TAGS) {
            throw new S3Exception(
                    S3Error.INVALID_TAG, "Object tags cannot be greater than " + RequestAttributes.MAX_TAGS);
        }
        set(request.bucket(), ObjectRead.version(storage, request.bucket(), request.key(), request.versionId()), tags);
        return Responses.empty(200);
    }

    Response delete(S3Request.DeleteObjectTagging request) {
        set(
                request.bucket(),
                ObjectRead.version(storage, request.bucket(), request.key(), request.versionId()),
                Map.of());
        return Responses.empty(204);
    }

    private void set(BucketName bucket, ObjectVersion found, Map<String, String> tags) {
        change.apply(
                bucket,
                found,
                attributes -> new ObjectAttributes(
                        attributes.headers(), attributes.metadata(), tags, attributes.storageClass()));
    }
}
