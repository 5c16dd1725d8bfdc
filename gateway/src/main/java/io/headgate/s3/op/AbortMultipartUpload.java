package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;

/**
 * Gives up a multipart upload; its parts become garbage.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html">S3: AbortMultipartUpload</a>
 */
final class AbortMultipartUpload {
    static final Action ACTION = Action.ABORT_MULTIPART_UPLOAD;

    private final Storage storage;

    AbortMultipartUpload(Storage storage) {
        this.storage = storage;
    }

    Response handle(S3Request.AbortMultipartUpload request) {
        Refusals.done(
                storage.namespace().abortUpload(request.bucket(), request.key(), request.uploadId(), storage.now()));
        return Responses.empty(204);
    }
}
