package io.headgate.policy;

/**
 * What a bucket keeps from being public whatever its policy and ACLs say.
 *
 * @param blockPublicAcls refuses requests that would set a public ACL
 * @param ignorePublicAcls acts as if ACLs gave nothing to everybody; what they give to single accounts stays
 * @param blockPublicPolicy refuses requests that would set a public policy
 * @param restrictPublicBuckets while the policy is public, it allows nothing to other accounts than the owner's
 */
public record PublicAccessBlock(
        boolean blockPublicAcls, boolean ignorePublicAcls, boolean blockPublicPolicy, boolean restrictPublicBuckets) {
    public static final PublicAccessBlock NONE = new PublicAccessBlock(false, false, false, false);
    public static final PublicAccessBlock ALL = new PublicAccessBlock(true, true, true, true);
}
