package io.headgate.s3.op;

import io.headgate.domain.ByteRange;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.namespace.ObjectVersion;
import io.headgate.s3.Action;
import io.headgate.s3.S3Request;
import java.util.List;

/**
 * Describes an object without its bytes: one look-up in the namespace, no call to any account.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html">S3: HeadObject</a>
 */
final class HeadObject {
    static final Action ACTION = Action.GET_OBJECT;

    private final ObjectRead read;

    HeadObject(Storage storage) {
        this.read = new ObjectRead(storage);
    }

    Response handle(S3Request.HeadObject request, Call call) {
        return switch (read.resolve(request.bucket(), request.key(), request.versionId(), request.partNumber(), call)) {
            case ObjectRead.NotModified(List<Field> headers) -> new Response(304, headers, new Response.Body.None(-1));
            case ObjectRead.Found(ObjectVersion version, ByteRange.Resolved range, int status, List<Field> headers) ->
                new Response(status, headers, new Response.Body.None(range.lengthBytes()));
        };
    }
}
