package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;
import java.util.Optional;

/**
 * Lists a bucket's objects, version 2: from an opaque token.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html">S3: ListObjectsV2</a>
 */
final class ListObjectsV2 {
    static final Action ACTION = Action.LIST_BUCKET;

    private final Storage storage;
    private final Owners owners;

    ListObjectsV2(Storage storage, Owners owners) {
        this.storage = storage;
        this.owners = owners;
    }

    Response handle(S3Request.ListObjectsV2 request, Call call) {
        Optional<String> token = request.continuationToken();
        String after = token.isPresent() && !token.get().isEmpty()
                ? ListTokens.decode("continuation-token", token.get())
                : request.startAfter();
        ObjectPage page = Refusals.done(storage.namespace()
                .listObjects(new ObjectQuery(
                        request.bucket(), request.prefix(), request.delimiter(), after, request.maxKeys())));
        Listing listing = new Listing("ListBucketResult", request.encodeUrl());
        listing.xml().element("Name", request.bucket().value());
        listing.text("Prefix", request.prefix());
        token.ifPresent(value -> listing.xml().element("ContinuationToken", value));
        listing.optionalText("StartAfter", request.startAfter());
        listing.xml().element("KeyCount", page.entries().size()).element("MaxKeys", request.maxKeys());
        listing.optionalText("Delimiter", request.delimiter()).encodingType();
        listing.xml().element("IsTruncated", page.truncated());
        if (page.truncated()) {
            listing.xml().element("NextContinuationToken", ListTokens.encode(page.last()));
        }
        listing.entries(page, request.fetchOwner() ? owners.of(call.bucket(request.bucket())) : Optional.empty());
        return Responses.xml(listing.end());
    }
}
