package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CopyPartResult;
import software.amazon.awssdk.services.s3.model.Part;
import software.amazon.awssdk.services.s3.model.UploadPartCopyRequest;

/** Parts that are copied from other objects. */
class MultipartCopyTest extends S3Test {
    private static final int PART = 5 * MIB;
    private static final byte[] SOURCE = bytes(11, 2 * PART + 100);
    private String bucket;

    @BeforeEach
    void putTheSource() {
        bucket = newBucket();
        put(bucket, "source", SOURCE);
    }

    private UploadPartCopyRequest.Builder copy(Upload upload, int number) {
        return UploadPartCopyRequest.builder()
                .sourceBucket(bucket)
                .sourceKey("source")
                .destinationBucket(bucket)
                .destinationKey("key")
                .uploadId(upload.id())
                .partNumber(number);
    }

    private static CompletedPart part(int number, CopyPartResult copied) {
        return CompletedPart.builder().partNumber(number).eTag(copied.eTag()).build();
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void ranges_of_a_source_become_parts(ClientKind kind) {
        S3Client client = kind.client();
        Upload upload = Upload.start(client, bucket, "key");
        String range = "bytes=100-" + (100 + PART - 1);

        upload.remember(part(
                1,
                client.uploadPartCopy(copy(upload, 1).copySourceRange(range).build())
                        .copyPartResult()));
        upload.part(2, bytes(12, PART));
        upload.remember(part(
                3,
                client.uploadPartCopy(
                                copy(upload, 3).copySourceRange("bytes=0-9").build())
                        .copyPartResult()));
        upload.complete();

        byte[] whole = get(bucket, "key");
        assertThat(whole).hasSize(2 * PART + 10);
        assertThat(Arrays.copyOfRange(whole, 0, PART)).isEqualTo(Arrays.copyOfRange(SOURCE, 100, 100 + PART));
        assertThat(Arrays.copyOfRange(whole, PART, 2 * PART)).isEqualTo(bytes(12, PART));
        assertThat(Arrays.copyOfRange(whole, 2 * PART, whole.length)).isEqualTo(Arrays.copyOfRange(SOURCE, 0, 10));
    }

    @Test
    void without_a_range_the_whole_source_becomes_the_part() {
        Upload upload = Upload.start(s3, bucket, "key");

        CopyPartResult copied = s3.uploadPartCopy(copy(upload, 1).build()).copyPartResult();
        upload.remember(part(1, copied));
        upload.complete();

        assertThat(get(bucket, "key")).isEqualTo(SOURCE);
        assertThat(copied.lastModified()).isNotNull();
    }

    @Test
    void a_copied_part_has_an_etag_of_the_form_of_an_md5_whatever_its_source() {
        Upload upload = Upload.start(s3, bucket, "key");

        CopyPartResult ofRange = s3.uploadPartCopy(
                        copy(upload, 1).copySourceRange("bytes=10-29").build())
                .copyPartResult();
        CopyPartResult ofWhole = s3.uploadPartCopy(copy(upload, 2).build()).copyPartResult();

        // S3's is the MD5 of the bytes; a server that copies without reading them makes one up.
        assertThat(ofRange.eTag()).matches("\"[0-9a-f]{32}\"");
        assertThat(ofWhole.eTag()).matches("\"[0-9a-f]{32}\"");
        assertThat(s3.listParts(request -> request.bucket(bucket).key("key").uploadId(upload.id()))
                        .parts())
                .extracting(Part::eTag)
                .containsExactly(ofRange.eTag(), ofWhole.eTag());
    }

    @Test
    void an_object_made_of_copies_outlives_their_source() {
        Upload upload = Upload.start(s3, bucket, "key");
        upload.remember(part(1, s3.uploadPartCopy(copy(upload, 1).build()).copyPartResult()));
        s3.deleteObject(request -> request.bucket(bucket).key("source"));

        upload.complete();

        assertThat(get(bucket, "key")).isEqualTo(SOURCE);
    }

    @Test
    void a_part_is_copied_from_an_object_that_has_parts_itself() {
        Upload first = Upload.start(s3, bucket, "in-parts");
        first.parts(SOURCE, PART);
        first.complete();
        Upload upload = Upload.start(s3, bucket, "key");

        upload.remember(part(
                1,
                s3.uploadPartCopy(copy(upload, 1)
                                .sourceKey("in-parts")
                                .copySourceRange("bytes=" + (PART - 5) + "-" + (2 * PART + 4))
                                .build())
                        .copyPartResult()));
        upload.complete();

        assertThat(get(bucket, "key")).isEqualTo(Arrays.copyOfRange(SOURCE, PART - 5, 2 * PART + 5));
    }

    @Test
    void an_object_that_has_parts_is_copied_whole_with_copy_object() {
        Upload upload = Upload.start(s3, bucket, "in-parts");
        upload.parts(SOURCE, PART);
        upload.complete();

        s3.copyObject(request -> request.sourceBucket(bucket)
                .sourceKey("in-parts")
                .destinationBucket(bucket)
                .destinationKey("copy"));

        assertThat(get(bucket, "copy")).isEqualTo(SOURCE);
    }

    @Test
    void a_range_beyond_the_source_is_refused() {
        Upload upload = Upload.start(s3, bucket, "key");

        RawResponse refused = RawConnection.send(
                endpoint,
                Signer.of(endpoint)
                        .sign(RawRequest.of(
                                        "PUT",
                                        "/" + bucket + "/key?partNumber=1&uploadId=" + Signer.encode(upload.id()))
                                .withBody("")
                                .with("x-amz-copy-source", "/" + bucket + "/source")
                                .with("x-amz-copy-source-range", "bytes=0-" + SOURCE.length)));

        assertThat(refused.status()).as("%s", refused).isIn(400, 416);
        assertThat(refused.element("Code").orElseThrow()).isIn("InvalidRange", "InvalidArgument");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0-2", "bytes=0", "bytes=hello-world", "bytes=0-bar", "bytes=hello-", "bytes=0-2,3-5", "bytes=-5"
            })
    void a_source_range_has_a_first_and_a_last_byte(String range) {
        Upload upload = Upload.start(s3, bucket, "key");

        assertRefused(
                400,
                "InvalidArgument",
                () -> s3.uploadPartCopy(copy(upload, 1).copySourceRange(range).build()));
    }

