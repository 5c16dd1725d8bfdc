package io.headgate.s3.op;

import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketSetting;
import io.headgate.policy.AccessControlList;
import io.headgate.policy.BucketAccess;
import io.headgate.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What buckets' settings say about access. Policies are kept as they were understood. Thread-safe. */
final class BucketFacts {
    private static final int MOST_POLICIES = 1_000;

    private final Map<Kept, PolicyDocument> understood = new ConcurrentHashMap<>();

    private record Kept(String bucket, String policy) {}

    BucketAccess of(Bucket bucket) {
        return new BucketAccess(
                bucket.owner(),
                policy(bucket),
                false,
                BucketOwnership.of(bucket),
                acl(bucket),
                BucketPublicAccess.of(bucket));
    }

    private Optional<PolicyDocument> policy(Bucket bucket) {
        return bucket.setting(BucketSetting.POLICY).map(text -> {
            Kept kept = new Kept(bucket.name().value(), text);
            PolicyDocument policy = understood.get(kept);
            if (policy == null) {
                policy = PolicyDocument.ofBucket(bucket.name(), text.getBytes(StandardCharsets.UTF_8));
                if (understood.size() >= MOST_POLICIES) {
                    understood.clear();
                }
                understood.put(kept, policy);
            }
            return policy;
        });
    }

    static AccessControlList acl(Bucket bucket) {
        return bucket.setting(BucketSetting.ACL)
                .map(kept -> Acls.ofKept(bucket.owner(), kept))
                .orElseGet(() -> AccessControlList.ofOwner(bucket.owner()));
    }
}
