package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.http.RequestHead;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Upload;
import io.headgate.policy.AccessControlList;
import io.headgate.policy.AccessDecision;
import io.headgate.policy.AccessRequest;
import io.headgate.policy.Caller;
import io.headgate.policy.CannedAcl;
import io.headgate.policy.ObjectAccess;
import io.headgate.policy.ObjectOwnership;
import io.headgate.policy.Resource;
import io.headgate.region.PeerRequest;
import io.headgate.s3.Action;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Decides who may do what, by {@link AccessDecision}: gathers the facts that it asks for. Root may do everything, and costs no look-up. */
final class Authorizer {
    private static final String EXPECTED_OWNER = "x-amz-expected-bucket-owner";
    private static final String EXPECTED_SOURCE_OWNER = "x-amz-source-expected-bucket-owner";

    private final Users users;
    private final Acls acls;
    private final Storage storage;
    private final Optional<OwningRegion> owning;
    private final BucketFacts facts = new BucketFacts();

    /** @param owning if there are several regions */
    Authorizer(Users users, Acls acls, Storage storage, Optional<OwningRegion> owning) {
        this.users = users;
        this.acls = acls;
        this.storage = storage;
        this.owning = owning;
    }

    /** @throws S3Exception AccessDenied, or NoSuchBucket for a bucket that does not exist */
    void check(S3Request request, Action action, Call call) {
        if (call.userId().equals(Users.ANONYMOUS)
                && call.head().fields().stream()
                        .anyMatch(field -> field.name().startsWith("x-headgate-")
                                && !field.name().equals(PeerRequest.WITH_TAGS))) {
            throw new S3Exception(S3Error.ACCESS_DENIED, "Headers that begin with x-headgate- must be signed");
        }
        switch (request) {
            case S3Request.PostObject post -> {
                // asks when it has read who sent it
            }
            case S3Request.Preflight preflight -> {
                // anybody may ask
            }
            case S3Request.DeleteObjects delete -> // each key by itself
                expectOwner(delete.bucket(), EXPECTED_OWNER, call);
            case S3Request.CreateBucket create -> checkService(Resource.of(create.bucket()), action, call);
            case S3Request.OfObject object ->
                check(request, action, object.bucket(), Optional.of(object.key()), EXPECTED_OWNER, call);
            case S3Request.OfBucket bucket ->
                check(request, action, bucket.bucket(), Optional.empty(), EXPECTED_OWNER, call);
            default -> checkService(Resource.SERVICE, action, call);
        }
        switch (request) {
            case S3Request.CopyObject copy ->
                checkSource(copy.source().bucket(), copy.source().key(), request, call);
            case S3Request.UploadPartCopy copy ->
                checkSource(copy.source().bucket(), copy.source().key(), request, call);
            default -> {
                // no second bucket is concerned
            }
        }
    }

    /** A source in another region is read by its rules, and only there. */
    private void checkSource(BucketName bucket, ObjectKey key, S3Request request, Call call) {
        Optional<String> region = owning.flatMap(of -> of.other(bucket));
        call.sourceIsIn(region);
        if (region.isEmpty()) {
            checkLocalSource(bucket, key, request, call);
        }
    }

    /** For who finds the source in this region though it was thought to be in another. */
    void checkLocalSource(BucketName bucket, ObjectKey key, S3Request request, Call call) {
        check(request, Action.GET_OBJECT, bucket, Optional.of(key), EXPECTED_SOURCE_OWNER, call);
    }

    private void checkService(Resource resource, Action action, Call call) {
        AccessRequest wanted = AccessRequest.ofService(caller(call), action.policyName(), resource, _ -> List.of());
        if (!AccessDecision.decide(wanted).isAllowed()) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
    }

    /** @param ownerHeader the header in which a client may say whose it takes the bucket to be */
    private void check(
            S3Request request, Action action, BucketName name, Optional<ObjectKey> key, String ownerHeader, Call call) {
        check(request, action, name, key, ownerHeader, call.head(), call);
    }

    /** Of a form, whose fields say what headers say otherwise. */
    void check(S3Request.PutObject request, RequestHead said, Call call) {
        check(request, PutObject.ACTION, request.bucket(), Optional.of(request.key()), EXPECTED_OWNER, said, call);
    }

    private void check(
            S3Request request,
            Action action,
            BucketName name,
            Optional<ObjectKey> key,
            String ownerHeader,
            RequestHead said,
            Call call) {
        expectOwner(name, ownerHeader, call);
        if (isRoot(call)) {
            return; // without a look-up: the operation itself finds out whether the bucket exists
        }
        AccessRequest wanted = request(request, action, name, key, said, call);
        if (AccessDecision.decide(wanted).isAllowed()) {
            return;
        }
        // Who may list the bucket may know that there is no such key.
        boolean reads = action == Action.GET_OBJECT || action == Action.GET_OBJECT_ATTRIBUTES;
        if (reads
                && key.isPresent()
                && wanted.object().get().isEmpty()
                && AccessDecision.decide(wanted.listing(name, key.get())).isAllowed()) {
            throw new S3Exception(S3Error.NO_SUCH_KEY);
        }
        throw new S3Exception(S3Error.ACCESS_DENIED);
    }

