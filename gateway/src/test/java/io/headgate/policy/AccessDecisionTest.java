package io.headgate.policy;

import static io.headgate.policy.PolicyText.allowAll;
import static io.headgate.policy.PolicyText.denyAll;
import static io.headgate.policy.PolicyText.ofBucket;
import static io.headgate.policy.PolicyText.ofIdentity;
import static io.headgate.policy.PolicyText.statement;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bucket {@code photos} belongs to the account {@code owner}; the object or upload in it to who the test says. */
final class AccessDecisionTest {
    private static final Resource BUCKET = new Resource("arn:aws:s3:::photos");
    private static final Resource OBJECT = new Resource("arn:aws:s3:::photos/x");
    private static final BucketAccess PLAIN = BucketAccess.ofOwner("owner");
    private static final BucketAccess WITH_ACLS = PLAIN.withOwnership(ObjectOwnership.OBJECT_WRITER);
    private static final Supplier<Optional<ObjectAccess>> NOT_ASKED = () -> {
        throw new AssertionError("asked for the object");
    };

    private static Caller caller(String name) {
        return switch (name) {
            case "anonymous" -> new Caller.Anonymous();
            case "root" -> new Caller.Root("root");
            case "reader" ->
                Caller.User.ofOwnAccount("owner", List.of(ofIdentity(statement("Allow", "", "s3:Get*", "*", ""))));
            case "intern" -> new Caller.User("intern", "owner", List.of());
            default -> Caller.User.ofOwnAccount(name, List.of());
        };
    }

    private static AccessDecision decide(String caller, String action, BucketAccess bucket) {
        return decide(caller, action, bucket, NOT_ASKED);
    }

    private static AccessDecision decide(
            String caller, String action, BucketAccess bucket, Supplier<Optional<ObjectAccess>> object) {
        return AccessDecision.decide(request(caller, action, bucket, object));
    }

    private static AccessRequest request(
            String caller, String action, BucketAccess bucket, Supplier<Optional<ObjectAccess>> object) {
        Resource resource = action.contains("Object") || action.contains("Part") ? OBJECT : BUCKET;
        return AccessRequest.ofObject(
                caller(caller),
                action,
                resource,
                bucket,
                object,
                key -> key.equals("s3:prefix") ? List.of("p") : List.of());
    }

    private static Supplier<Optional<ObjectAccess>> object(String owner, CannedAcl acl) {
        return () -> Optional.of(new ObjectAccess(owner, AccessControlList.ofObject(acl, owner, "owner")));
    }

    @ParameterizedTest
    @CsvSource({
        "owner, s3:GetObject, ALLOWED_TO_OWNER",
        "owner, s3:DeleteBucket, ALLOWED_TO_OWNER",
        "root, s3:GetObject, ALLOWED_TO_OWNER",
        "root, s3:PutBucketPolicy, ALLOWED_TO_OWNER",
        "reader, s3:GetObject, ALLOWED_BY_IDENTITY_POLICY",
        "reader, s3:PutObject, NOT_ALLOWED_BY_IDENTITY_POLICY",
        "intern, s3:GetObject, NOT_ALLOWED_BY_IDENTITY_POLICY",
        "bob, s3:GetObject, NOT_ALLOWED",
        "bob, s3:ListBucket, NOT_ALLOWED",
        "anonymous, s3:GetObject, NOT_ALLOWED"
    })
    void a_bucket_is_its_owners(String caller, String action, AccessDecision decision) {
        assertThat(decide(caller, action, PLAIN)).isEqualTo(decision);
        assertThat(decision.isAllowed()).isEqualTo(decision.name().startsWith("ALLOWED"));
    }

    @ParameterizedTest
    @CsvSource({
        "owner, s3:GetObject, DENIED_BY_POLICY",
        "root, s3:GetObject, DENIED_BY_POLICY",
        "reader, s3:GetObject, DENIED_BY_POLICY",
        "bob, s3:GetObject, DENIED_BY_POLICY",
        "owner, s3:PutObject, ALLOWED_TO_OWNER",
        "bob, s3:PutObject, ALLOWED_BY_BUCKET_POLICY"
    })
    void an_explicit_denial_wins_over_all(String caller, String action, AccessDecision decision) {
        PolicyDocument policy = ofBucket(allowAll("s3:*", ""), denyAll("s3:Get*", ""));
        assertThat(decide(caller, action, PLAIN.withPolicy(policy))).isEqualTo(decision);
    }

