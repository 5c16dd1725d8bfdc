package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.BucketQuery;
import io.headgate.region.Regions;
import io.headgate.s3.Action;
import io.headgate.s3.HttpDates;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Lists the buckets of the user who asks.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html">S3: ListBuckets</a>
 */
final class ListBuckets {
    static final Action ACTION = Action.LIST_ALL_MY_BUCKETS;

    private static final int MAX_PAGE = 10_000;

    private final Storage storage;
    private final Owners owners;
    private final Optional<Regions> regions;

    ListBuckets(Storage storage, Owners owners, Optional<Regions> regions) {
        this.storage = storage;
        this.owners = owners;
        this.regions = regions;
    }

    /** A bucket in the list, with its region if there are several. */
    private record Listed(String name, Instant createdAt, Optional<String> region) {}

    Response handle(S3Request.ListBuckets request, Call call) {
        int limit = request.limit().orElse(MAX_PAGE);
        String after = ListTokens.decode("continuation-token", request.continuationToken());
        String owner = call.userId();
        List<Listed> found = find(owner, request.prefix(), after, limit + 1);
        boolean truncated = found.size() > limit;
        List<Listed> page = truncated ? found.subList(0, limit) : found;
        XmlWriter xml = XmlWriter.document("ListAllMyBucketsResult")
                .open("Owner")
                .element("ID", owner)
                .element("DisplayName", owners.user(owner).displayName())
                .close("Owner")
                .open("Buckets");
        for (Listed bucket : page) {
            xml.open("Bucket").element("Name", bucket.name).element("CreationDate", HttpDates.iso(bucket.createdAt));
            bucket.region.ifPresent(region -> xml.element("BucketRegion", region));
            xml.close("Bucket");
        }
        xml.close("Buckets");
        if (!request.prefix().isEmpty()) {
            xml.element("Prefix", request.prefix());
        }
        if (truncated) {
            xml.element("ContinuationToken", ListTokens.encode(page.getLast().name));
        }
        return Responses.xml(xml.end("ListAllMyBucketsResult"));
    }

    private List<Listed> find(String owner, String prefix, String after, int limit) {
        return regions.isPresent()
                ? regions.get().registry().ofOwner(owner, prefix, after, limit).stream()
                        .map(entry -> new Listed(entry.name().value(), entry.createdAt(), Optional.of(entry.region())))
                        .toList()
                : storage.namespace().listBuckets(new BucketQuery(owner, prefix, after, limit)).stream()
                        .map(bucket -> new Listed(bucket.name().value(), bucket.createdAt(), Optional.empty()))
                        .toList();
    }
}
