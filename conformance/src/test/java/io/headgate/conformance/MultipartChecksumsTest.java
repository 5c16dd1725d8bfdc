package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/** Checksums of objects uploaded in parts: composite (of the parts' checksums) and of the full object. */
class MultipartChecksumsTest extends S3Test {
    private static final int PART = 5 * MIB;
    private static final byte[] WHOLE = bytes(21, PART + 4321);
    private String bucket;

    @BeforeEach
    void createBucket() {
        bucket = newBucket();
    }

    private Upload uploadInParts(Algorithm algorithm, ChecksumType type) {
        Upload upload = Upload.start(
                s3,
                bucket,
                "key",
                request -> request.checksumAlgorithm(algorithm.sdk()).checksumType(type));
        upload.parts(WHOLE, PART, request -> request.checksumAlgorithm(algorithm.sdk()));
        return upload;
    }

    private static String compositeOf(Algorithm algorithm) {
        ByteArrayOutputStream digests = new ByteArrayOutputStream();
        digests.writeBytes(algorithm.digest(Arrays.copyOfRange(WHOLE, 0, PART)));
        digests.writeBytes(algorithm.digest(Arrays.copyOfRange(WHOLE, PART, WHOLE.length)));
        return algorithm.base64(digests.toByteArray()) + "-2";
    }

    private static String value(Algorithm algorithm, HeadObjectResponse head) {
        return switch (algorithm) {
            case CRC32 -> head.checksumCRC32();
            case CRC32C -> head.checksumCRC32C();
            case CRC64NVME -> head.checksumCRC64NVME();
            case SHA1 -> head.checksumSHA1();
            case SHA256 -> head.checksumSHA256();
        };
    }

    private static String value(Algorithm algorithm, CompleteMultipartUploadResponse completed) {
        return switch (algorithm) {
            case CRC32 -> completed.checksumCRC32();
            case CRC32C -> completed.checksumCRC32C();
            case CRC64NVME -> completed.checksumCRC64NVME();
            case SHA1 -> completed.checksumSHA1();
            case SHA256 -> completed.checksumSHA256();
        };
    }