    @ParameterizedTest
    @CsvSource({
        "owner, false, ALLOWED_TO_OWNER",
        "root, false, ALLOWED_TO_OWNER",
        "intern, false, DENIED_BY_POLICY",
        "bob, false, DENIED_BY_POLICY",
        "owner, true, DENIED_BY_POLICY",
        "root, true, ALLOWED_TO_OWNER"
    })
    void the_owner_can_always_change_the_policy_unless_that_was_given_up(
            String caller, boolean givenUp, AccessDecision decision) {
        BucketAccess bucket = PLAIN.withPolicy(ofBucket(denyAll("s3:*", "")));
        for (String action : List.of("s3:GetBucketPolicy", "s3:PutBucketPolicy", "s3:DeleteBucketPolicy")) {
            assertThat(decide(caller, action, givenUp ? bucket.lockingOwnerOut() : bucket))
                    .isEqualTo(decision);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "bob, s3:GetObject, ALLOWED_BY_BUCKET_POLICY",
        "anonymous, s3:GetObject, ALLOWED_BY_BUCKET_POLICY",
        "intern, s3:GetObject, ALLOWED_BY_BUCKET_POLICY",
        "reader, s3:GetObject, ALLOWED_BY_IDENTITY_POLICY",
        "bob, s3:PutObject, NOT_ALLOWED",
        "bob, s3:ListBucket, NOT_ALLOWED"
    })
    void a_bucket_policy_allows_others(String caller, String action, AccessDecision decision) {
        BucketAccess bucket = PLAIN.withPolicy(ofBucket(allowAll("s3:GetObject", "")));
        assertThat(decide(caller, action, bucket)).isEqualTo(decision);
    }

    @Test
    void naming_the_owners_account_gives_its_users_nothing_that_their_own_policies_do_not() {
        BucketAccess bucket = PLAIN.withPolicy(
                ofBucket(statement("Allow", "'Principal': {'AWS': 'owner'}", "s3:*", "arn:aws:s3:::photos/*", "")));
        assertThat(decide("intern", "s3:GetObject", bucket)).isEqualTo(AccessDecision.NOT_ALLOWED_BY_IDENTITY_POLICY);
        assertThat(decide("reader", "s3:GetObject", bucket)).isEqualTo(AccessDecision.ALLOWED_BY_IDENTITY_POLICY);
    }

    @Test
    void in_the_bucket_of_another_account_both_sides_must_allow_it() {
        Caller narrowed = Caller.User.ofOwnAccount(
                "bob",
                List.of(ofIdentity(
                        statement("Allow", "", "s3:*", "*", ""), statement("Deny", "", "s3:PutObject", "*", ""))));
        Caller reading = Caller.User.ofOwnAccount(
                "bob", List.of(ofIdentity(statement("Allow", "", "s3:GetObject", "arn:aws:s3:::photos/*", ""))));
        BucketAccess open = PLAIN.withPolicy(ofBucket(allowAll("s3:*", "")));
        assertThat(decide(narrowed, "s3:GetObject", open)).isEqualTo(AccessDecision.ALLOWED_BY_BUCKET_POLICY);
        assertThat(decide(narrowed, "s3:PutObject", open)).isEqualTo(AccessDecision.DENIED_BY_POLICY);
        assertThat(decide(narrowed, "s3:GetObject", PLAIN)).isEqualTo(AccessDecision.NOT_ALLOWED);
        assertThat(decide(reading, "s3:GetObject", open)).isEqualTo(AccessDecision.ALLOWED_BY_BUCKET_POLICY);
        assertThat(decide(reading, "s3:DeleteObject", open)).isEqualTo(AccessDecision.NOT_ALLOWED_BY_IDENTITY_POLICY);
    }

