package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import java.util.List;

/**
 * Deletes an object; what is not there is deleted already.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html">S3: DeleteObject</a>
 */
final class DeleteObject {
    static final Action ACTION = Action.DELETE_OBJECT;

    private final Storage storage;

    DeleteObject(Storage storage) {
        this.storage = storage;
    }

    Response handle(S3Request.DeleteObject request, Call call) {
        if (request.versionId().isPresent() && !request.versionId().get().equals("null")) {
            // No such version can exist, so it is gone already; but an id that no S3 ever made is an error to its
            // client.
            throw new S3Exception(S3Error.NO_SUCH_VERSION);
        }
        var command = new io.headgate.namespace.DeleteObject(request.key(), Conditions.write(call.head()));
        Refusals.done(storage.namespace()
                .deleteObjects(request.bucket(), List.of(command), storage.now())
                .getFirst());
        return Responses.empty(204);
    }
}
