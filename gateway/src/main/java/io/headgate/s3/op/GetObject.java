package io.headgate.s3.op;

import io.headgate.domain.ByteRange;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.namespace.ObjectVersion;
import io.headgate.region.PeerRequest;
import io.headgate.s3.Action;
import io.headgate.s3.S3Request;
import java.util.List;

/**
 * Reads an object, or a range or a part of it.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html">S3: GetObject</a>
 */
final class GetObject {
    static final Action ACTION = Action.GET_OBJECT;

    private final Storage storage;
    private final SliceReader slices;
    private final ObjectRead read;

    GetObject(Storage storage, SliceReader slices) {
        this.storage = storage;
        this.slices = slices;
        this.read = new ObjectRead(storage);
    }

    Response handle(S3Request.GetObject request, Call call) {
        long readBegun = storage.reads().begin();
        boolean handedOver = false;
        try {
            switch (read.resolve(request.bucket(), request.key(), request.versionId(), request.partNumber(), call)) {
                case ObjectRead.NotModified(List<Field> headers) -> {
                    return new Response(304, headers, new Response.Body.None(-1));
                }
                case ObjectRead.Found(
                        ObjectVersion version,
                        ByteRange.Resolved range,
                        int status,
                        List<Field> headers) -> {
                    if (call.isForwarded() && call.header(PeerRequest.WITH_TAGS) != null) {
                        RequestAttributes.tagging(version.attributes()).ifPresent(headers::add);
                    }
                    if (range.lengthBytes() == 0) {
                        return new Response(status, headers, new Response.Body.None(0));
                    }
                    handedOver = true;
                    return new Response(
                            status,
                            headers,
                            new Response.Body.Channel(slices.open(version, range, readBegun), range.lengthBytes()));
                }
            }
        } finally {
            if (!handedOver) {
                storage.reads().end(readBegun);
            }
        }
    }
}
