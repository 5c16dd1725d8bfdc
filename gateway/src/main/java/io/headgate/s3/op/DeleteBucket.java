package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;

/**
 * Deletes an empty bucket.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html">S3: DeleteBucket</a>
 */
final class DeleteBucket {
    static final Action ACTION = Action.DELETE_BUCKET;

    private final Storage storage;
    private final BucketRegions regions;

    DeleteBucket(Storage storage, BucketRegions regions) {
        this.storage = storage;
        this.regions = regions;
    }

    Response handle(S3Request.DeleteBucket request) {
        Refusals.done(storage.namespace().deleteBucket(request.bucket(), storage.now()));
        regions.forget(request.bucket());
        return Responses.empty(204);
    }
}
