package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/** Objects that are uploaded in parts. */
class MultipartTest extends S3Test {
    private static final int PART = 5 * MIB;
    private String bucket;

    @BeforeEach
    void createBucket() {
        bucket = newBucket();
    }

    private static String etagOf(byte[] whole, int partSize) {
        int parts = (whole.length + partSize - 1) / partSize;
        byte[] digests = new byte[16 * parts];
        for (int i = 0; i < parts; i++) {
            byte[] part = Arrays.copyOfRange(whole, i * partSize, Math.min(whole.length, (i + 1) * partSize));
            System.arraycopy(Algorithm.hash("MD5", part), 0, digests, 16 * i, 16);
        }
        return "\"" + HexFormat.of().formatHex(Algorithm.hash("MD5", digests)) + "-" + parts + "\"";
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void parts_become_one_object(ClientKind kind) {
        S3Client client = kind.client();
        byte[] whole = bytes(1, 2 * PART + 12_345);
        Upload upload = Upload.start(client, bucket, "key");
        upload.parts(whole, PART);

        assertRefused(404, "NoSuchKey", () -> get(bucket, "key"));
        CompleteMultipartUploadResponse completed = upload.complete();

        assertThat(completed.eTag()).isEqualTo(etagOf(whole, PART));
        assertThat(completed.bucket()).isEqualTo(bucket);
        assertThat(completed.key()).isEqualTo("key");
        assertThat(completed.location()).endsWith("/key");
        ResponseBytes<GetObjectResponse> got =
                client.getObjectAsBytes(request -> request.bucket(bucket).key("key"));
        assertThat(got.asByteArray()).isEqualTo(whole);
        assertThat(got.response().eTag()).isEqualTo(completed.eTag());
        assertThat(got.response().contentLength()).isEqualTo(whole.length);
    }

    @Test
    void parts_may_come_in_any_order_and_with_gaps_in_their_numbers() {
        byte[] first = bytes(1, PART);
        byte[] second = bytes(2, PART + 1);
        byte[] third = bytes(3, 3);
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(10_000, third);
        upload.part(7, second);
        upload.part(3, first);

        upload.complete();

        byte[] whole = get(bucket, "key");
        assertThat(whole).hasSize(2 * PART + 4);
        assertThat(Arrays.copyOfRange(whole, 0, PART)).isEqualTo(first);
        assertThat(Arrays.copyOfRange(whole, PART, 2 * PART + 1)).isEqualTo(second);
        assertThat(Arrays.copyOfRange(whole, 2 * PART + 1, whole.length)).isEqualTo(third);
    }

    @Test
    void a_single_small_or_empty_part_is_enough() {
        Upload small = Upload.start(s3, bucket, "small");
        small.part(1, bytes(1, 10));
        small.complete();
        Upload empty = Upload.start(s3, bucket, "empty");
        empty.part(1, new byte[0]);
        empty.complete();

        assertThat(get(bucket, "small")).isEqualTo(bytes(1, 10));
        assertThat(get(bucket, "empty")).isEmpty();
    }

    @Test
    void the_uploads_attributes_become_the_objects() {
        Upload upload = Upload.start(
                s3,
                bucket,
                "key",
                request -> request.contentType("text/plain")
                        .cacheControl("no-cache")
                        .contentDisposition("inline")
                        .storageClass("STANDARD_IA")
                        .tagging("a=1")
                        .metadata(Map.of("color", "red")));
        upload.part(1, bytes(1, 10));
        upload.complete();

        HeadObjectResponse head =
                s3.headObject(request -> request.bucket(bucket).key("key"));

        assertThat(head.contentType()).isEqualTo("text/plain");
        assertThat(head.cacheControl()).isEqualTo("no-cache");
        assertThat(head.contentDisposition()).isEqualTo("inline");
        assertThat(head.storageClassAsString()).isEqualTo("STANDARD_IA");
        assertThat(head.metadata()).isEqualTo(Map.of("color", "red"));
        assertThat(s3.getObjectAsBytes(request -> request.bucket(bucket).key("key"))
                        .response()
                        .tagCount())
                .isEqualTo(1);
    }

    @Test
    void a_part_that_is_uploaded_again_replaces_the_first() {
        Upload upload = Upload.start(s3, bucket, "key");
        UploadPartResponse first = upload.part(1, bytes(1, 10));
        upload.part(1, bytes(2, 20));

        CompletedPart stale =
                CompletedPart.builder().partNumber(1).eTag(first.eTag()).build();
        assertRefused(400, "InvalidPart", () -> upload.completeWith(stale));
        upload.complete();

        assertThat(get(bucket, "key")).isEqualTo(bytes(2, 20));
    }

    @Test
    void parts_that_are_not_named_are_left_out() {
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, 10));
        upload.part(2, bytes(2, 10));
        upload.part(3, bytes(3, 10));

