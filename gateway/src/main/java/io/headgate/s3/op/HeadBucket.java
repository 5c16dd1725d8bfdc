package io.headgate.s3.op;

import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;

/**
 * Says whether a bucket exists and where.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html">S3: HeadBucket</a>
 */
final class HeadBucket {
    static final Action ACTION = Action.LIST_BUCKET;

    private final String region;

    HeadBucket(String region) {
        this.region = region;
    }

    Response handle(S3Request.HeadBucket request, Call call) {
        call.bucket(request.bucket());
        // Clients sign for the region they find here, so it is the gateway's, whatever region of accounts the bucket
        // prefers.
        return Responses.empty(200, new Field("x-amz-bucket-region", region));
    }
}
