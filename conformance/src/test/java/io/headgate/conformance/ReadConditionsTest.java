package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.s3.S3Client;

/** Conditions on reads and the order in which they count (RFC 9110, 13.2.2). */
class ReadConditionsTest extends S3Test {
    private String bucket;
    private String etag;
    private Instant modified;

    @BeforeEach
    void putAnObject() {
        bucket = newBucket();
        etag = put(bucket, "key", "content").eTag();
        modified = s3.headObject(request -> request.bucket(bucket).key("key")).lastModified();
    }

    /** The value of a condition's header: {@code same}, {@code other}, {@code before}, {@code at} or {@code after} the object's. */
    private String value(String word) {
        return switch (word) {
            case "same" -> etag;
            case "bare" -> etag.replace("\"", "");
            case "other" -> "\"00000000000000000000000000000000\"";
            case "list" -> "\"00000000000000000000000000000000\", " + etag;
            case "any" -> "*";
            case "before" -> httpDate(modified.minusSeconds(3600));
            case "at" -> httpDate(modified);
            case "after" -> httpDate(modified.plusSeconds(2));
            default -> throw new IllegalArgumentException(word);
        };
    }

    private static String httpDate(Instant time) {
        return DateTimeFormatter.RFC_1123_DATE_TIME.format(time.atOffset(ZoneOffset.UTC));
    }

    @ParameterizedTest
    @CsvSource({
        "If-Match=same, 200",
        "If-Match=bare, 200",
        "If-Match=any, 200",
        "If-Match=list, 200",
        "If-Match=other, 412",
        "If-None-Match=same, 304",
        "If-None-Match=bare, 304",
        "If-None-Match=any, 304",
        "If-None-Match=list, 304",
        "If-None-Match=other, 200",
        "If-Modified-Since=before, 200",
        "If-Modified-Since=at, 304",
        "If-Unmodified-Since=before, 412",
        "If-Unmodified-Since=at, 200",
        "If-Unmodified-Since=after, 200",
        // A condition on tags makes the one on time beside it irrelevant.
        "If-Match=same If-Unmodified-Since=before, 200",
        "If-Match=other If-Unmodified-Since=after, 412",
        "If-None-Match=other If-Modified-Since=at, 200",
        "If-None-Match=same If-Modified-Since=before, 304",
        // What refuses comes before what is not modified.
        "If-Match=other If-None-Match=same, 412",
        "If-Match=same If-None-Match=same, 304",
        "If-Match=same If-None-Match=other, 200",
        "If-Match=same If-Modified-Since=at, 304",
        "If-Unmodified-Since=before If-Modified-Since=at, 412"
    })
    void get_and_head_obey_conditions(String conditions, int status) {
        Map<String, String> headers = new TreeMap<>();
        for (String condition : conditions.split(" ")) {
            headers.put(condition.split("=")[0], value(condition.split("=")[1]));
        }
        for (String method : new String[] {"GET", "HEAD"}) {
            RawRequest request = RawRequest.of(method, "/" + bucket + "/key");
            for (Map.Entry<String, String> header : headers.entrySet()) {
                request = request.with(header.getKey(), header.getValue());
            }

            RawResponse response =
                    RawConnection.send(endpoint, Signer.of(endpoint).sign(request));

            assertThat(response.status())
                    .as("%s %s: %s", method, headers, response)
                    .isEqualTo(status);
            if (status == 304) {
                assertThat(response.body()).isEmpty();
                assertThat(response.header("ETag")).contains(etag);
            }
            if (status == 412 && method.equals("GET")) {
                response.assertError(412, "PreconditionFailed");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void every_client_understands_the_answers(ClientKind kind) {
        S3Client client = kind.client();

        assertStatus(
                304,
                () -> client.getObjectAsBytes(
                        request -> request.bucket(bucket).key("key").ifNoneMatch(etag)));
        assertStatus(
                412,
                () -> client.getObjectAsBytes(
                        request -> request.bucket(bucket).key("key").ifMatch("\"other\"")));
        assertStatus(
                304,
                () -> client.headObject(
                        request -> request.bucket(bucket).key("key").ifNoneMatch(etag)));
        assertThat(client.getObjectAsBytes(
                                request -> request.bucket(bucket).key("key").ifMatch(etag))
                        .asUtf8String())
                .isEqualTo("content");
    }

    @Test
    void a_condition_comes_before_a_range() {
        assertRefused(
                412,
                "PreconditionFailed",
                () -> s3.getObjectAsBytes(request ->
                        request.bucket(bucket).key("key").range("bytes=99-").ifMatch("\"other\"")));
        assertStatus(
                304,
                () -> s3.getObjectAsBytes(request ->
                        request.bucket(bucket).key("key").range("bytes=0-1").ifNoneMatch(etag)));
    }

    @Test
    void a_missing_object_is_missing_whatever_the_condition() {
        assertRefused(
                404,
                "NoSuchKey",
                () -> s3.getObjectAsBytes(
                        request -> request.bucket(bucket).key("missing").ifMatch(etag)));
        assertRefused(
                404,
                "NoSuchKey",
                () -> s3.getObjectAsBytes(
                        request -> request.bucket(bucket).key("missing").ifNoneMatch("*")));
    }

    @Test
    void a_time_that_cannot_be_read_is_no_condition() {
        RawRequest request = RawRequest.of("GET", "/" + bucket + "/key").with("If-Modified-Since", "yesterday");

        RawConnection.send(endpoint, Signer.of(endpoint).sign(request)).assertStatus(200);
    }
}
