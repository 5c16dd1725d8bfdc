package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Bucket;
import software.amazon.awssdk.services.s3.model.HeadBucketResponse;
import software.amazon.awssdk.services.s3.model.ListBucketsResponse;

/** The service and its buckets. */
class BucketsTest extends S3Test {

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void a_bucket_is_created_found_listed_and_deleted(ClientKind kind) {
        S3Client client = kind.client();
        String bucket = created(name -> client.createBucket(request -> request.bucket(name)));

        assertThat(client.headBucket(request -> request.bucket(bucket))
                        .sdkHttpResponse()
                        .statusCode())
                .isEqualTo(200);
        assertThat(client.listBuckets(request -> request.prefix(bucket)).buckets())
                .extracting(Bucket::name)
                .containsExactly(bucket);
        assertThat(client.deleteBucket(request -> request.bucket(bucket))
                        .sdkHttpResponse()
                        .statusCode())
                .isEqualTo(204);
        assertStatus(404, () -> client.headBucket(request -> request.bucket(bucket)));
        assertThat(client.listBuckets(request -> request.prefix(bucket)).buckets())
                .isEmpty();
    }

    @Test
    void creation_answers_with_the_location_and_the_time_is_kept() {
        Instant before = Instant.now();
        String bucket = created(name -> assertThat(
                        s3.createBucket(request -> request.bucket(name)).location())
                .isEqualTo("/" + name));

        List<Bucket> listed = s3.listBuckets(request -> request.prefix(bucket)).buckets();

        assertThat(listed).hasSize(1);
        assertThat(listed.getFirst().creationDate())
                .isBetween(before.minus(Duration.ofMinutes(1)), Instant.now().plus(Duration.ofMinutes(1)));
    }

    @Test
    void all_buckets_are_listed_in_order_with_their_owner() {
        String first = newBucket();
        String second = newBucket();

        ListBucketsResponse all = s3.listBuckets();

        assertThat(all.buckets())
                .extracting(Bucket::name)
                .contains(first, second)
                .isSorted();
        assertThat(all.owner().id()).isNotBlank();
    }

    @Test
    void listing_buckets_pages_with_max_buckets_and_a_continuation_token() {
        String prefix = unusedBucketName().substring(0, 30);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            String name = prefix + "-" + i;
            deleteAfterwards(name);
            s3.createBucket(request -> request.bucket(name));
            names.add(name);
        }

        List<String> listed = new ArrayList<>();
        List<Integer> pageSizes = new ArrayList<>();
        String token = null;
        do {
            String continuation = token;
            ListBucketsResponse page = s3.listBuckets(
                    request -> request.prefix(prefix).maxBuckets(2).continuationToken(continuation));
            assertThat(page.prefix()).isEqualTo(prefix);
            page.buckets().forEach(bucket -> listed.add(bucket.name()));
            pageSizes.add(page.buckets().size());
            token = page.continuationToken();
        } while (token != null);

