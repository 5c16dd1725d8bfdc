package io.headgate.s3.op;

import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketSetting;
import io.headgate.policy.AccessControlList;
import io.headgate.policy.BucketAccess;
import io.headgate.policy.PolicyDocument;
import io.headgate.policy.PolicyException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What buckets' settings say about access. Policies are kept as they were understood. Thread-safe. */
final class BucketFacts {
    private static final Logger LOG = LoggerFactory.getLogger(BucketFacts.class);
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
                policy = understand(bucket, text);
                if (understood.size() >= MOST_POLICIES) {
                    understood.clear();
                }
                understood.put(kept, policy);
            }
            return policy;
        });
    }

    /** One that this version does not understand denies everything, so that its owner can still replace it. */
    private static PolicyDocument understand(Bucket bucket, String text) {
        try {
            return PolicyDocument.ofBucket(bucket.name(), text.getBytes(StandardCharsets.UTF_8));
        } catch (PolicyException unknown) {
            LOG.error("the policy of {} is not understood, and all is denied: {}", bucket.name(), unknown.getMessage());
            String all = """
                    {"Statement": {"Effect": "Deny", "Principal": "*", "Action": "s3:*",
                     "Resource": ["arn:aws:s3:::%1$s", "arn:aws:s3:::%1$s/*"]}}""".formatted(bucket.name());
            return PolicyDocument.ofBucket(bucket.name(), all.getBytes(StandardCharsets.UTF_8));
        }
    }

    static AccessControlList acl(Bucket bucket) {
        return bucket.setting(BucketSetting.ACL)
                .map(kept -> Acls.ofKept(bucket.owner(), kept))
                .orElseGet(() -> AccessControlList.ofOwner(bucket.owner()));
    }
}
