package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.Part;
import io.headgate.namespace.PartsPage;
import io.headgate.namespace.Upload;
import io.headgate.s3.Action;
import io.headgate.s3.HttpDates;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import java.util.List;

/**
 * Lists the parts of an upload in progress.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html">S3: ListParts</a>
 */
final class ListParts {
    static final Action ACTION = Action.LIST_MULTIPART_UPLOAD_PARTS;

    private final Storage storage;
    private final Owners owners;

    ListParts(Storage storage, Owners owners) {
        this.storage = storage;
        this.owners = owners;
    }

    Response handle(S3Request.ListParts request, Call call) {
        PartsPage page = Refusals.done(storage.namespace()
                .listParts(
                        request.bucket(),
                        request.key(),
                        request.uploadId(),
                        request.partNumberMarker(),
                        request.maxParts()));
        Upload upload = page.upload();
        List<Part> parts = page.parts();
        Listing listing = new Listing("ListPartsResult", request.encodeUrl());
        XmlWriter xml = listing.xml().element("Bucket", request.bucket().value());
        listing.text("Key", request.key().value()).encodingType();
        xml.element("UploadId", upload.id());
        listing.owner("Initiator", owners.user(upload.owner()));
        listing.owner("Owner", owners.user(ObjectAcl.owner(upload.attributes(), call.bucket(request.bucket()))));
        xml.element("StorageClass", upload.attributes().storageClass())
                .element("PartNumberMarker", request.partNumberMarker());
        if (!parts.isEmpty()) {
            xml.element("NextPartNumberMarker", parts.getLast().number());
        }
        xml.element("MaxParts", request.maxParts()).element("IsTruncated", page.truncated());
        upload.checksum()
                .ifPresent(checksum -> xml.element(
                                "ChecksumAlgorithm", checksum.algorithm().name())
                        .element("ChecksumType", checksum.type().name()));
        for (Part part : parts) {
            xml.open("Part")
                    .element("PartNumber", part.number())
                    .element("LastModified", HttpDates.iso(part.lastModified()))
                    .element("ETag", part.etag().quoted())
                    .element("Size", part.sizeBytes());
            part.checksum().ifPresent(value -> xml.element(value.algorithm().element(), value.base64()));
            xml.close("Part");
        }
        return Responses.xml(listing.end());
    }
}
