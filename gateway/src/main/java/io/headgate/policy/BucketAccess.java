package io.headgate.policy;

import java.util.Optional;

/**
 * What a bucket says about access to it.
 *
 * @param owner the id of the account that owns it
 * @param ownerMayBeLockedOut whether the owner confirmed, with the policy, that it may deny even its owner to change it
 *     ({@code x-amz-confirm-remove-self-bucket-access})
 */
public record BucketAccess(
        String owner,
        Optional<PolicyDocument> policy,
        boolean ownerMayBeLockedOut,
        ObjectOwnership ownership,
        AccessControlList acl,
        PublicAccessBlock block) {

    /** A bucket as it is made: its owner's alone, without ACLs. */
    public static BucketAccess ofOwner(String owner) {
        return new BucketAccess(
                owner,
                Optional.empty(),
                false,
                ObjectOwnership.BUCKET_OWNER_ENFORCED,
                AccessControlList.ofOwner(owner),
                PublicAccessBlock.NONE);
    }

    public BucketAccess withPolicy(PolicyDocument changed) {
        return new BucketAccess(owner, Optional.of(changed), ownerMayBeLockedOut, ownership, acl, block);
    }

    /** The owner may be denied to change the policy. */
    public BucketAccess lockingOwnerOut() {
        return new BucketAccess(owner, policy, true, ownership, acl, block);
    }

    public BucketAccess withOwnership(ObjectOwnership changed) {
        return new BucketAccess(owner, policy, ownerMayBeLockedOut, changed, acl, block);
    }

    public BucketAccess withAcl(AccessControlList changed) {
        return new BucketAccess(owner, policy, ownerMayBeLockedOut, ownership, changed, block);
    }

    public BucketAccess withBlock(PublicAccessBlock changed) {
        return new BucketAccess(owner, policy, ownerMayBeLockedOut, ownership, acl, changed);
    }

    /** Whether its policy or its ACL gives anything to the public, for GetBucketPolicyStatus. */
    public boolean isPublic() {
        boolean byPolicy = !block.restrictPublicBuckets()
                && policy.filter(PolicyDocument::isPublic).isPresent();
        boolean byAcl = ownership.aclsCount() && !block.ignorePublicAcls() && acl.isPublic();
        return byPolicy || byAcl;
    }
}