    private HeadObjectResponse head() {
        return s3.headObject(request -> request.bucket(bucket).key("key").checksumMode("ENABLED"));
    }

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"CRC32", "CRC32C", "SHA1", "SHA256"})
    void a_composite_checksum_is_that_of_the_parts_checksums(Algorithm algorithm) {
        CompleteMultipartUploadResponse completed =
                uploadInParts(algorithm, ChecksumType.COMPOSITE).complete();

        assertThat(value(algorithm, completed)).isEqualTo(compositeOf(algorithm));
        assertThat(completed.checksumTypeAsString()).isEqualTo("COMPOSITE");
        assertThat(value(algorithm, head())).isEqualTo(compositeOf(algorithm));
        assertThat(head().checksumTypeAsString()).isEqualTo("COMPOSITE");
        assertThat(get(bucket, "key")).isEqualTo(WHOLE);
    }

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"CRC32", "CRC32C", "CRC64NVME"})
    void a_checksum_of_the_full_object_is_combined_from_the_parts(Algorithm algorithm) {
        CompleteMultipartUploadResponse completed =
                uploadInParts(algorithm, ChecksumType.FULL_OBJECT).complete();

        assertThat(value(algorithm, completed)).isEqualTo(algorithm.base64(WHOLE));
        assertThat(completed.checksumTypeAsString()).isEqualTo("FULL_OBJECT");
        assertThat(value(algorithm, head())).isEqualTo(algorithm.base64(WHOLE));
        assertThat(head().checksumTypeAsString()).isEqualTo("FULL_OBJECT");
    }

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"SHA1", "SHA256"})
    void a_hash_of_the_full_object_cannot_be_combined(Algorithm algorithm) {
        assertRefused(
                400,
                "InvalidRequest",
                () -> Upload.start(
                        s3,
                        bucket,
                        "key",
                        request -> request.checksumAlgorithm(algorithm.sdk()).checksumType(ChecksumType.FULL_OBJECT)));
    }

    @Test
    void crc64nvme_is_always_of_the_full_object() {
        assertRefused(
                400,
                "InvalidRequest",
                () -> Upload.start(
                        s3,
                        bucket,
                        "key",
                        request -> request.checksumAlgorithm("CRC64NVME").checksumType(ChecksumType.COMPOSITE)));

        CompleteMultipartUploadResponse completed =
                uploadInParts(Algorithm.CRC64NVME, null).complete();

        assertThat(completed.checksumCRC64NVME()).isEqualTo(Algorithm.CRC64NVME.base64(WHOLE));
        assertThat(completed.checksumTypeAsString()).isEqualTo("FULL_OBJECT");
    }

    @Test
    void the_answer_to_an_upload_tells_its_algorithm_and_type() {
        var created = s3.createMultipartUpload(
                request -> request.bucket(bucket).key("key").checksumAlgorithm("SHA256"));

        assertThat(created.checksumAlgorithmAsString()).isEqualTo("SHA256");
        assertThat(created.checksumTypeAsString()).isEqualTo("COMPOSITE");
    }

    @Test
    void a_complete_that_names_a_wrong_checksum_of_the_whole_is_refused() {
        Upload upload = uploadInParts(Algorithm.CRC32, ChecksumType.FULL_OBJECT);
        String wrong = Algorithm.CRC32.base64(new byte[] {1});

        assertRefused(
                400,
                "BadDigest",
                () -> upload.complete(request -> request.checksumCRC32(wrong).checksumType(ChecksumType.FULL_OBJECT)));
        assertRefused(404, "NoSuchKey", () -> get(bucket, "key"));

        upload.complete(request -> request.checksumCRC32(Algorithm.CRC32.base64(WHOLE))
                .checksumType(ChecksumType.FULL_OBJECT)
                .mpuObjectSize((long) WHOLE.length));
        assertThat(get(bucket, "key")).isEqualTo(WHOLE);
    }

    @Test
    void a_complete_that_names_a_wrong_size_is_refused() {
        Upload upload = uploadInParts(Algorithm.CRC32, ChecksumType.FULL_OBJECT);

        assertRefused(
                400, "InvalidRequest", () -> upload.complete(request -> request.mpuObjectSize(WHOLE.length + 1L)));
        assertRefused(404, "NoSuchKey", () -> get(bucket, "key"));
    }

    @Test
    void a_complete_that_names_a_wrong_checksum_of_a_part_is_refused() {
        Upload upload = uploadInParts(Algorithm.SHA256, ChecksumType.COMPOSITE);
        CompletedPart right = upload.remembered(1);
        CompletedPart wrong = right.toBuilder()
                .checksumSHA256(Algorithm.SHA256.base64(new byte[] {1}))
                .build();

        assertRefused(400, "InvalidPart", () -> upload.completeWith(wrong, upload.remembered(2)));
        upload.complete();

        assertThat(get(bucket, "key")).isEqualTo(WHOLE);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void a_parts_checksum_is_verified_answered_and_listed(Algorithm algorithm) {
        Upload upload = Upload.start(s3, bucket, "key", request -> request.checksumAlgorithm(algorithm.sdk()));
        byte[] body = bytes(1, 1000);
        RawRequest put = RawRequest.of("PUT", "/" + bucket + "/key?partNumber=1&uploadId=" + Signer.encode(upload.id()))
                .withBody(body);
        Signer signer = Signer.of(endpoint);

        RawConnection.send(endpoint, signer.sign(put.with(algorithm.header(), algorithm.base64(new byte[] {1}))))
                .assertError(400, "BadDigest");
        RawResponse right =
                RawConnection.send(endpoint, signer.sign(put.with(algorithm.header(), algorithm.base64(body))));
        RawResponse list = RawConnection.send(
                endpoint,
                signer.sign(RawRequest.of("GET", "/" + bucket + "/key?uploadId=" + Signer.encode(upload.id()))));

        assertThat(right.assertStatus(200).header(algorithm.header())).contains(algorithm.base64(body));
        assertThat(list.element(algorithm.element())).contains(algorithm.base64(body));
        assertThat(list.element("ChecksumAlgorithm")).contains(algorithm.name());
    }

    @Test
    void a_part_with_a_checksum_of_another_algorithm_than_the_uploads_is_refused() {
        Upload upload = Upload.start(s3, bucket, "key", request -> request.checksumAlgorithm("SHA256"));

        assertRefused(
                400,
                "InvalidRequest",
                () -> upload.part(1, bytes(1, 10), request -> request.checksumAlgorithm("CRC32")));
    }

    @Test
    void a_part_with_a_wrong_content_md5_is_refused() {
        Upload upload = Upload.start(s3, bucket, "key");
        RawRequest put = RawRequest.of("PUT", "/" + bucket + "/key?partNumber=1&uploadId=" + Signer.encode(upload.id()))
                .withBody("content")
                .with("Content-MD5", Base64.getEncoder().encodeToString(Algorithm.hash("MD5", new byte[0])));

        RawConnection.send(endpoint, Signer.of(endpoint).sign(put)).assertError(400, "BadDigest");

        assertThat(s3.listParts(request -> request.bucket(bucket).key("key").uploadId(upload.id()))
                        .parts())
                .isEmpty();
    }

    @Test
    void the_checksum_of_one_part_is_told_with_the_part() {
        uploadInParts(Algorithm.SHA256, ChecksumType.COMPOSITE).complete();

        HeadObjectResponse part = s3.headObject(
                request -> request.bucket(bucket).key("key").partNumber(2).checksumMode("ENABLED"));

        assertThat(part.contentLength()).isEqualTo(4321);
        assertThat(part.partsCount()).isEqualTo(2);
    }
}
