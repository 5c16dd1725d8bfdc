package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.BucketSetting;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import java.util.Map;

/**
 * GetBucketTagging, PutBucketTagging, DeleteBucketTagging: labels of a bucket, for its owner's use alone.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketTagging.html">S3: PutBucketTagging</a>
 */
final class BucketTagging {
    static final Action READ = Action.GET_BUCKET_TAGGING;
    static final Action WRITE = Action.PUT_BUCKET_TAGGING;

    private static final int MAX_TAGS = 50;

    private final BucketDocuments documents;

    BucketTagging(BucketDocuments documents) {
        this.documents = documents;
    }

    Response get(S3Request.GetBucketTagging request, Call call) {
        return documents.get(request.bucket(), BucketSetting.TAGGING, S3Error.NO_SUCH_TAG_SET, call);
    }

    Response put(S3Request.PutBucketTagging request, Call call) {
        Map<String, String> tags = Tags.read(call.document("Tagging", Call.DigestOf.DOCUMENT));
        if (tags.size() > MAX_TAGS) {
            throw new S3Exception(S3Error.INVALID_TAG, "Bucket tag count cannot be greater than " + MAX_TAGS);
        }
        documents.put(request.bucket(), BucketSetting.TAGGING, Tags.write(tags), "Tagging");
        return Responses.empty(204);
    }

    Response delete(S3Request.DeleteBucketTagging request) {
        return documents.delete(request.bucket(), BucketSetting.TAGGING);
    }
}