        assertThat(listed).isEqualTo(names);
        assertThat(pageSizes).containsExactly(2, 2, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10_001})
    void a_page_of_buckets_has_at_least_one_and_at_most_ten_thousand(int maxBuckets) {
        assertRefused(400, "InvalidArgument", () -> s3.listBuckets(request -> request.maxBuckets(maxBuckets)));
    }

    @Test
    void creating_a_bucket_again_says_that_it_is_yours_and_keeps_its_objects() {
        String bucket = newBucket();
        put(bucket, "kept", "content");

        assertRefused(409, "BucketAlreadyOwnedByYou", () -> s3.createBucket(request -> request.bucket(bucket)));

        assertThat(getString(bucket, "kept")).isEqualTo("content");
    }

    @Test
    void a_bucket_remembers_its_location_constraint() {
        String bucket = created(name -> s3.createBucket(request -> request.bucket(name)
                .createBucketConfiguration(configuration -> configuration.locationConstraint("eu-west-1"))));

        assertThat(s3.getBucketLocation(request -> request.bucket(bucket)).locationConstraintAsString())
                .isEqualTo("eu-west-1");
    }

    @Test
    void a_bucket_of_the_default_region_has_an_empty_location() {
        String bucket = newBucket();

        RawResponse location = RawConnection.send(
                endpoint, Signer.of(endpoint).sign(RawRequest.of("GET", "/" + bucket + "?location=")));

        assertThat(location.assertStatus(200).xml().getTagName()).isEqualTo("LocationConstraint");
        assertThat(location.xml().getTextContent()).isEmpty();
        assertThat(location.header("Content-Type").orElseThrow()).startsWith("application/xml");
    }

    @Test
    void head_of_a_bucket_tells_its_region() {
        String bucket = newBucket();

        HeadBucketResponse head = s3.headBucket(request -> request.bucket(bucket));

        assertThat(head.bucketRegion()).isEqualTo(endpoint.region());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ab",
                "Upper-case",
                "under_score",
                "-leading",
                "trailing-",
                ".leading",
                "trailing.",
                "two..dots",
                "192.168.5.4",
                "xn--prefix",
                "sthree-prefix",
                "suffix-s3alias",
                "suffix--ol-s3",
                "with%20space",
                "caf%C3%A9",
                "a123456789a123456789a123456789a123456789a123456789a123456789abcd"
            })
    void a_bucket_name_that_breaks_the_rules_is_refused(String name) {
        RawResponse refused = RawConnection.send(
                endpoint,
                Signer.of(endpoint).sign(RawRequest.of("PUT", "/" + name).withBody("")));

        refused.assertError(400, "InvalidBucketName");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "abc",
                "0-starts-with-a-digit",
                "dots.are.allowed",
                "1.2.3.4.5",
                "a123456789a123456789a123456789a123456789a123456789a123456789abc"
            })
    void a_bucket_name_within_the_rules_is_taken(String name) {
        RawResponse created = RawConnection.send(
                endpoint,
                Signer.of(endpoint).sign(RawRequest.of("PUT", "/" + name).withBody("")));

        created.assertStatus(200);
        s3.deleteBucket(request -> request.bucket(name));
    }

    @Test
    void a_bucket_with_an_object_in_it_cannot_be_deleted() {
        String bucket = newBucket();
        put(bucket, "the-last", "x");

        assertRefused(409, "BucketNotEmpty", () -> s3.deleteBucket(request -> request.bucket(bucket)));

        s3.deleteObject(request -> request.bucket(bucket).key("the-last"));
        s3.deleteBucket(request -> request.bucket(bucket));
    }

    @Test
    void a_bucket_that_is_deleted_and_made_again_is_empty() {
        String bucket = newBucket();
        put(bucket, "old", "x");
        s3.deleteObject(request -> request.bucket(bucket).key("old"));
        s3.deleteBucket(request -> request.bucket(bucket));

        s3.createBucket(request -> request.bucket(bucket));

        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void operations_on_a_bucket_that_does_not_exist_say_so() {
        String missing = unusedBucketName();

        assertStatus(404, () -> s3.headBucket(request -> request.bucket(missing)));
        assertRefused(404, "NoSuchBucket", () -> s3.deleteBucket(request -> request.bucket(missing)));
        assertRefused(404, "NoSuchBucket", () -> s3.getBucketLocation(request -> request.bucket(missing)));
        assertRefused(404, "NoSuchBucket", () -> s3.listObjectsV2(request -> request.bucket(missing)));
        assertRefused(404, "NoSuchBucket", () -> s3.listObjects(request -> request.bucket(missing)));
        assertRefused(404, "NoSuchBucket", () -> s3.listMultipartUploads(request -> request.bucket(missing)));
        assertRefused(404, "NoSuchBucket", () -> get(missing, "key"));
        assertRefused(404, "NoSuchBucket", () -> put(missing, "key", "x"));
        assertRefused(
                404,
                "NoSuchBucket",
                () -> s3.deleteObject(request -> request.bucket(missing).key("key")));
        assertRefused(
                404,
                "NoSuchBucket",
                () -> s3.createMultipartUpload(
                        request -> request.bucket(missing).key("key")));
    }
}