        upload.completeWith(upload.remembered(2));

        assertThat(get(bucket, "key")).isEqualTo(bytes(2, 10));
    }

    @Test
    void completing_replaces_the_object_that_was_there() {
        put(bucket, "key", "old");
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, 10));
        assertThat(getString(bucket, "key")).isEqualTo("old");

        upload.complete();

        assertThat(get(bucket, "key")).isEqualTo(bytes(1, 10));
        assertThat(keys(bucket)).containsExactly("key");
    }

    @Test
    void completing_again_gives_the_same_answer() {
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, 10));

        CompleteMultipartUploadResponse first = upload.complete();
        CompleteMultipartUploadResponse second = upload.complete();

        assertThat(second.eTag()).isEqualTo(first.eTag());
        assertThat(get(bucket, "key")).isEqualTo(bytes(1, 10));
    }

    @Test
    void completing_again_does_not_bring_a_replaced_object_back() {
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, 10));
        upload.complete();
        put(bucket, "key", "newer");

        try {
            upload.complete();
        } catch (S3Exception alsoAllowed) {
            assertThat(alsoAllowed.statusCode()).isEqualTo(404);
        }

        assertThat(getString(bucket, "key")).isEqualTo("newer");
    }

    @Test
    void parts_out_of_order_are_refused() {
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, PART));
        upload.part(2, bytes(2, 10));

        assertRefused(400, "InvalidPartOrder", () -> upload.completeWith(upload.remembered(2), upload.remembered(1)));

        upload.complete();
        assertThat(get(bucket, "key")).hasSize(PART + 10);
    }

    @Test
    void only_the_last_part_may_be_smaller_than_five_mebibytes() {
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, PART - 1));
        upload.part(2, bytes(2, 10));

        assertRefused(400, "EntityTooSmall", () -> upload.complete());

        upload.part(1, bytes(1, PART));
        upload.complete();
        assertThat(get(bucket, "key")).hasSize(PART + 10);
    }

    @Test
    void a_part_that_is_missing_or_has_another_etag_is_refused() {
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, 10));
        CompletedPart missing = CompletedPart.builder()
                .partNumber(2)
                .eTag("\"00000000000000000000000000000000\"")
                .build();
        CompletedPart wrong = CompletedPart.builder()
                .partNumber(1)
                .eTag("\"00000000000000000000000000000000\"")
                .build();

        assertRefused(400, "InvalidPart", () -> upload.completeWith(missing));
        assertRefused(400, "InvalidPart", () -> upload.completeWith(wrong));
        assertRefused(404, "NoSuchKey", () -> get(bucket, "key"));

        upload.complete();
        assertThat(get(bucket, "key")).isEqualTo(bytes(1, 10));
    }

    @Test
    void an_etag_may_be_named_without_its_quotes() {
        Upload upload = Upload.start(s3, bucket, "key");
        String etag = upload.part(1, bytes(1, 10)).eTag();

        upload.completeWith(CompletedPart.builder()
                .partNumber(1)
                .eTag(etag.replace("\"", ""))
                .build());

        assertThat(get(bucket, "key")).isEqualTo(bytes(1, 10));
    }

    @Test
    void completing_without_parts_is_malformed() {
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, 10));
        RawRequest request = RawRequest.of("POST", "/" + bucket + "/key?uploadId=" + Signer.encode(upload.id()));

        for (String body : new String[] {
            "",
            "<CompleteMultipartUpload/>",
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>",
            "<CompleteMultipartUpload><Part><PartNumber>one</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>"
        }) {
            RawConnection.send(endpoint, Signer.of(endpoint).sign(request.withBody(body)))
                    .assertError(400, "MalformedXML");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "10001", "x", ""})
    void part_numbers_are_one_to_ten_thousand(String number) {
        Upload upload = Upload.start(s3, bucket, "key");

        RawConnection.send(
                        endpoint,
                        Signer.of(endpoint)
                                .sign(RawRequest.of(
                                                "PUT",
                                                "/" + bucket + "/key?partNumber=" + number + "&uploadId="
                                                        + Signer.encode(upload.id()))
                                        .withBody("x")))
                .assertError(400, "InvalidArgument");
    }

    @Test
    void an_upload_that_does_not_exist_is_refused() {
        CompletedPart part = CompletedPart.builder().partNumber(1).eTag("\"x\"").build();
        CreateMultipartUploadResponse other =
                s3.createMultipartUpload(request -> request.bucket(bucket).key("other-key"));

        for (String id : new String[] {"no-such-upload", other.uploadId()}) {
            assertRefused(
                    404,
                    "NoSuchUpload",
                    () -> s3.uploadPart(
                            request -> request.bucket(bucket)
                                    .key("key")
                                    .uploadId(id)
                                    .partNumber(1),
                            RequestBody.fromString("x")));
            assertRefused(
                    404,
                    "NoSuchUpload",
                    () -> s3.completeMultipartUpload(request -> request.bucket(bucket)
                            .key("key")
                            .uploadId(id)
                            .multipartUpload(parts -> parts.parts(part))));
            assertRefused(
                    404,
                    "NoSuchUpload",
                    () -> s3.abortMultipartUpload(
                            request -> request.bucket(bucket).key("key").uploadId(id)));
            assertRefused(
                    404,
                    "NoSuchUpload",
                    () -> s3.listParts(
                            request -> request.bucket(bucket).key("key").uploadId(id)));
        }
    }

    @Test
    void an_aborted_upload_is_gone_and_leaves_the_object_as_it_was() {
        put(bucket, "key", "as it was");
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, 10));

        upload.abort();

        assertRefused(404, "NoSuchUpload", () -> upload.complete());
        assertRefused(404, "NoSuchUpload", () -> upload.part(2, bytes(2, 10)));
        assertThat(getString(bucket, "key")).isEqualTo("as it was");
        assertThat(s3.listMultipartUploads(request -> request.bucket(bucket)).uploads())
                .isEmpty();
    }

    @Test
    void two_uploads_of_one_key_do_not_disturb_each_other() {
        Upload one = Upload.start(s3, bucket, "key");
        Upload two = Upload.start(s3, bucket, "key");
        assertThat(one.id()).isNotEqualTo(two.id());
        one.part(1, bytes(1, 10));
        two.part(1, bytes(2, 10));

        two.complete();
        assertThat(get(bucket, "key")).isEqualTo(bytes(2, 10));
        one.complete();
        assertThat(get(bucket, "key")).isEqualTo(bytes(1, 10));
    }

    @Test
    void an_upload_in_progress_does_not_keep_a_bucket_from_being_empty() {
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, 10));

        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void an_object_is_read_by_its_parts() {
        byte[] whole = bytes(4, 2 * PART + 99);
        Upload upload = Upload.start(s3, bucket, "key");
        upload.parts(whole, PART);
        String etag = upload.complete().eTag();

        for (int number = 1; number <= 3; number++) {
            int part = number;
            int start = (number - 1) * PART;
            int end = Math.min(whole.length, start + PART);
            ResponseBytes<GetObjectResponse> got = s3.getObjectAsBytes(
                    request -> request.bucket(bucket).key("key").partNumber(part));
            HeadObjectResponse head =
                    s3.headObject(request -> request.bucket(bucket).key("key").partNumber(part));

            assertThat(got.asByteArray()).isEqualTo(Arrays.copyOfRange(whole, start, end));
            assertThat(got.response().sdkHttpResponse().statusCode()).isEqualTo(206);
            assertThat(got.response().partsCount()).isEqualTo(3);
            assertThat(got.response().eTag()).isEqualTo(etag);
            assertThat(got.response().contentRange())
                    .isEqualTo("bytes " + start + "-" + (end - 1) + "/" + whole.length);
            assertThat(head.contentLength()).isEqualTo(end - start);
            assertThat(head.partsCount()).isEqualTo(3);
        }
    }

    @Test
    void a_range_may_span_parts() {
        byte[] whole = bytes(5, 3 * PART);
        Upload upload = Upload.start(s3, bucket, "key");
        upload.parts(whole, PART);
        upload.complete();

        for (int[] range : new int[][] {
            {0, 0}, {PART - 1, PART}, {PART, 2 * PART - 1}, {PART - 10, 2 * PART + 10}, {3 * PART - 1, 3 * PART - 1}
        }) {
            byte[] got = s3.getObjectAsBytes(
                            request -> request.bucket(bucket).key("key").range("bytes=" + range[0] + "-" + range[1]))
                    .asByteArray();
            assertThat(got)
                    .as("bytes %d to %d", range[0], range[1])
                    .isEqualTo(Arrays.copyOfRange(whole, range[0], range[1] + 1));
        }
    }

    @Test
    void an_empty_part_is_read_by_its_number_without_a_range() {
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, new byte[0]);
        upload.complete();

        HeadObjectResponse head =
                s3.headObject(request -> request.bucket(bucket).key("key").partNumber(1));

        assertThat(head.contentLength()).isZero();
        assertThat(head.contentRange()).isNull();
        assertThat(head.partsCount()).isEqualTo(1);
    }
}
