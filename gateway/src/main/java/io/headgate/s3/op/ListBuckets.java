package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketQuery;
import io.headgate.s3.Action;
import io.headgate.s3.HttpDates;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import java.util.List;

/**
 * Lists the buckets of the user who asks.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html">S3: ListBuckets</a>
 */
final class ListBuckets {
    static final Action ACTION = Action.LIST_ALL_MY_BUCKETS;

    private static final int MAX_PAGE = 10_000;

    private final Storage storage;

    ListBuckets(Storage storage) {
        this.storage = storage;
    }

    Response handle(S3Request.ListBuckets request, Call call) {
        int limit = request.limit().orElse(MAX_PAGE);
        String after = ListTokens.decode("continuation-token", request.continuationToken());
        String owner = call.user().userId();
        List<Bucket> found =
                storage.namespace().listBuckets(new BucketQuery(owner, request.prefix(), after, limit + 1));
        boolean truncated = found.size() > limit;
        List<Bucket> page = truncated ? found.subList(0, limit) : found;
        XmlWriter xml = XmlWriter.document("ListAllMyBucketsResult")
                .open("Owner")
                .element("ID", owner)
                .element("DisplayName", call.user().displayName())
                .close("Owner")
                .open("Buckets");
        for (Bucket bucket : page) {
            xml.open("Bucket")
                    .element("Name", bucket.name().value())
                    .element("CreationDate", HttpDates.iso(bucket.createdAt()))
                    .close("Bucket");
        }
        xml.close("Buckets");
        if (!request.prefix().isEmpty()) {
            xml.element("Prefix", request.prefix());
        }
        if (truncated) {
            xml.element(
                    "ContinuationToken", ListTokens.encode(page.getLast().name().value()));
        }
        return Responses.xml(xml.end("ListAllMyBucketsResult"));
    }
}
