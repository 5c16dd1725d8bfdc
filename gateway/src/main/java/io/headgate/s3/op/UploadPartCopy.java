package io.headgate.s3.op;

import io.headgate.domain.ByteRange;
import io.headgate.http.RequestHead;
import io.headgate.http.Response;
import io.headgate.namespace.CopyPart;
import io.headgate.namespace.Part;
import io.headgate.namespace.Upload;
import io.headgate.s3.Action;
import io.headgate.s3.HttpDates;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import java.util.Optional;

/**
 * Makes a part of a range of an existing object by sharing its slices. The bytes are read only when the upload asks for a checksum.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html">S3: UploadPartCopy</a>
 */
final class UploadPartCopy {
    static final Action ACTION = Action.PUT_OBJECT;

    private final Storage storage;
    private final CopyChecksum checksums;

    UploadPartCopy(Storage storage, SliceReader slices) {
        this.storage = storage;
        this.checksums = new CopyChecksum(storage, slices);
    }

    Response handle(S3Request.UploadPartCopy request, Call call) {
        RequestHead head = call.head();
        CopySources.refuseVersion(request.source());
        ByteRange range = range(head);
        Upload upload = Refusals.done(storage.namespace().upload(request.bucket(), request.key(), request.uploadId()));
        Optional<CopyChecksum.Computed> computed =
                upload.checksum().map(wanted -> checksums.ofRange(request.source(), range, wanted.algorithm()));
        Part part = Refusals.done(storage.namespace()
                .copyPart(new CopyPart(
                        request.source().bucket(),
                        request.source().key(),
                        computed.map(CopyChecksum.Computed::sourceWriteId),
                        Conditions.copySource(head),
                        range,
                        request.bucket(),
                        request.key(),
                        request.uploadId(),
                        request.partNumber(),
                        computed.map(CopyChecksum.Computed::checksum),
                        storage.now())));
        XmlWriter xml = XmlWriter.document("CopyPartResult")
                .element("LastModified", HttpDates.iso(part.lastModified()))
                .element("ETag", part.etag().quoted());
        part.checksum().ifPresent(value -> xml.element(value.algorithm().element(), value.base64()));
        return Responses.xml(xml.end("CopyPartResult"));
    }

    private static ByteRange range(RequestHead head) {
        String header = head.header("x-amz-copy-source-range");
        if (header == null) {
            return new ByteRange.Whole();
        }
        return ObjectRead.explicitRange(header)
                .orElseThrow(() -> S3Exception.invalidArgument(
                        "x-amz-copy-source-range",
                        header,
                        "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the"
                                + " zero-based offsets of the first and last bytes to copy"));
    }
}
