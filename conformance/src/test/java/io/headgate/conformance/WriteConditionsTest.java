package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Conditions on writes, decided inside the commit. */
class WriteConditionsTest extends S3Test {
    private static final int WRITERS = 32;
    private static final String OTHER_ETAG = "\"00000000000000000000000000000000\"";

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void a_put_that_must_be_the_first_is_refused_where_an_object_is(ClientKind kind) {
        S3Client client = kind.client();
        String bucket = newBucket();

        client.putObject(
                request -> request.bucket(bucket).key("key").ifNoneMatch("*"), RequestBody.fromString("first"));
        assertRefused(
                412,
                "PreconditionFailed",
                () -> client.putObject(
                        request -> request.bucket(bucket).key("key").ifNoneMatch("*"),
                        RequestBody.fromString("second")));

        assertThat(getString(bucket, "key")).isEqualTo("first");
    }

    @Test
    void a_put_that_must_replace_a_version_is_refused_where_another_is() {
        String bucket = newBucket();
        String first = put(bucket, "key", "first").eTag();

        assertRefused(412, "PreconditionFailed", () -> putIfMatch(bucket, "key", OTHER_ETAG, "wrong"));
        putIfMatch(bucket, "key", first, "second");
        assertRefused(412, "PreconditionFailed", () -> putIfMatch(bucket, "key", first, "third"));

        assertThat(getString(bucket, "key")).isEqualTo("second");
    }

    @Test
    void a_put_that_must_replace_a_version_finds_none() {
        String bucket = newBucket();

        assertRefused(404, "NoSuchKey", () -> putIfMatch(bucket, "key", OTHER_ETAG, "x"));

        assertThat(keys(bucket)).isEmpty();
    }

    private void putIfMatch(String bucket, String key, String etag, String body) {
        s3.putObject(request -> request.bucket(bucket).key(key).ifMatch(etag), RequestBody.fromString(body));
    }

    @Test
    void after_a_delete_a_put_may_be_the_first_again() {
        String bucket = newBucket();
        put(bucket, "key", "first");
        s3.deleteObject(request -> request.bucket(bucket).key("key"));

        s3.putObject(request -> request.bucket(bucket).key("key").ifNoneMatch("*"), RequestBody.fromString("again"));

        assertThat(getString(bucket, "key")).isEqualTo("again");
    }

