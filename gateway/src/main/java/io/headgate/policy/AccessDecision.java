package io.headgate.policy;

import java.util.Optional;
import java.util.Set;

/** Whether a request is allowed, and by what. All that are not are an AccessDenied, without the reason. */
public enum AccessDecision {
    /** It is the caller's own, or the caller is root. */
    ALLOWED_TO_OWNER(true),
    /** A policy that is attached to the caller allows it, in the caller's own account. */
    ALLOWED_BY_IDENTITY_POLICY(true),
    ALLOWED_BY_BUCKET_POLICY(true),
    ALLOWED_BY_ACL(true),
    /** A policy denies it explicitly. */
    DENIED_BY_POLICY(false),
    /** It would make something public. */
    DENIED_BY_PUBLIC_ACCESS_BLOCK(false),
    /** Policies are attached to the caller, and none allows it. */
    NOT_ALLOWED_BY_IDENTITY_POLICY(false),
    /** Nothing allows it. */
    NOT_ALLOWED(false);

    /** What an account may always do with its own bucket, lest nobody can. */
    private static final Set<String> ON_THE_POLICY =
            Set.of("s3:GetBucketPolicy", "s3:PutBucketPolicy", "s3:DeleteBucketPolicy");

    /** What is the object's owner's to do and to grant, not the bucket's owner's. */
    private static final Set<String> OF_THE_OBJECT_OWNER = Set.of(
            "s3:GetObject",
            "s3:GetObjectVersion",
            "s3:GetObjectTorrent",
            "s3:GetObjectAttributes",
            "s3:GetObjectVersionAttributes",
            "s3:GetObjectAcl",
            "s3:GetObjectVersionAcl",
            "s3:PutObjectAcl",
            "s3:PutObjectVersionAcl");

    private static final String DELETE = "s3:DeleteObject";

    /** What who began an upload may do with it. */
    private static final Set<String> OF_THE_INITIATOR =
            Set.of("s3:AbortMultipartUpload", "s3:ListMultipartUploadParts");

    private final boolean allowed;

    AccessDecision(boolean allowed) {
        this.allowed = allowed;
    }

    public boolean isAllowed() {
        return allowed;
    }

    /**
     * Decides by all that is said about the request. Asks for what costs a look-up only when it matters.
     *
     * @throws RuntimeException whatever a supplier of the request throws
     */
    public static AccessDecision decide(AccessRequest request) {
        RequestContext context =
                new RequestContext(request.caller(), request.action(), request.resource(), request.values());
        Decision identity = request.caller() instanceof Caller.User user
                ? PolicyDocument.evaluate(user.policies(), context)
                : Decision.NONE;
        if (identity == Decision.DENY) {
            return DENIED_BY_POLICY;
        }
        return request.bucket()
                .map(bucket -> inBucket(request, bucket, context, identity))
                .orElseGet(() -> inNoBucket(request.caller(), identity));
    }

    private static AccessDecision inNoBucket(Caller caller, Decision identity) {
        if (identity == Decision.ALLOW) {
            return ALLOWED_BY_IDENTITY_POLICY;
        }
        if (caller.isAccountRoot()) {
            return ALLOWED_TO_OWNER;
        }
        return caller instanceof Caller.Anonymous ? NOT_ALLOWED : NOT_ALLOWED_BY_IDENTITY_POLICY;
    }

    private static AccessDecision inBucket(
            AccessRequest request, BucketAccess bucket, RequestContext context, Decision identity) {
        Caller caller = request.caller();
        boolean ofOwner = caller.isOf(bucket.owner());
        Decision byPolicy =
                bucket.policy().map(policy -> policy.evaluate(context)).orElse(Decision.NONE);
        if (byPolicy == Decision.DENY && !mayAlways(caller, bucket, request.action())) {
            return DENIED_BY_POLICY;
        }
        if (makesPublic(request, bucket.block())) {
            return DENIED_BY_PUBLIC_ACCESS_BLOCK;
        }
        boolean restricted = !(caller instanceof Caller.Anonymous) && !caller.isAccountRoot();
        if (restricted && identity != Decision.ALLOW) {
            boolean named = ofOwner
                    && bucket.policy()
                            .filter(policy -> policy.allowsByName(context))
                            .isPresent();
            if (!named) {
                return NOT_ALLOWED_BY_IDENTITY_POLICY;
            }
        }
        return caller instanceof Caller.Root
                ? ALLOWED_TO_OWNER
                : granted(request, bucket, byPolicy == Decision.ALLOW, identity == Decision.ALLOW);
    }

