package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.model.ObjectOwnership;
import software.amazon.awssdk.services.s3.model.OwnershipControlsRule;
import software.amazon.awssdk.services.s3.model.Payer;
import software.amazon.awssdk.services.s3.model.PublicAccessBlockConfiguration;
import software.amazon.awssdk.services.s3.model.Tag;

/** What the owner of a bucket sets, reads and forgets. */
class BucketSettingsTest extends S3Test {
    private static Tag tag(String key, String value) {
        return Tag.builder().key(key).value(value).build();
    }

    private void tag(String bucket, List<Tag> tags) {
        s3.putBucketTagging(request -> request.bucket(bucket).tagging(tagging -> tagging.tagSet(tags)));
    }

    @Test
    void tags_are_kept_as_they_were_set_and_forgotten_when_they_are_deleted() {
        String bucket = newBucket();
        List<Tag> tags = List.of(tag("cost centre", "4711"), tag("empty", ""), tag("<&>", "→ \"x\" "));
        assertRefused(404, "NoSuchTagSet", () -> s3.getBucketTagging(request -> request.bucket(bucket)));

        tag(bucket, List.of(tag("old", "one")));
        tag(bucket, tags);

        assertThat(s3.getBucketTagging(request -> request.bucket(bucket)).tagSet())
                .containsExactlyInAnyOrderElementsOf(tags);
        s3.deleteBucketTagging(request -> request.bucket(bucket));
        s3.deleteBucketTagging(request -> request.bucket(bucket));
        assertRefused(404, "NoSuchTagSet", () -> s3.getBucketTagging(request -> request.bucket(bucket)));
    }

    @Test
    void tags_that_break_the_rules_change_nothing() {
        String bucket = newBucket();
        List<Tag> kept = List.of(tag("kept", "yes"));
        tag(bucket, kept);

        assertRefused(400, "InvalidTag", () -> tag(bucket, List.of(tag("twice", "1"), tag("twice", "2"))));
        assertRefused(400, "InvalidTag", () -> tag(bucket, List.of(tag("k".repeat(129), ""))));
        assertRefused(400, "InvalidTag", () -> tag(bucket, List.of(tag("k", "v".repeat(257)))));
        assertRefused(400, "InvalidTag", () -> tag(bucket, List.of(tag("aws:mine", "v"))));
        assertStatus(
                400,
                () -> tag(
                        bucket,
                        IntStream.range(0, 51)
                                .mapToObj(i -> tag("key-" + i, ""))
                                .toList()));
        assertThat(s3.getBucketTagging(request -> request.bucket(bucket)).tagSet())
                .isEqualTo(kept);
    }

    @Test
    void a_public_access_block_is_kept_and_forgotten() {
        String bucket = newBucket();
        PublicAccessBlockConfiguration block = PublicAccessBlockConfiguration.builder()
                .blockPublicAcls(true)
                .ignorePublicAcls(false)
                .blockPublicPolicy(false)
                .restrictPublicBuckets(true)
                .build();

        s3.putPublicAccessBlock(request -> request.bucket(bucket).publicAccessBlockConfiguration(block));

        assertThat(s3.getPublicAccessBlock(request -> request.bucket(bucket)).publicAccessBlockConfiguration())
                .isEqualTo(block);
        s3.deletePublicAccessBlock(request -> request.bucket(bucket));
        assertRefused(
                404,
                "NoSuchPublicAccessBlockConfiguration",
                () -> s3.getPublicAccessBlock(request -> request.bucket(bucket)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"})
    void ownership_controls_are_set_with_the_bucket_or_later_and_forgotten(String name) {
        ObjectOwnership ownership = ObjectOwnership.fromValue(name);
        String made = created(
                bucket -> s3.createBucket(request -> request.bucket(bucket).objectOwnership(ownership)));
        String later = newBucket();
        s3.putBucketOwnershipControls(request -> request.bucket(later)
                .ownershipControls(controls -> controls.rules(OwnershipControlsRule.builder()
                        .objectOwnership(ownership)
                        .build())));

        for (String bucket : List.of(made, later)) {
            assertThat(s3.getBucketOwnershipControls(request -> request.bucket(bucket))
                            .ownershipControls()
                            .rules())
                    .extracting(OwnershipControlsRule::objectOwnership)
                    .containsExactly(ownership);
            s3.deleteBucketOwnershipControls(request -> request.bucket(bucket));
            assertRefused(
                    404,
                    "OwnershipControlsNotFoundError",
                    () -> s3.getBucketOwnershipControls(request -> request.bucket(bucket)));
        }
    }

    @Test
    void the_owner_of_a_bucket_pays() {
        String bucket = newBucket();
        s3.putBucketRequestPayment(request ->
                request.bucket(bucket).requestPaymentConfiguration(payment -> payment.payer(Payer.BUCKET_OWNER)));
        assertThat(s3.getBucketRequestPayment(request -> request.bucket(bucket)).payer())
                .isEqualTo(Payer.BUCKET_OWNER);
    }

    @Test
    void what_is_not_set_is_answered_as_that() {
        String bucket = newBucket();
        assertThat(s3.getBucketLogging(request -> request.bucket(bucket)).loggingEnabled())
                .isNull();
        assertThat(s3.getBucketAccelerateConfiguration(request -> request.bucket(bucket))
                        .statusAsString())
                .isNull();
        assertThat(s3.getBucketNotificationConfiguration(request -> request.bucket(bucket))
                        .queueConfigurations())
                .isEmpty();
        assertRefused(
                404,
                "ReplicationConfigurationNotFoundError",
                () -> s3.getBucketReplication(request -> request.bucket(bucket)));
    }

    @Test
    void settings_of_a_bucket_that_does_not_exist_are_refused() {
        String missing = unusedBucketName();
        assertRefused(404, "NoSuchBucket", () -> s3.getBucketTagging(request -> request.bucket(missing)));
        assertRefused(404, "NoSuchBucket", () -> tag(missing, List.of(tag("a", "b"))));
        assertRefused(404, "NoSuchBucket", () -> s3.deletePublicAccessBlock(request -> request.bucket(missing)));
        assertRefused(404, "NoSuchBucket", () -> s3.getBucketLogging(request -> request.bucket(missing)));
    }
}