    @Test
    void a_conditional_delete_takes_only_the_version_it_names() {
        String bucket = newBucket();
        String etag = put(bucket, "key", "x").eTag();

        assertRefused(
                412,
                "PreconditionFailed",
                () -> s3.deleteObject(
                        request -> request.bucket(bucket).key("key").ifMatch(OTHER_ETAG)));
        assertThat(getString(bucket, "key")).isEqualTo("x");

        s3.deleteObject(request -> request.bucket(bucket).key("key").ifMatch(etag));
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_complete_that_must_be_the_first_is_refused_where_an_object_is_and_the_upload_stays() {
        String bucket = newBucket();
        put(bucket, "key", "in the way");
        String upload = startUpload(bucket, "key");
        String part = uploadPart(bucket, "key", upload, "the part");

        assertRefused(
                412,
                "PreconditionFailed",
                () -> s3.completeMultipartUpload(
                        complete(bucket, "key", upload, part).ifNoneMatch("*").build()));
        assertThat(getString(bucket, "key")).isEqualTo("in the way");

        s3.deleteObject(request -> request.bucket(bucket).key("key"));
        s3.completeMultipartUpload(
                complete(bucket, "key", upload, part).ifNoneMatch("*").build());
        assertThat(getString(bucket, "key")).isEqualTo("the part");
    }

    @Test
    void a_complete_that_must_replace_a_version_is_refused_where_another_or_none_is() {
        String bucket = newBucket();
        String etag = put(bucket, "key", "first").eTag();
        String upload = startUpload(bucket, "key");
        String part = uploadPart(bucket, "key", upload, "the part");

        assertRefused(
                412,
                "PreconditionFailed",
                () -> s3.completeMultipartUpload(complete(bucket, "key", upload, part)
                        .ifMatch(OTHER_ETAG)
                        .build()));
        s3.completeMultipartUpload(
                complete(bucket, "key", upload, part).ifMatch(etag).build());
        assertThat(getString(bucket, "key")).isEqualTo("the part");

        String orphan = startUpload(bucket, "missing");
        String orphanPart = uploadPart(bucket, "missing", orphan, "x");
        assertRefused(
                404,
                "NoSuchKey",
                () -> s3.completeMultipartUpload(complete(bucket, "missing", orphan, orphanPart)
                        .ifMatch(OTHER_ETAG)
                        .build()));
    }

    private String startUpload(String bucket, String key) {
        return s3.createMultipartUpload(request -> request.bucket(bucket).key(key))
                .uploadId();
    }

    private String uploadPart(String bucket, String key, String upload, String body) {
        return s3.uploadPart(
                        request ->
                                request.bucket(bucket).key(key).uploadId(upload).partNumber(1),
                        RequestBody.fromString(body))
                .eTag();
    }

    private static CompleteMultipartUploadRequest.Builder complete(
            String bucket, String key, String upload, String etag) {
        return CompleteMultipartUploadRequest.builder()
                .bucket(bucket)
                .key(key)
                .uploadId(upload)
                .multipartUpload(parts -> parts.parts(
                        CompletedPart.builder().partNumber(1).eTag(etag).build()));
    }

    @Test
    void of_many_first_puts_at_once_exactly_one_wins() throws Exception {
        String bucket = newBucket();

        for (int round = 0; round < 5; round++) {
            String key = "key-" + round;
            List<Integer> statuses = atOnce(writer -> s3.putObject(
                            request -> request.bucket(bucket).key(key).ifNoneMatch("*"),
                            RequestBody.fromString("writer " + writer))
                    .sdkHttpResponse()
                    .statusCode());

            assertThat(statuses).filteredOn(status -> status == 200).hasSize(1);
            assertThat(statuses).allMatch(status -> status == 200 || status == 412 || status == 409);
            assertThat(getString(bucket, key)).isEqualTo("writer " + statuses.indexOf(200));
        }
    }

    @Test
    void of_many_replacements_of_one_version_at_once_exactly_one_wins() throws Exception {
        String bucket = newBucket();
        String etag = put(bucket, "key", "first").eTag();

        List<Integer> statuses = atOnce(writer -> s3.putObject(
                        request -> request.bucket(bucket).key("key").ifMatch(etag),
                        RequestBody.fromString("writer " + writer))
                .sdkHttpResponse()
                .statusCode());

        assertThat(statuses).filteredOn(status -> status == 200).hasSize(1);
        assertThat(getString(bucket, "key")).isEqualTo("writer " + statuses.indexOf(200));
    }

    @Test
    void of_many_completes_of_rival_uploads_at_once_exactly_one_wins() throws Exception {
        String bucket = newBucket();
        List<CompleteMultipartUploadRequest> completes = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
            String upload = startUpload(bucket, "key");
            String part = uploadPart(bucket, "key", upload, "writer " + writer);
            completes.add(complete(bucket, "key", upload, part).ifNoneMatch("*").build());
        }

        List<Integer> statuses = atOnce(writer -> s3.completeMultipartUpload(completes.get(writer))
                .sdkHttpResponse()
                .statusCode());

        assertThat(statuses).filteredOn(status -> status == 200).hasSize(1);
        assertThat(getString(bucket, "key")).isEqualTo("writer " + statuses.indexOf(200));
    }

    /** Runs the call by 32 writers who start together; their answers' statuses, by writer. */
    private static List<Integer> atOnce(IntFunction<Integer> call) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> answers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                answers.add(writers.submit(() -> {
                    start.await();
                    try {
                        return call.apply(number);
                    } catch (S3Exception refused) {
                        return refused.statusCode();
                    }
                }));
            }
            start.countDown();
            List<Integer> statuses = new ArrayList<>();
            for (Future<Integer> answer : answers) {
                statuses.add(answer.get());
            }
            return statuses;
        }
    }
}