    /** Nobody can deny root that, nor the owner as long as the owner did not wish so. */
    private static boolean mayAlways(Caller caller, BucketAccess bucket, String action) {
        boolean owns = caller.isAccountRoot() && caller.isOf(bucket.owner());
        return ON_THE_POLICY.contains(action)
                && (caller instanceof Caller.Root || (owns && !bucket.ownerMayBeLockedOut()));
    }

    private static boolean makesPublic(AccessRequest request, PublicAccessBlock block) {
        boolean byAcl = block.blockPublicAcls()
                && request.newAcl().filter(AccessControlList::isPublic).isPresent();
        boolean byPolicy = block.blockPublicPolicy()
                && request.newPolicy().filter(PolicyDocument::isPublic).isPresent();
        return byAcl || byPolicy;
    }

    /**
     * What the bucket and the object grant to a caller who may ask at all, and is not denied.
     *
     * @param byPolicy whether the bucket's policy allows it
     * @param byIdentity whether the caller's own policies allow it
     */
    private static AccessDecision granted(
            AccessRequest request, BucketAccess bucket, boolean byPolicy, boolean byIdentity) {
        Caller caller = request.caller();
        String action = request.action();
        boolean ofOwner = caller.isOf(bucket.owner());
        boolean aclsCount = bucket.ownership().aclsCount();
        boolean ofObjectOwner = aclsCount
                && OF_THE_OBJECT_OWNER.contains(action)
                && !(ofOwner && bucket.ownership() == ObjectOwnership.UNSET && !action.endsWith("Acl"));
        Optional<ObjectAccess> object = ofObjectOwner || (aclsCount && !ofOwner && mayBeOwners(caller, action, bucket))
                ? request.object().get()
                : Optional.empty();
        // the bucket's owner can neither use nor give away what belongs to another
        boolean ofAnother = ofObjectOwner
                && object.filter(facts -> !facts.owner().equals(bucket.owner())).isPresent();
        if (!ofOwner && ON_THE_POLICY.contains(action)) {
            return NOT_ALLOWED; // a policy is its bucket's account's, whatever it says
        }
        if (ofOwner && !ofAnother) {
            return inOwnAccount(caller, byIdentity);
        }
        if (byPolicy && !ofAnother && policyCounts(bucket)) {
            return ALLOWED_BY_BUCKET_POLICY;
        }
        boolean byAccount = !(ofOwner && !byIdentity && !caller.isAccountRoot());
        if (!aclsCount || !byAccount) {
            return NOT_ALLOWED;
        }
        if (object.filter(facts -> caller.isOf(facts.owner())).isPresent() && mayAsOwner(caller, action, bucket)) {
            return ALLOWED_TO_OWNER;
        }
        return permittedByAcl(caller, action, bucket, object) ? ALLOWED_BY_ACL : NOT_ALLOWED;
    }

    private static AccessDecision inOwnAccount(Caller caller, boolean byIdentity) {
        if (byIdentity) {
            return ALLOWED_BY_IDENTITY_POLICY;
        }
        return caller.isAccountRoot() ? ALLOWED_TO_OWNER : ALLOWED_BY_BUCKET_POLICY;
    }

    /** Whether the policy may allow anything to other accounts than the owner's. */
    private static boolean policyCounts(BucketAccess bucket) {
        return !bucket.block().restrictPublicBuckets()
                || bucket.policy().filter(PolicyDocument::isPublic).isEmpty();
    }

    private static boolean mayBeOwners(Caller caller, String action, BucketAccess bucket) {
        return !(caller instanceof Caller.Anonymous)
                && (OF_THE_INITIATOR.contains(action)
                        || (action.equals(DELETE) && permitsOnBucket(caller, "s3:PutObject", bucket)));
    }

    /** What the owner of an object in a bucket of another may do with it; to delete it takes the right to write there. */
    private static boolean mayAsOwner(Caller caller, String action, BucketAccess bucket) {
        return action.equals(DELETE)
                ? permitsOnBucket(caller, "s3:PutObject", bucket)
                : OF_THE_OBJECT_OWNER.contains(action) || OF_THE_INITIATOR.contains(action);
    }

    private static boolean permittedByAcl(
            Caller caller, String action, BucketAccess bucket, Optional<ObjectAccess> object) {
        boolean ignorePublic = bucket.block().ignorePublicAcls();
        return permitsOnBucket(caller, action, bucket)
                || object.filter(facts -> facts.acl().permitsOnObject(caller, action, ignorePublic))
                        .isPresent();
    }

    private static boolean permitsOnBucket(Caller caller, String action, BucketAccess bucket) {
        return bucket.acl().permitsOnBucket(caller, action, bucket.block().ignorePublicAcls());
    }
}
