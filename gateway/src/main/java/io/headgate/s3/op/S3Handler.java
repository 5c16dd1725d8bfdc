package io.headgate.s3.op;

import io.headgate.http.Exchange;
import io.headgate.http.HttpHandler;
import io.headgate.http.Response;
import io.headgate.namespace.NamespaceException;
import io.headgate.s3.Action;
import io.headgate.s3.QueryParameters;
import io.headgate.s3.Responses;
import io.headgate.s3.Router;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.auth.Authentication;
import io.headgate.s3.auth.Credential;
import io.headgate.s3.auth.Payload;
import io.headgate.s3.auth.SigV4;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The S3 endpoint: route, authenticate, authorize, dispatch. Every S3 operation is one branch of {@link #dispatch}, and one file beside
 * this one.
 */
public final class S3Handler implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(S3Handler.class);
    private static final String NO_ROOM =
            "The namespace has no room left for new metadata. Reads and deletes go on; please try again later";

    private final Router router;
    private final SigV4 signatures;
    private final Authorizer authorizer;
    private final Storage storage;
    private final BucketRegions regions;

    private final ListBuckets listBuckets;
    private final CreateBucket createBucket;
    private final HeadBucket headBucket;
    private final DeleteBucket deleteBucket;
    private final GetBucketLocation getBucketLocation;
    private final ListObjects listObjects;
    private final ListObjectsV2 listObjectsV2;
    private final ListMultipartUploads listMultipartUploads;
    private final DeleteObjects deleteObjects;
    private final PutObject putObject;
    private final CopyObject copyObject;
    private final GetObject getObject;
    private final HeadObject headObject;
    private final GetObjectAttributes getObjectAttributes;
    private final DeleteObject deleteObject;
    private final CreateMultipartUpload createMultipartUpload;
    private final UploadPart uploadPart;
    private final UploadPartCopy uploadPartCopy;
    private final CompleteMultipartUpload completeMultipartUpload;
    private final AbortMultipartUpload abortMultipartUpload;
    private final ListParts listParts;

    /**
     * What the endpoint is told by the configuration.
     *
     * @param region the region that clients sign for
     * @param debugHeaders whether a write's response names the account
     * @param displayNames the display name of a user id
     */
    public record Settings(
            String region, String rootUserId, boolean debugHeaders, UnaryOperator<String> displayNames) {}

    public S3Handler(Router router, SigV4 signatures, Storage storage, SliceReader slices, Settings settings) {
        this.router = router;
        this.signatures = signatures;
        this.authorizer = new Authorizer(settings.rootUserId());
        this.storage = storage;
        Owners owners = new Owners(settings.displayNames());
        AccountWriter blobs = new AccountWriter(storage);
        listBuckets = new ListBuckets(storage);
        createBucket = new CreateBucket(storage);
        headBucket = new HeadBucket(settings.region());
        regions = new BucketRegions(storage.clock());
        deleteBucket = new DeleteBucket(storage, regions);
        getBucketLocation = new GetBucketLocation();
        listObjects = new ListObjects(storage, owners);
        listObjectsV2 = new ListObjectsV2(storage, owners);
        listMultipartUploads = new ListMultipartUploads(storage, owners);
        deleteObjects = new DeleteObjects(storage);
        putObject = new PutObject(storage, blobs, settings.debugHeaders());
        copyObject = new CopyObject(storage, slices);
        getObject = new GetObject(storage, slices);
        headObject = new HeadObject(storage);
        getObjectAttributes = new GetObjectAttributes(storage);
        deleteObject = new DeleteObject(storage);
        createMultipartUpload = new CreateMultipartUpload(storage);
        uploadPart = new UploadPart(storage, blobs);
        uploadPartCopy = new UploadPartCopy(storage, slices);
        completeMultipartUpload = new CompleteMultipartUpload(storage);
        abortMultipartUpload = new AbortMultipartUpload(storage);
        listParts = new ListParts(storage, owners);
    }

    @Override
    public Response handle(Exchange exchange) {
        try {
            return answer(exchange);
        } catch (S3Exception failure) {
            return error(failure, exchange);
        } catch (NamespaceException outage) {
            // Without the stack: while a database is down, every request comes here.
            LOG.error("request {}: the namespace failed: {}", exchange.requestId(), outage.getMessage());
            LOG.debug("request {}: the namespace failed", exchange.requestId(), outage);
            return error(
                    outage.isFull()
                            ? new S3Exception(S3Error.SERVICE_UNAVAILABLE, NO_ROOM)
                            : new S3Exception(S3Error.SERVICE_UNAVAILABLE),
                    exchange);
        }
    }

    private static Response error(S3Exception failure, Exchange exchange) {
        exchange.label(Exchange.Label.ERROR_CODE, failure.error().code());
        return Responses.error(failure, exchange.head(), exchange.requestId());
    }

    private Response answer(Exchange exchange) {
        QueryParameters query = QueryParameters.parse(exchange.head().rawQuery());
        S3Request request = router.route(exchange.head(), query);
        exchange.label(Exchange.Label.OPERATION, request.operation());
        if (request instanceof S3Request.OfBucket ofBucket) {
            exchange.label(Exchange.Label.BUCKET, ofBucket.bucket().value());
        }
        if (request instanceof S3Request.OfObject ofObject) {
            exchange.label(Exchange.Label.KEY, ofObject.key().value());
        }
        return switch (signatures.authenticate(
                exchange.head(), query, storage.clock().instant())) {
            case Authentication.Anonymous() -> throw new S3Exception(S3Error.ACCESS_DENIED);
            case Authentication.Verified(Credential user, Payload payload) -> {
                exchange.label(Exchange.Label.USER, user.userId());
                yield dispatch(request, new Call(exchange, query, user, payload, storage.namespace(), regions));
            }
        };
    }

    private Response dispatch(S3Request request, Call call) {
        authorizer.check(request, action(request), call);
        return switch (request) {
            case S3Request.ListBuckets r -> listBuckets.handle(r, call);
            case S3Request.CreateBucket r -> createBucket.handle(r, call);
            case S3Request.HeadBucket r -> headBucket.handle(r, call);
            case S3Request.DeleteBucket r -> deleteBucket.handle(r);
            case S3Request.GetBucketLocation r -> getBucketLocation.handle(r, call);
            case S3Request.ListObjects r -> listObjects.handle(r, call);
            case S3Request.ListObjectsV2 r -> listObjectsV2.handle(r, call);
            case S3Request.ListMultipartUploads r -> listMultipartUploads.handle(r);
            case S3Request.DeleteObjects r -> deleteObjects.handle(r, call);
            case S3Request.PutObject r -> putObject.handle(r, call);
            case S3Request.CopyObject r -> copyObject.handle(r, call);
            case S3Request.GetObject r -> getObject.handle(r, call);
            case S3Request.HeadObject r -> headObject.handle(r, call);
            case S3Request.GetObjectAttributes r -> getObjectAttributes.handle(r, call);
            case S3Request.DeleteObject r -> deleteObject.handle(r, call);
            case S3Request.CreateMultipartUpload r -> createMultipartUpload.handle(r, call);
            case S3Request.UploadPart r -> uploadPart.handle(r, call);
            case S3Request.UploadPartCopy r -> uploadPartCopy.handle(r, call);
            case S3Request.CompleteMultipartUpload r -> completeMultipartUpload.handle(r, call);
            case S3Request.AbortMultipartUpload r -> abortMultipartUpload.handle(r);
            case S3Request.ListParts r -> listParts.handle(r);
            case S3Request.Unsupported(String name) -> throw unsupported(name);
        };
    }

    /** What the request needs the permission for, as its operation states it. */
    private static Action action(S3Request request) {
        return switch (request) {
            case S3Request.ListBuckets r -> ListBuckets.ACTION;
            case S3Request.CreateBucket r -> CreateBucket.ACTION;
            case S3Request.HeadBucket r -> HeadBucket.ACTION;
            case S3Request.DeleteBucket r -> DeleteBucket.ACTION;
            case S3Request.GetBucketLocation r -> GetBucketLocation.ACTION;
            case S3Request.ListObjects r -> ListObjects.ACTION;
            case S3Request.ListObjectsV2 r -> ListObjectsV2.ACTION;
            case S3Request.ListMultipartUploads r -> ListMultipartUploads.ACTION;
            case S3Request.DeleteObjects r -> DeleteObjects.ACTION;
            case S3Request.PutObject r -> PutObject.ACTION;
            case S3Request.CopyObject r -> CopyObject.ACTION;
            case S3Request.GetObject r -> GetObject.ACTION;
            case S3Request.HeadObject r -> HeadObject.ACTION;
            case S3Request.GetObjectAttributes r -> GetObjectAttributes.ACTION;
            case S3Request.DeleteObject r -> DeleteObject.ACTION;
            case S3Request.CreateMultipartUpload r -> CreateMultipartUpload.ACTION;
            case S3Request.UploadPart r -> UploadPart.ACTION;
            case S3Request.UploadPartCopy r -> UploadPartCopy.ACTION;
            case S3Request.CompleteMultipartUpload r -> CompleteMultipartUpload.ACTION;
            case S3Request.AbortMultipartUpload r -> AbortMultipartUpload.ACTION;
            case S3Request.ListParts r -> ListParts.ACTION;
            case S3Request.Unsupported(String name) -> throw unsupported(name);
        };
    }

    private static S3Exception unsupported(String operation) {
        return new S3Exception(S3Error.NOT_IMPLEMENTED, "The operation " + operation + " is not implemented");
    }
}
