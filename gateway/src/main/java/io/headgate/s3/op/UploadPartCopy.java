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
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import io.headgate.s3.auth.VerifiedBody;
import java.util.Optional;

/**
 * Makes a part of a range of an existing object by sharing its slices. The bytes are read only when the upload asks for a checksum, or
 * lie in another region.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html">S3: UploadPartCopy</a>
 */
final class UploadPartCopy {
    static final Action ACTION = Action.PUT_OBJECT;

    private final Storage storage;
    private final CopyChecksum checksums;
    private final UploadPart uploadPart;
    private final Authorizer authorizer;
    private final Optional<OwningRegion> owning;

    /** @param owning if there are several regions */
    UploadPartCopy(
            Storage storage,
            SliceReader slices,
            UploadPart uploadPart,
            Authorizer authorizer,
            Optional<OwningRegion> owning) {
        this.storage = storage;
        this.checksums = new CopyChecksum(storage, slices);
        this.uploadPart = uploadPart;
        this.authorizer = authorizer;
        this.owning = owning;
    }

    Response handle(S3Request.UploadPartCopy request, Call call) {
        RequestHead head = call.head();
        CopySources.refuseVersion(request.source());
        ByteRange range = range(head);
        Upload upload = Refusals.done(storage.namespace().upload(request.bucket(), request.key(), request.uploadId()));
        Optional<String> region = call.sourceRegion();
        if (region.isPresent()) {
            Optional<RemoteSource> remote =
                    RemoteSource.open(owning.orElseThrow(), region.get(), request.source(), range, call);
            if (remote.isPresent()) {
                try (RemoteSource source = remote.get()) {
                    return result(copy(source, upload, request, call));
                }
            }
            authorizer.checkLocalSource(
                    request.source().bucket(), request.source().key(), request, call);
        }
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
        return result(part);
    }

    /** Stores the bytes of a source in another region as a part here. */
    private Part copy(RemoteSource source, Upload upload, S3Request.UploadPartCopy request, Call call) {
        if (source.sizeBytes() > PutObject.MAX_BYTES) {
            throw new S3Exception(S3Error.ENTITY_TOO_LARGE);
        }
        VerifiedBody body = source.body(upload.checksum().map(Upload.UploadChecksum::algorithm));
        return uploadPart.store(upload, request.partNumber(), body, call, etag -> source.check(etag, body.checksum()));
    }

    private static Response result(Part part) {
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
