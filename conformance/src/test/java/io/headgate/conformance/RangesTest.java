package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/** Reading parts of an object. */
class RangesTest extends S3Test {
    private static final String DIGITS = "0123456789";
    private String bucket;

    @BeforeEach
    void putTenDigits() {
        bucket = newBucket();
        put(bucket, "digits", DIGITS);
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=0-0, 0, bytes 0-0/10",
        "bytes=0-9, 0123456789, bytes 0-9/10",
        "bytes=2-4, 234, bytes 2-4/10",
        "bytes=2-400, 23456789, bytes 2-9/10",
        "bytes=7-, 789, bytes 7-9/10",
        "bytes=9-9, 9, bytes 9-9/10",
        "bytes=-3, 789, bytes 7-9/10",
        "bytes=-10, 0123456789, bytes 0-9/10",
        "bytes=-99999999999, 0123456789, bytes 0-9/10",
        "bytes=3-99999999999999999999, 3456789, bytes 3-9/10"
    })
    void a_range_answers_with_just_its_bytes(String range, String body, String contentRange) {
        ResponseBytes<GetObjectResponse> got = s3.getObjectAsBytes(
                request -> request.bucket(bucket).key("digits").range(range));

        assertThat(got.response().sdkHttpResponse().statusCode()).isEqualTo(206);
        assertThat(got.asUtf8String()).isEqualTo(body);
        assertThat(got.response().contentRange()).isEqualTo(contentRange);
        assertThat(got.response().contentLength()).isEqualTo(body.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999-"})
    void a_range_beyond_the_object_cannot_be_satisfied(String range) {
        assertRefused(
                416,
                "InvalidRange",
                () -> s3.getObjectAsBytes(
                        request -> request.bucket(bucket).key("digits").range(range)));
        assertStatus(
                416,
                () -> s3.headObject(
                        request -> request.bucket(bucket).key("digits").range(range)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes=0-1,4-5",
                "bytes=5-2",
                "bytes=",
                "bytes=-",
                "bytes=a-b",
                "bytes",
                "lines=0-1",
                "bytes=1-2-3"
            })
    void a_range_that_is_not_one_range_answers_with_the_whole(String range) {
        RawResponse got = RawConnection.send(
                endpoint,
                Signer.of(endpoint)
                        .sign(RawRequest.of("GET", "/" + bucket + "/digits").with("Range", range)));

        assertThat(got.assertStatus(200).text()).isEqualTo(DIGITS);
        assertThat(got.header("Content-Range")).isEmpty();
    }

    @Test
    void a_range_for_another_version_answers_with_the_whole() {
        String etag =
                s3.headObject(request -> request.bucket(bucket).key("digits")).eTag();
        RawRequest range = RawRequest.of("GET", "/" + bucket + "/digits").with("Range", "bytes=0-3");
        Signer signer = Signer.of(endpoint);

        RawResponse same = RawConnection.send(endpoint, signer.sign(range.with("If-Range", etag)));
        RawResponse other = RawConnection.send(endpoint, signer.sign(range.with("If-Range", "\"other\"")));

        assertThat(same.assertStatus(206).text()).isEqualTo("0123");
        assertThat(other.assertStatus(200).text()).isEqualTo(DIGITS);
    }

    @Test
    void no_range_of_an_empty_object_can_be_satisfied() {
        put(bucket, "empty", "");

        assertRefused(
                416,
                "InvalidRange",
                () -> s3.getObjectAsBytes(
                        request -> request.bucket(bucket).key("empty").range("bytes=0-0")));
        assertRefused(
                416,
                "InvalidRange",
                () -> s3.getObjectAsBytes(
                        request -> request.bucket(bucket).key("empty").range("bytes=0-")));
    }

    @Test
    void head_of_a_range_tells_of_the_range() {
        HeadObjectResponse head =
                s3.headObject(request -> request.bucket(bucket).key("digits").range("bytes=2-4"));

        assertThat(head.sdkHttpResponse().statusCode()).isEqualTo(206);
        assertThat(head.contentLength()).isEqualTo(3);
        assertThat(head.contentRange()).isEqualTo("bytes 2-4/10");
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void ranges_of_a_large_object_fit_together(ClientKind kind) {
        S3Client client = kind.client();
        byte[] body = bytes(3, 2 * MIB + 11);
        put(bucket, "large", body);

        int step = 300_007;
        byte[] whole = new byte[body.length];
        for (int start = 0; start < body.length; start += step) {
            String range = "bytes=" + start + "-" + (start + step - 1);
            byte[] piece = client.getObjectAsBytes(
                            request -> request.bucket(bucket).key("large").range(range))
                    .asByteArray();
            System.arraycopy(piece, 0, whole, start, piece.length);
        }

        assertThat(whole).isEqualTo(body);
    }

    @Test
    void an_object_put_in_one_piece_is_its_own_first_part() {
        ResponseBytes<GetObjectResponse> got = s3.getObjectAsBytes(
                request -> request.bucket(bucket).key("digits").partNumber(1));

        assertThat(got.asString(StandardCharsets.US_ASCII)).isEqualTo(DIGITS);
        assertThat(got.response().partsCount()).isNull();
    }

    @Test
    void a_part_that_the_object_does_not_have_is_refused() {
        RawResponse refused = RawConnection.send(
                endpoint, Signer.of(endpoint).sign(RawRequest.of("GET", "/" + bucket + "/digits?partNumber=2")));

        // S3 itself says 416 InvalidPartNumber; others, and the public tests written against S3, say 400 InvalidPart.
        assertThat(refused.status()).as("%s", refused).isIn(400, 416);
        assertThat(refused.element("Code").orElseThrow()).isIn("InvalidPart", "InvalidPartNumber");
    }

    @Test
    void a_range_and_a_part_number_do_not_go_together() {
        assertRefused(
                400,
                "InvalidRequest",
                () -> s3.getObjectAsBytes(request ->
                        request.bucket(bucket).key("digits").partNumber(1).range("bytes=0-1")));
    }
}