    @Test
    void a_source_or_an_upload_that_does_not_exist_is_refused() {
        Upload upload = Upload.start(s3, bucket, "key");

        assertRefused(
                404,
                "NoSuchKey",
                () -> s3.uploadPartCopy(copy(upload, 1).sourceKey("missing").build()));
        assertRefused(
                404,
                "NoSuchUpload",
                () -> s3.uploadPartCopy(
                        copy(upload, 1).uploadId("no-such-upload").build()));
    }

    @Test
    void a_condition_on_the_source_is_obeyed() {
        Upload upload = Upload.start(s3, bucket, "key");

        assertRefused(
                412,
                "PreconditionFailed",
                () -> s3.uploadPartCopy(
                        copy(upload, 1).copySourceIfMatch("\"other\"").build()));
    }

    @Test
    void a_source_with_an_odd_key_is_found() {
        Upload upload = Upload.start(s3, bucket, "key");
        for (String key : new String[] {"a b", "a+b", "a%2Fb", "%", "a?b=c&d#e", "ünï/cödé😀"}) {
            put(bucket, key, key);

            s3.uploadPartCopy(copy(upload, 1).sourceKey(key).build());

            assertThat(s3.listParts(request -> request.bucket(bucket).key("key").uploadId(upload.id()))
                            .parts()
                            .getFirst()
                            .eTag())
                    .isEqualTo(s3.headObject(request -> request.bucket(bucket).key(key))
                            .eTag());
        }
    }
}
