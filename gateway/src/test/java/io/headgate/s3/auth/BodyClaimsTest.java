package io.headgate.s3.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.http.RequestHead;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class BodyClaimsTest {
    private static final Payload PLAIN = new Payload.Unsigned();
    private static final Payload CHUNKED = new Payload.UnsignedChunks();
    private static final String LENGTH = "x-amz-decoded-content-length: 5";

    @Test
    void the_length_of_a_plain_body_is_its_content_length() {
        assertThat(BodyClaims.of(head(), PLAIN, OptionalLong.of(7)).lengthBytes())
                .isEqualTo(7);
        assertThat(refusal(PLAIN, OptionalLong.empty()).error()).isEqualTo(S3Error.MISSING_CONTENT_LENGTH);
    }

    @Test
    void the_length_of_a_chunked_body_is_that_of_its_content() {
        assertThat(BodyClaims.of(head(LENGTH), CHUNKED, OptionalLong.of(99)).lengthBytes())
                .isEqualTo(5);
        assertThat(BodyClaims.of(head(LENGTH), CHUNKED, OptionalLong.empty()).lengthBytes())
                .isEqualTo(5);
        assertThat(refusal(CHUNKED, OptionalLong.of(99)).error()).isEqualTo(S3Error.MISSING_CONTENT_LENGTH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "+1", "1e3", " 5", "0x5", "9999999999999999999", "٣"})
    void a_decoded_length_that_is_no_number_is_refused(String length) {
        assertThat(refusal(CHUNKED, OptionalLong.of(99), "x-amz-decoded-content-length: " + length)
                        .error())
                .isEqualTo(S3Error.INVALID_REQUEST);
    }

    @Test
    void a_body_without_a_digest_is_taken() {
        BodyClaims claims = BodyClaims.of(
                head(
                        "x-amz-checksum-mode: ENABLED",
                        "x-amz-checksum-algorithm: SHA1",
                        "x-amz-checksum-type: COMPOSITE"),
                PLAIN,
                OptionalLong.of(5));
        assertThat(claims.checksumAlgorithm()).isEmpty();
        assertThat(claims.hasDigest()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void a_checksum_of_each_algorithm_is_taken_from_the_header_or_the_trailer(ChecksumAlgorithm algorithm) {
        String value = Base64.getEncoder().encodeToString(new byte[algorithm.lengthBytes()]);
        BodyClaims inHeader = BodyClaims.of(
                head(algorithm.header() + ": " + value, "x-amz-sdk-checksum-algorithm: " + algorithm),
                PLAIN,
                OptionalLong.of(5));
        assertThat(inHeader.checksumAlgorithm()).contains(algorithm);
        assertThat(inHeader.checksum()).hasSize(algorithm.lengthBytes());
        assertThat(inHeader.hasDigest()).isTrue();

        BodyClaims inTrailer = BodyClaims.of(
                head(LENGTH, "x-amz-trailer: " + algorithm.header(), "x-amz-sdk-checksum-algorithm: " + algorithm),
                CHUNKED,
                OptionalLong.empty());
        assertThat(inTrailer.checksumAlgorithm()).contains(algorithm);
        assertThat(inTrailer.checksum()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "AAAAAA", "AAAAAA=", "AAAA", "AAAAAAAA", "====", "AAA!AA==", "AAAAAA==,AAAAAA=="})
    void a_checksum_that_is_malformed_is_refused(String value) {
        S3Exception refused = refusal(PLAIN, OptionalLong.of(5), "x-amz-checksum-crc32: " + value);
        assertThat(refused.error()).isEqualTo(S3Error.BAD_DIGEST);
        assertThat(refused).hasMessage("Value for x-amz-checksum-crc32 header is invalid.");
    }

    @Test
    void one_checksum_is_enough() {
        assertThat(refusal(
                                PLAIN,
                                OptionalLong.of(5),
                                "x-amz-checksum-crc32: AAAAAA==",
                                "x-amz-checksum-crc32c: AAAAAA==")
                        .error())
                .isEqualTo(S3Error.INVALID_REQUEST);
        assertThat(refusal(
                                PLAIN,
                                OptionalLong.of(5),
                                "x-amz-checksum-crc32: AAAAAA==",
                                "x-amz-checksum-crc32: AAAAAA==")
                        .error())
                .isEqualTo(S3Error.INVALID_REQUEST);
        assertThat(refusal(
                                CHUNKED,
                                OptionalLong.of(5),
                                LENGTH,
                                "x-amz-checksum-crc32: AAAAAA==",
                                "x-amz-trailer: x-amz-checksum-crc32")
                        .error())
                .isEqualTo(S3Error.INVALID_REQUEST);
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-checksum-md4: AAAA",
        "x-amz-sdk-checksum-algorithm: CRC32",
        "x-amz-sdk-checksum-algorithm: MD4",
        "x-amz-trailer: x-amz-checksum-crc32",
    })
    void a_checksum_that_is_unknown_or_only_announced_is_refused(String header) {
        assertThat(refusal(PLAIN, OptionalLong.of(5), header).error()).isEqualTo(S3Error.INVALID_REQUEST);
    }

    @Test
    void an_announced_checksum_must_be_the_one_that_is_sent() {
        assertThat(refusal(
                                PLAIN,
                                OptionalLong.of(5),
                                "x-amz-checksum-crc32: AAAAAA==",
                                "x-amz-sdk-checksum-algorithm: CRC32C")
                        .error())
                .isEqualTo(S3Error.INVALID_REQUEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-amz-meta-a",
                "x-amz-checksum-md4",
                "x-amz-checksum-type",
                "x-amz-checksum-crc32, x-amz-checksum-sha1",
                ""
            })
    void a_trailer_other_than_one_checksum_is_refused(String name) {
        assertThat(refusal(CHUNKED, OptionalLong.of(5), LENGTH, "x-amz-trailer: " + name)
                        .error())
                .isEqualTo(S3Error.INVALID_REQUEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "AAAA", "XUFAKrxLKna5cZ2REBfFkg", "XUFAKrxLKna5cZ2REBfFkg=", "!UFAKrxLKna5cZ2REBfFkg=="})
    void a_content_md5_that_is_malformed_is_refused(String md5) {
        assertThat(refusal(PLAIN, OptionalLong.of(5), "content-md5: " + md5).error())
                .isEqualTo(S3Error.INVALID_DIGEST);
    }

    @Test
    void two_content_md5s_are_refused() {
        String md5 = "content-md5: XUFAKrxLKna5cZ2REBfFkg==";
        assertThat(BodyClaims.of(head(md5), PLAIN, OptionalLong.of(5)).hasDigest())
                .isTrue();
        assertThat(refusal(PLAIN, OptionalLong.of(5), md5, md5).error()).isEqualTo(S3Error.INVALID_DIGEST);
    }

    @Test
    void checksum_headers_about_something_else_than_the_body_can_be_left_alone() {
        BodyClaims claims = BodyClaims.withoutChecksum(
                head("x-amz-checksum-sha1: whatever", "content-md5: XUFAKrxLKna5cZ2REBfFkg=="),
                PLAIN,
                OptionalLong.of(5));
        assertThat(claims.checksumAlgorithm()).isEmpty();
        assertThat(claims.hasDigest()).isTrue();
    }

    private static S3Exception refusal(Payload payload, OptionalLong contentLength, String... headers) {
        S3Exception refused =
                catchThrowableOfType(S3Exception.class, () -> BodyClaims.of(head(headers), payload, contentLength));
        assertThat(refused).isNotNull();
        return refused;
    }

    private static RequestHead head(String... headers) {
        List<RequestHead.Field> fields = new ArrayList<>();
        for (String header : headers) {
            String[] parts = header.split(": ", 2);
            fields.add(new RequestHead.Field(parts[0], parts[1]));
        }
        return new RequestHead("PUT", "/b/k", fields, "");
    }
}