    private AccessRequest request(
            S3Request request, Action action, BucketName name, Optional<ObjectKey> key, RequestHead said, Call call) {
        Bucket bucket = call.bucket(name);
        return AccessRequest.ofObject(
                caller(call),
                action.policyName(),
                key.map(of -> Resource.of(name, of)).orElseGet(() -> Resource.of(name)),
                facts.of(bucket),
                key.<Supplier<Optional<ObjectAccess>>>map(of -> () -> object(request, bucket, of))
                        .orElse(Optional::empty),
                new ConditionValues(name, key, said, call, storage));
    }

    /** The owner and the ACL of the object, or of the upload, that the request is about, if it exists. */
    private Optional<ObjectAccess> object(S3Request request, Bucket bucket, ObjectKey key) {
        return switch (request) {
            case S3Request.AbortMultipartUpload r -> upload(bucket.name(), key, r.uploadId());
            case S3Request.ListParts r -> upload(bucket.name(), key, r.uploadId());
            default ->
                storage.namespace().currentVersion(bucket.name(), key)
                                instanceof Outcome.Done<ObjectVersion>(ObjectVersion version)
                        ? Optional.of(ObjectAcl.of(version.attributes(), bucket))
                        : Optional.empty();
        };
    }

    private Optional<ObjectAccess> upload(BucketName bucket, ObjectKey key, String id) {
        return storage.namespace().upload(bucket, key, id) instanceof Outcome.Done<Upload>(Upload upload)
                ? Optional.of(new ObjectAccess(upload.owner(), AccessControlList.ofOwner(upload.owner())))
                : Optional.empty();
    }

    /** Whether the caller may delete a key of the bucket. */
    Predicate<ObjectKey> mayDelete(S3Request.DeleteObjects request, Call call) {
        if (isRoot(call)) {
            return _ -> true;
        }
        return key -> AccessDecision.decide(
                        request(request, Action.DELETE_OBJECT, request.bucket(), Optional.of(key), call.head(), call))
                .isAllowed();
    }

    private static void expectOwner(BucketName name, String header, Call call) {
        String expected = call.header(header);
        if (expected != null && !expected.equals(call.bucket(name).owner())) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
    }

    private boolean isRoot(Call call) {
        return call.userId().equals(users.rootUserId());
    }

    private Caller caller(Call call) {
        String id = call.userId();
        if (id.equals(Users.ANONYMOUS)) {
            return new Caller.Anonymous();
        }
        return isRoot(call) ? new Caller.Root(id) : Caller.User.ofOwnAccount(id, List.of());
    }

    /**
     * The owner and the ACL of a new object, as its attributes keep them; AccessControlListNotSupported, or AccessDenied for an ACL that the
     * bucket's public access block forbids.
     *
     * @param head of the request that makes it, or what a form says instead
     */
    Map<String, String> ofNewObject(BucketName name, RequestHead head, Call call) {
        Optional<CannedAcl> canned = Acls.canned(head);
        boolean says = canned.isPresent() || Acls.hasGrants(head);
        if (!says && isRoot(call)) {
            return Map.of();
        }
        Bucket bucket = call.bucket(name);
        ObjectOwnership ownership = BucketOwnership.of(bucket);
        if (!ownership.aclsCount()) {
            if (says
                    && canned.filter(acl -> acl == CannedAcl.BUCKET_OWNER_FULL_CONTROL)
                            .isEmpty()) {
                throw new S3Exception(S3Error.ACCESS_CONTROL_LIST_NOT_SUPPORTED);
            }
            return Map.of();
        }
        String owner = isRoot(call) ? bucket.owner() : ownership.ownerOfNew(bucket.owner(), call.userId(), canned);
        Function<CannedAcl, AccessControlList> ofCanned = acl -> AccessControlList.ofObject(acl, owner, bucket.owner());
        AccessControlList acl = acls.ofHead(head, owner, ofCanned).orElseGet(() -> AccessControlList.ofOwner(owner));
        refuseIfBlocked(acl, bucket);
        return ObjectAcl.kept(new ObjectAccess(owner, acl), bucket);
    }

    /** AccessDenied if the ACL would make something public where that is blocked. */
    static void refuseIfBlocked(AccessControlList acl, Bucket bucket) {
        if (acl.isPublic() && BucketPublicAccess.of(bucket).blockPublicAcls()) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
    }
}