    private static AccessDecision decide(Caller caller, String action, BucketAccess bucket) {
        return AccessDecision.decide(
                AccessRequest.ofObject(caller, action, OBJECT, bucket, NOT_ASKED, key -> List.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "owner, ALLOWED_TO_OWNER",
        "root, ALLOWED_TO_OWNER",
        "reader, NOT_ALLOWED_BY_IDENTITY_POLICY",
        "intern, NOT_ALLOWED_BY_IDENTITY_POLICY",
        "anonymous, NOT_ALLOWED"
    })
    void every_account_may_list_its_buckets_and_make_some(String caller, AccessDecision decision) {
        for (String action : List.of("s3:ListAllMyBuckets", "s3:CreateBucket")) {
            assertThat(AccessDecision.decide(
                            AccessRequest.ofService(caller(caller), action, Resource.SERVICE, key -> List.of())))
                    .isEqualTo(decision);
        }
    }

    @Test
    void an_identity_policy_may_allow_to_make_buckets_of_some_names() {
        Caller maker = Caller.User.ofOwnAccount(
                "bob", List.of(ofIdentity(statement("Allow", "", "s3:CreateBucket", "arn:aws:s3:::bob-*", ""))));
        assertThat(AccessDecision.decide(AccessRequest.ofService(
                        maker, "s3:CreateBucket", new Resource("arn:aws:s3:::bob-1"), key -> List.of())))
                .isEqualTo(AccessDecision.ALLOWED_BY_IDENTITY_POLICY);
        assertThat(AccessDecision.decide(AccessRequest.ofService(
                        maker, "s3:CreateBucket", new Resource("arn:aws:s3:::photos"), key -> List.of())))
                .isEqualTo(AccessDecision.NOT_ALLOWED_BY_IDENTITY_POLICY);
    }

    /** As in the public suite: a bucket and an object of the same account, each with an ACL, and another user. */
    @ParameterizedTest
    @CsvSource({
        "private, private, false, false, false",
        "private, public-read, true, false, false",
        "private, public-read-write, true, false, false",
        "public-read, private, false, true, false",
        "public-read, public-read, true, true, false",
        "public-read, public-read-write, true, true, false",
        "public-read-write, private, false, true, true",
        "public-read-write, public-read, true, true, true",
        "public-read-write, public-read-write, true, true, true"
    })
    void acls_of_bucket_and_object_are_independent(
            String bucketAcl, String objectAcl, boolean reads, boolean lists, boolean writes) {
        BucketAccess bucket = WITH_ACLS.withAcl(
                AccessControlList.ofBucket(CannedAcl.of(bucketAcl).orElseThrow(), "owner"));
        Supplier<Optional<ObjectAccess>> object =
                object("owner", CannedAcl.of(objectAcl).orElseThrow());
        for (String caller : List.of("bob", "anonymous")) {
            assertThat(decide(caller, "s3:GetObject", bucket, object).isAllowed())
                    .isEqualTo(reads);
            assertThat(decide(caller, "s3:ListBucket", bucket, object).isAllowed())
                    .isEqualTo(lists);
            assertThat(decide(caller, "s3:PutObject", bucket, object).isAllowed())
                    .isEqualTo(writes);
            assertThat(decide(caller, "s3:DeleteObject", bucket, object).isAllowed())
                    .isFalse();
            assertThat(decide(caller, "s3:GetObjectAcl", bucket, object).isAllowed())
                    .isFalse();
            assertThat(decide(caller, "s3:GetBucketPolicy", bucket, object).isAllowed())
                    .isFalse();
        }
    }

    @Test
    void acls_do_not_count_where_the_owner_is_enforced() {
        BucketAccess bucket = PLAIN.withAcl(AccessControlList.ofBucket(CannedAcl.PUBLIC_READ_WRITE, "owner"));
        for (String action : List.of("s3:GetObject", "s3:ListBucket", "s3:PutObject", "s3:DeleteObject")) {
            assertThat(decide("bob", action, bucket)).isEqualTo(AccessDecision.NOT_ALLOWED);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "owner, s3:GetObject, private, NOT_ALLOWED",
        "owner, s3:GetObjectAcl, private, NOT_ALLOWED",
        "owner, s3:GetObject, bucket-owner-read, ALLOWED_BY_ACL",
        "owner, s3:GetObjectAcl, bucket-owner-read, NOT_ALLOWED",
        "owner, s3:PutObjectAcl, bucket-owner-full-control, ALLOWED_BY_ACL",
        "owner, s3:DeleteObject, private, ALLOWED_TO_OWNER",
        "owner, s3:PutObject, private, ALLOWED_TO_OWNER",
        "owner, s3:PutObjectTagging, private, ALLOWED_TO_OWNER",
        "root, s3:GetObject, private, ALLOWED_TO_OWNER",
        "bob, s3:GetObject, private, ALLOWED_TO_OWNER",
        "bob, s3:PutObjectAcl, private, ALLOWED_TO_OWNER",
        "bob, s3:DeleteObject, private, NOT_ALLOWED",
        "carol, s3:GetObject, private, NOT_ALLOWED",
        "carol, s3:GetObject, public-read, ALLOWED_BY_ACL",
        "carol, s3:GetObjectTagging, private, ALLOWED_BY_BUCKET_POLICY"
    })
    void an_object_of_another_account_is_that_accounts(
            String caller, String action, String acl, AccessDecision decision) {
        BucketAccess bucket = WITH_ACLS.withPolicy(ofBucket(allowAll("s3:GetObject*", "")));
        assertThat(decide(
                        caller, action, bucket, object("bob", CannedAcl.of(acl).orElseThrow())))
                .isEqualTo(decision);
    }

    @Test
    void who_may_write_may_delete_the_own_objects_and_end_the_own_uploads() {
        BucketAccess bucket = WITH_ACLS.withAcl(AccessControlList.ofBucket(CannedAcl.PUBLIC_READ_WRITE, "owner"));
        for (String action : List.of("s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts")) {
            assertThat(decide("bob", action, bucket, object("bob", CannedAcl.PRIVATE)))
                    .isEqualTo(AccessDecision.ALLOWED_TO_OWNER);
            assertThat(decide("bob", action, bucket, object("carol", CannedAcl.PUBLIC_READ_WRITE)))
                    .isEqualTo(AccessDecision.NOT_ALLOWED);
            assertThat(decide("bob", action, bucket, Optional::empty)).isEqualTo(AccessDecision.NOT_ALLOWED);
        }
    }

    @Test
    void a_policy_covers_objects_that_do_not_exist_or_belong_to_the_bucket_owner() {
        BucketAccess bucket = WITH_ACLS.withPolicy(ofBucket(allowAll("s3:GetObject", "")));
        assertThat(decide("bob", "s3:GetObject", bucket, Optional::empty))
                .isEqualTo(AccessDecision.ALLOWED_BY_BUCKET_POLICY);
        assertThat(decide("bob", "s3:GetObject", bucket, object("owner", CannedAcl.PRIVATE)))
                .isEqualTo(AccessDecision.ALLOWED_BY_BUCKET_POLICY);
    }

    @ParameterizedTest
    @CsvSource({"public/x, ALLOWED_BY_BUCKET_POLICY", "private/x, NOT_ALLOWED"})
    void who_may_list_a_key_may_know_that_it_does_not_exist(String key, AccessDecision decision) {
        BucketAccess bucket =
                PLAIN.withPolicy(ofBucket(allowAll("s3:ListBucket", "'StringLike': {'s3:prefix': 'public/*'}")));
        AccessRequest head = AccessRequest.ofObject(
                caller("bob"),
                "s3:GetObject",
                Resource.of(PolicyText.PHOTOS, new ObjectKey(key)),
                bucket,
                Optional::empty,
                asked -> List.of());
        assertThat(AccessDecision.decide(head)).isEqualTo(AccessDecision.NOT_ALLOWED);
        assertThat(AccessDecision.decide(head.listing(PolicyText.PHOTOS, new ObjectKey(key))))
                .isEqualTo(decision);
    }

    @Test
    void ignored_public_acls_give_nothing_to_groups() {
        AccessControlList acl = new AccessControlList(
                "owner",
                List.of(
                        new Grant(new Grant.Grantee.AllUsers(), Grant.Permission.READ),
                        new Grant(new Grant.Grantee.Account("carol"), Grant.Permission.READ)));
        BucketAccess bucket = WITH_ACLS.withAcl(acl);
        BucketAccess ignoring = bucket.withBlock(new PublicAccessBlock(false, true, false, false));
        assertThat(decide("bob", "s3:ListBucket", bucket)).isEqualTo(AccessDecision.ALLOWED_BY_ACL);
        assertThat(decide("bob", "s3:ListBucket", ignoring)).isEqualTo(AccessDecision.NOT_ALLOWED);
        assertThat(decide("carol", "s3:ListBucket", ignoring)).isEqualTo(AccessDecision.ALLOWED_BY_ACL);
        assertThat(decide("bob", "s3:GetObject", ignoring, object("owner", CannedAcl.PUBLIC_READ)))
                .isEqualTo(AccessDecision.NOT_ALLOWED);
    }

    @Test
    void a_restricted_public_policy_allows_nothing_to_other_accounts() {
        String single = statement("Allow", "'Principal': {'AWS': 'carol'}", "s3:*", "arn:aws:s3:::photos/*", "");
        BucketAccess open = PLAIN.withPolicy(ofBucket(single, allowAll("s3:GetObject", "")));
        BucketAccess closed = PLAIN.withPolicy(ofBucket(single));
        PublicAccessBlock restricted = new PublicAccessBlock(false, false, false, true);
        for (String caller : List.of("anonymous", "bob", "carol")) {
            assertThat(decide(caller, "s3:GetObject", open)).isEqualTo(AccessDecision.ALLOWED_BY_BUCKET_POLICY);
            assertThat(decide(caller, "s3:GetObject", open.withBlock(restricted)))
                    .isEqualTo(AccessDecision.NOT_ALLOWED);
        }
        assertThat(decide("owner", "s3:GetObject", open.withBlock(restricted)))
                .isEqualTo(AccessDecision.ALLOWED_TO_OWNER);
        assertThat(decide("intern", "s3:GetObject", open.withBlock(restricted)))
                .isEqualTo(AccessDecision.ALLOWED_BY_BUCKET_POLICY);
        assertThat(decide("carol", "s3:GetObject", closed.withBlock(restricted)))
                .isEqualTo(AccessDecision.ALLOWED_BY_BUCKET_POLICY);
    }

    @Test
    void blocked_public_acls_and_policies_cannot_be_set_by_anybody() {
        AccessControlList publicAcl = AccessControlList.ofBucket(CannedAcl.AUTHENTICATED_READ, "owner");
        AccessControlList privateAcl = AccessControlList.ofOwner("owner");
        PolicyDocument publicPolicy = ofBucket(allowAll("s3:GetObject", ""));
        PolicyDocument privatePolicy = ofBucket(denyAll("s3:GetObject", ""));
        for (String caller : List.of("owner", "root")) {
            for (boolean blocks : List.of(true, false)) {
                BucketAccess bucket = WITH_ACLS.withBlock(new PublicAccessBlock(blocks, false, blocks, false));
                AccessRequest acl = request(caller, "s3:PutBucketAcl", bucket, NOT_ASKED);
                AccessRequest policy = request(caller, "s3:PutBucketPolicy", bucket, NOT_ASKED);
                AccessDecision expected =
                        blocks ? AccessDecision.DENIED_BY_PUBLIC_ACCESS_BLOCK : AccessDecision.ALLOWED_TO_OWNER;
                assertThat(AccessDecision.decide(acl.setting(publicAcl))).isEqualTo(expected);
                assertThat(AccessDecision.decide(policy.setting(publicPolicy))).isEqualTo(expected);
                assertThat(AccessDecision.decide(acl.setting(privateAcl))).isEqualTo(AccessDecision.ALLOWED_TO_OWNER);
                assertThat(AccessDecision.decide(policy.setting(privatePolicy)))
                        .isEqualTo(AccessDecision.ALLOWED_TO_OWNER);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "BUCKET_OWNER_ENFORCED, PRIVATE, owner",
        "BUCKET_OWNER_ENFORCED, BUCKET_OWNER_FULL_CONTROL, owner",
        "BUCKET_OWNER_PREFERRED, PRIVATE, bob",
        "BUCKET_OWNER_PREFERRED, BUCKET_OWNER_FULL_CONTROL, owner",
        "OBJECT_WRITER, BUCKET_OWNER_FULL_CONTROL, bob"
    })
    void who_owns_a_new_object(ObjectOwnership ownership, CannedAcl acl, String owner) {
        assertThat(ownership.ownerOfNew("owner", "bob", Optional.of(acl))).isEqualTo(owner);
        assertThat(ObjectOwnership.of(ownership.s3Name())).contains(ownership);
    }
}
