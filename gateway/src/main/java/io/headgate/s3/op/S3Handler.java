package io.headgate.s3.op;

import io.headgate.cors.CorsConfiguration;
import io.headgate.http.Exchange;
import io.headgate.http.HttpHandler;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.namespace.NamespaceException;
import io.headgate.region.Forwarded;
import io.headgate.region.ForwardedHandler;
import io.headgate.region.Regions;
import io.headgate.region.RegistryException;
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
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The S3 endpoint: route, authenticate, authorize, dispatch. Every S3 operation is one branch of {@link #dispatch}, and one file beside
 * this one; what sets, reads and forgets the same thing of a bucket shares one. Where there are several regions, requests for the buckets of others are answered by them, and theirs here.
 */
public final class S3Handler implements HttpHandler, ForwardedHandler {
    private static final Logger LOG = LoggerFactory.getLogger(S3Handler.class);
    private static final String NO_REGISTRY =
            "The registry of bucket names cannot be reached. Known buckets are served; please try again later";
    private static final String NO_ROOM =
            "The namespace has no room left for new metadata. Reads and deletes go on; please try again later";

    private final Router router;
    private final SigV4 signatures;
    private final Authorizer authorizer;
    private final Storage storage;
    private final BucketRegions preferred;
    private final Optional<OwningRegion> owning;
    private final Optional<Field> bucketRegion;

    private final ListBuckets listBuckets;
    private final CreateBucket createBucket;
    private final HeadBucket headBucket;
    private final DeleteBucket deleteBucket;
    private final GetBucketLocation getBucketLocation;
    private final BucketAcl bucketAcl;
    private final BucketCors bucketCors;
    private final BucketOwnership bucketOwnership;
    private final BucketPolicy bucketPolicy;
    private final BucketPublicAccess bucketPublicAccess;
    private final BucketRequestPayment bucketRequestPayment = new BucketRequestPayment();
    private final BucketTagging bucketTagging;
    private final BucketUnset bucketUnset = new BucketUnset();
    private final ListObjects listObjects;
    private final ListObjectsV2 listObjectsV2;
    private final ListMultipartUploads listMultipartUploads;
    private final DeleteObjects deleteObjects;
    private final PutObject putObject;
    private final PostObject postObject;
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
    private final ObjectAcl objectAcl;
    private final ObjectTagging objectTagging;

    /**
     * What the endpoint is told by the configuration.
     *
     * @param region the region that clients sign for
     * @param debugHeaders whether a write's response names the account
     */
    public record Settings(String region, boolean debugHeaders, Users users) {}

    /** @param regions if there are several */
    public S3Handler(
            Router router,
            SigV4 signatures,
            Storage storage,
            SliceReader slices,
            Optional<Regions> regions,
            Settings settings) {
        this.router = router;
        this.signatures = signatures;
        this.storage = storage;
        Owners owners = new Owners(settings.users());
        Acls acls = new Acls(settings.users());
        AccountWriter blobs = new AccountWriter(storage);
        owning = regions.map(several -> new OwningRegion(several, storage, router));
        authorizer = new Authorizer(settings.users(), acls, storage, owning);
        bucketRegion = regions.map(several -> new Field("x-amz-bucket-region", several.own()));
        preferred = new BucketRegions(storage.clock());
        listBuckets = new ListBuckets(storage, owners, regions);
        createBucket = new CreateBucket(storage, acls, regions, owning);
        headBucket = new HeadBucket(settings.region());
        deleteBucket = new DeleteBucket(storage, preferred, regions);
        getBucketLocation = new GetBucketLocation(regions);
        BucketDocuments documents = new BucketDocuments(storage);
        bucketAcl = new BucketAcl(documents, acls);
        bucketCors = new BucketCors(storage, documents);
        bucketOwnership = new BucketOwnership(documents);
        bucketPolicy = new BucketPolicy(documents);
        bucketPublicAccess = new BucketPublicAccess(documents);
        bucketTagging = new BucketTagging(documents);
        listObjects = new ListObjects(storage, owners);
        listObjectsV2 = new ListObjectsV2(storage, owners);
        listMultipartUploads = new ListMultipartUploads(storage, owners);
        deleteObjects = new DeleteObjects(storage, authorizer);
        putObject = new PutObject(storage, blobs, authorizer, settings.debugHeaders());
        postObject = new PostObject(storage, blobs, putObject, authorizer, signatures);
        copyObject = new CopyObject(storage, slices, putObject, authorizer, owning);
        getObject = new GetObject(storage, slices);
        headObject = new HeadObject(storage);
        getObjectAttributes = new GetObjectAttributes(storage);
        deleteObject = new DeleteObject(storage);
        createMultipartUpload = new CreateMultipartUpload(storage, authorizer);
        uploadPart = new UploadPart(storage, blobs);
        uploadPartCopy = new UploadPartCopy(storage, slices, uploadPart, authorizer, owning);
        completeMultipartUpload = new CompleteMultipartUpload(storage);
        abortMultipartUpload = new AbortMultipartUpload(storage);
        listParts = new ListParts(storage, owners);
        AttributeChange change = new AttributeChange(storage);
        objectAcl = new ObjectAcl(storage, acls, change);
        objectTagging = new ObjectTagging(storage, change);
    }

    @Override
    public Response handle(Exchange exchange) {
        return answered(exchange, () -> answer(exchange));
    }

    @Override
    public Response handle(Exchange exchange, Forwarded by) {
        return answered(exchange, () -> answer(exchange, by));
    }

    private static Response answered(Exchange exchange, Supplier<Response> answer) {
        try {
            return answer.get();
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
        } catch (RegistryException outage) {
            LOG.error("request {}: the registry failed: {}", exchange.requestId(), outage.getMessage());
            LOG.debug("request {}: the registry failed", exchange.requestId(), outage);
            return error(new S3Exception(S3Error.SERVICE_UNAVAILABLE, NO_REGISTRY), exchange);
        }
    }

    private static Response error(S3Exception failure, Exchange exchange) {
        exchange.label(Exchange.Label.ERROR_CODE, failure.error().code());
        return Responses.error(failure, exchange.head(), exchange.requestId());
    }

    private Response answer(Exchange exchange) {
        QueryParameters query = QueryParameters.parse(exchange.head().rawQuery());
        S3Request request = routed(exchange, query);
        if (request instanceof S3Request.Preflight) { // browsers do not sign it
            return answer(request, call(exchange, query, Users.ANONYMOUS, new Payload.Unsigned()));
        }
        return switch (signatures.authenticate(
                exchange.head(), query, storage.clock().instant())) {
            case Authentication.Anonymous(Payload payload) ->
                answer(request, call(exchange, query, Users.ANONYMOUS, payload));
            case Authentication.Verified(Credential user, Payload payload) ->
                answer(request, call(exchange, query, user.userId(), payload));
        };
    }

    private Call call(Exchange exchange, QueryParameters query, String userId, Payload payload) {
        exchange.label(Exchange.Label.USER, userId);
        return new Call(exchange, query, userId, payload, storage.namespace(), preferred, false);
    }

    private Response answer(S3Request request, Call call) {
        return owning.isPresent()
                ? owning.get().answer(request, call, () -> told(request, call, () -> dispatchHere(request, call)))
                : told(request, call, () -> dispatch(request, call));
    }

    /** The answer, an error too, with what a page of another origin is told of it. */
    private Response told(S3Request request, Call call, Supplier<Response> answer) {
        if (call.header("origin") == null
                || !(request instanceof S3Request.OfBucket ofBucket)
                || request instanceof S3Request.Preflight) {
            return answer.get();
        }
        Optional<CorsConfiguration> rules = bucketCors.rules(ofBucket);
        Response told;
        try {
            told = answer.get();
        } catch (S3Exception failure) {
            if (failure.error() == S3Error.NO_SUCH_BUCKET) {
                throw failure; // there are no rules, and another region may have it by now
            }
            told = error(failure, call.exchange());
        }
        return rules.isPresent() ? CrossOrigin.with(told, rules.get(), call.head()) : told;
    }

    /** The answer to what another region has authenticated. */
    private Response answer(Exchange exchange, Forwarded by) {
        QueryParameters query = QueryParameters.parse(exchange.head().rawQuery());
        S3Request request = routed(exchange, query);
        exchange.label(Exchange.Label.USER, by.userId());
        Call call = new Call(exchange, query, by.userId(), by.payload(), storage.namespace(), preferred, true);
        return owning.orElseThrow()
                .answerForwarded(request, call, () -> told(request, call, () -> dispatchHere(request, call)));
    }

    private S3Request routed(Exchange exchange, QueryParameters query) {
        S3Request request = router.route(exchange.head(), query);
        exchange.label(Exchange.Label.OPERATION, request.operation());
        if (request instanceof S3Request.OfBucket ofBucket) {
            exchange.label(Exchange.Label.BUCKET, ofBucket.bucket().value());
        }
        if (request instanceof S3Request.OfObject ofObject) {
            exchange.label(Exchange.Label.KEY, ofObject.key().value());
        }
        return request;
    }

    /** Errors name the region of a bucket that is there, from which clients learn where to ask. */
    private Response dispatchHere(S3Request request, Call call) {
        try {
            return dispatch(request, call);
        } catch (S3Exception failure) {
            if (!(request instanceof S3Request.OfBucket)
                    || request instanceof S3Request.CreateBucket
                    || failure.error() == S3Error.NO_SUCH_BUCKET) {
                throw failure;
            }
            return error(failure, call.exchange()).with(bucketRegion.orElseThrow());
        }
    }

    private Response dispatch(S3Request request, Call call) {
        authorizer.check(request, action(request), call);
        return switch (request) {
            case S3Request.ListBuckets r -> listBuckets.handle(r, call);
            case S3Request.CreateBucket r -> createBucket.handle(r, call);
            case S3Request.HeadBucket r -> headBucket.handle(r, call);
            case S3Request.DeleteBucket r -> deleteBucket.handle(r);
            case S3Request.GetBucketLocation r -> getBucketLocation.handle(r, call);
            case S3Request.GetBucketAccelerateConfiguration r -> bucketUnset.get(r, call);
            case S3Request.GetBucketEncryption r -> bucketUnset.get(r, call);
            case S3Request.GetBucketLogging r -> bucketUnset.get(r, call);
            case S3Request.GetBucketNotificationConfiguration r -> bucketUnset.get(r, call);
            case S3Request.GetBucketReplication r -> bucketUnset.get(r, call);
            case S3Request.GetBucketOwnershipControls r -> bucketOwnership.get(r, call);
            case S3Request.PutBucketOwnershipControls r -> bucketOwnership.put(r, call);
            case S3Request.DeleteBucketOwnershipControls r -> bucketOwnership.delete(r);
            case S3Request.GetPublicAccessBlock r -> bucketPublicAccess.get(r, call);
            case S3Request.PutPublicAccessBlock r -> bucketPublicAccess.put(r, call);
            case S3Request.DeletePublicAccessBlock r -> bucketPublicAccess.delete(r);
            case S3Request.GetBucketRequestPayment r -> bucketRequestPayment.get(r, call);
            case S3Request.PutBucketRequestPayment r -> bucketRequestPayment.put(r, call);
            case S3Request.GetBucketTagging r -> bucketTagging.get(r, call);
            case S3Request.PutBucketTagging r -> bucketTagging.put(r, call);
            case S3Request.DeleteBucketTagging r -> bucketTagging.delete(r);
            case S3Request.GetBucketCors r -> bucketCors.get(r, call);
            case S3Request.PutBucketCors r -> bucketCors.put(r, call);
            case S3Request.DeleteBucketCors r -> bucketCors.delete(r);
            case S3Request.Preflight r -> bucketCors.preflight(r, call);
            case S3Request.GetBucketAcl r -> bucketAcl.get(r, call);
            case S3Request.PutBucketAcl r -> bucketAcl.put(r, call);
            case S3Request.GetBucketPolicy r -> bucketPolicy.get(r, call);
            case S3Request.GetBucketPolicyStatus r -> bucketPolicy.status(r, call);
            case S3Request.PutBucketPolicy r -> bucketPolicy.put(r, call);
            case S3Request.DeleteBucketPolicy r -> bucketPolicy.delete(r);
            case S3Request.GetObjectAcl r -> objectAcl.get(r, call);
            case S3Request.PutObjectAcl r -> objectAcl.put(r, call);
            case S3Request.GetObjectTagging r -> objectTagging.get(r);
            case S3Request.PutObjectTagging r -> objectTagging.put(r, call);
            case S3Request.DeleteObjectTagging r -> objectTagging.delete(r);
            case S3Request.ListObjects r -> listObjects.handle(r, call);
            case S3Request.ListObjectsV2 r -> listObjectsV2.handle(r, call);
            case S3Request.ListMultipartUploads r -> listMultipartUploads.handle(r, call);
            case S3Request.DeleteObjects r -> deleteObjects.handle(r, call);
            case S3Request.PutObject r -> putObject.handle(r, call);
            case S3Request.PostObject r -> postObject.handle(r, call);
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
            case S3Request.ListParts r -> listParts.handle(r, call);
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
            case S3Request.GetBucketAccelerateConfiguration r -> BucketUnset.ACCELERATE;
            case S3Request.GetBucketEncryption r -> BucketUnset.ENCRYPTION;
            case S3Request.GetBucketLogging r -> BucketUnset.LOGGING;
            case S3Request.GetBucketNotificationConfiguration r -> BucketUnset.NOTIFICATION;
            case S3Request.GetBucketReplication r -> BucketUnset.REPLICATION;
            case S3Request.GetBucketOwnershipControls r -> BucketOwnership.READ;
            case S3Request.PutBucketOwnershipControls r -> BucketOwnership.WRITE;
            case S3Request.DeleteBucketOwnershipControls r -> BucketOwnership.WRITE;
            case S3Request.GetPublicAccessBlock r -> BucketPublicAccess.READ;
            case S3Request.PutPublicAccessBlock r -> BucketPublicAccess.WRITE;
            case S3Request.DeletePublicAccessBlock r -> BucketPublicAccess.WRITE;
            case S3Request.GetBucketRequestPayment r -> BucketRequestPayment.READ;
            case S3Request.PutBucketRequestPayment r -> BucketRequestPayment.WRITE;
            case S3Request.GetBucketTagging r -> BucketTagging.READ;
            case S3Request.PutBucketTagging r -> BucketTagging.WRITE;
            case S3Request.DeleteBucketTagging r -> BucketTagging.WRITE;
            case S3Request.GetBucketCors r -> BucketCors.READ;
            case S3Request.PutBucketCors r -> BucketCors.WRITE;
            case S3Request.DeleteBucketCors r -> BucketCors.WRITE;
            case S3Request.Preflight r -> BucketCors.READ;
            case S3Request.GetBucketAcl r -> BucketAcl.READ;
            case S3Request.PutBucketAcl r -> BucketAcl.WRITE;
            case S3Request.GetBucketPolicy r -> BucketPolicy.READ;
            case S3Request.GetBucketPolicyStatus r -> BucketPolicy.READ_STATUS;
            case S3Request.PutBucketPolicy r -> BucketPolicy.WRITE;
            case S3Request.DeleteBucketPolicy r -> BucketPolicy.DELETE;
            case S3Request.GetObjectAcl r -> ObjectAcl.READ;
            case S3Request.PutObjectAcl r -> ObjectAcl.WRITE;
            case S3Request.GetObjectTagging r -> ObjectTagging.READ;
            case S3Request.PutObjectTagging r -> ObjectTagging.WRITE;
            case S3Request.DeleteObjectTagging r -> ObjectTagging.DELETE;
            case S3Request.ListObjects r -> ListObjects.ACTION;
            case S3Request.ListObjectsV2 r -> ListObjectsV2.ACTION;
            case S3Request.ListMultipartUploads r -> ListMultipartUploads.ACTION;
            case S3Request.DeleteObjects r -> DeleteObjects.ACTION;
            case S3Request.PutObject r -> PutObject.ACTION;
            case S3Request.PostObject r -> PostObject.ACTION;
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
