package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.region.Regions;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;
import java.util.Optional;

/**
 * Deletes an empty bucket.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html">S3: DeleteBucket</a>
 */
final class DeleteBucket {
    static final Action ACTION = Action.DELETE_BUCKET;

    private final Storage storage;
    private final BucketRegions preferred;
    private final Optional<Regions> regions;

    DeleteBucket(Storage storage, BucketRegions preferred, Optional<Regions> regions) {
        this.storage = storage;
        this.preferred = preferred;
        this.regions = regions;
    }

    Response handle(S3Request.DeleteBucket request) {
        Refusals.done(
                regions.isPresent()
                        ? regions.get().bucketNames().delete(request.bucket(), storage.now())
                        : storage.namespace().deleteBucket(request.bucket(), storage.now()));
        preferred.forget(request.bucket());
        return Responses.empty(204);
    }
}
