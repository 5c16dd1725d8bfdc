package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.Upload;
import io.headgate.namespace.UploadPage;
import io.headgate.namespace.UploadQuery;
import io.headgate.s3.Action;
import io.headgate.s3.HttpDates;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;

/**
 * Lists a bucket's uploads in progress.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html">S3: ListMultipartUploads</a>
 */
final class ListMultipartUploads {
    static final Action ACTION = Action.LIST_BUCKET_MULTIPART_UPLOADS;

    private final Storage storage;
    private final Owners owners;

    ListMultipartUploads(Storage storage, Owners owners) {
        this.storage = storage;
        this.owners = owners;
    }

    Response handle(S3Request.ListMultipartUploads request, Call call) {
        // S3: without a key marker the upload id marker means nothing.
        String uploadIdMarker = request.keyMarker().isEmpty() ? "" : request.uploadIdMarker();
        UploadPage page = Refusals.done(storage.namespace()
                .listUploads(new UploadQuery(
                        request.bucket(),
                        request.prefix(),
                        request.delimiter(),
                        request.keyMarker(),
                        uploadIdMarker,
                        request.maxUploads())));
        Listing listing = new Listing("ListMultipartUploadsResult", request.encodeUrl());
        XmlWriter xml = listing.xml().element("Bucket", request.bucket().value());
        listing.text("KeyMarker", request.keyMarker());
        xml.element("UploadIdMarker", uploadIdMarker);
        if (page.truncated()) {
            listing.text("NextKeyMarker", page.lastKey());
            xml.element("NextUploadIdMarker", page.lastUploadId());
        }
        listing.text("Prefix", request.prefix())
                .optionalText("Delimiter", request.delimiter())
                .encodingType();
        xml.element("MaxUploads", request.maxUploads()).element("IsTruncated", page.truncated());
        for (Upload upload : page.uploads()) {
            xml.open("Upload");
            listing.text("Key", upload.key().value());
            xml.element("UploadId", upload.id());
            listing.owner("Initiator", owners.user(upload.owner()));
            listing.owner("Owner", owners.user(ObjectAcl.owner(upload.attributes(), call.bucket(request.bucket()))));
            xml.element("StorageClass", upload.attributes().storageClass())
                    .element("Initiated", HttpDates.iso(upload.startedAt()));
            upload.checksum()
                    .ifPresent(checksum -> xml.element(
                                    "ChecksumAlgorithm", checksum.algorithm().name())
                            .element("ChecksumType", checksum.type().name()));
            xml.close("Upload");
        }
        page.commonPrefixes().forEach(listing::commonPrefix);
        return Responses.xml(listing.end());
    }
}
