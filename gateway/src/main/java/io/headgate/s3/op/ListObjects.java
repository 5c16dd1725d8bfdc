package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;

/**
 * Lists a bucket's objects, version 1: from a marker that is a key.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html">S3: ListObjects</a>
 */
final class ListObjects {
    static final Action ACTION = Action.LIST_BUCKET;

    private final Storage storage;
    private final Owners owners;

    ListObjects(Storage storage, Owners owners) {
        this.storage = storage;
        this.owners = owners;
    }

    Response handle(S3Request.ListObjects request, Call call) {
        ObjectPage page = Refusals.done(storage.namespace()
                .listObjects(new ObjectQuery(
                        request.bucket(), request.prefix(), request.delimiter(), request.marker(), request.maxKeys())));
        Listing listing = new Listing("ListBucketResult", request.encodeUrl());
        listing.xml().element("Name", request.bucket().value());
        // Not encoded: botocore undoes the encoding of every element of this version but the prefix.
        listing.xml().element("Prefix", request.prefix());
        listing.text("Marker", request.marker());
        listing.xml().element("MaxKeys", request.maxKeys());
        listing.optionalText("Delimiter", request.delimiter()).encodingType();
        listing.xml().element("IsTruncated", page.truncated());
        // Without a delimiter the next marker is the last key of the page, and S3 leaves it to the client to see that.
        if (page.truncated() && !request.delimiter().isEmpty()) {
            listing.text("NextMarker", page.last());
        }
        listing.entries(page, owners.of(call.bucket(request.bucket())));
        return Responses.xml(listing.end());
    }
}
