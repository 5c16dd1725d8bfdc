package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/** The headers that are kept with an object: the standard ones and the client's own metadata. */
class ObjectHeadersTest extends S3Test {

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void standard_headers_and_metadata_come_back_with_get_and_head(ClientKind kind) {
        S3Client client = kind.client();
        String bucket = newBucket();
        Instant expires = Instant.parse("2030-01-02T03:04:05Z");
        Map<String, String> metadata = Map.of("color", "red", "empty-not", "x", "with-symbols", "a=b; c/d: \"e\"");
        client.putObject(
                request -> request.bucket(bucket)
                        .key("key")
                        .contentType("text/html; charset=utf-8")
                        .contentEncoding("gzip")
                        .contentDisposition("attachment; filename=\"a b.html\"")
                        .contentLanguage("de, en")
                        .cacheControl("max-age=60, private")
                        .expires(expires)
                        .metadata(metadata),
                RequestBody.fromString("x"));

        GetObjectResponse got = client.getObjectAsBytes(
                        request -> request.bucket(bucket).key("key"))
                .response();
        HeadObjectResponse head =
                client.headObject(request -> request.bucket(bucket).key("key"));

        assertThat(got.contentType()).isEqualTo("text/html; charset=utf-8");
        assertThat(got.contentEncoding()).isEqualTo("gzip");
        assertThat(got.contentDisposition()).isEqualTo("attachment; filename=\"a b.html\"");
        assertThat(got.contentLanguage()).isEqualTo("de, en");
        assertThat(got.cacheControl()).isEqualTo("max-age=60, private");
        assertThat(got.expiresString()).isEqualTo("Wed, 02 Jan 2030 03:04:05 GMT");
        assertThat(got.metadata()).isEqualTo(metadata);
        assertThat(head.contentType()).isEqualTo(got.contentType());
        assertThat(head.contentEncoding()).isEqualTo("gzip");
        assertThat(head.contentDisposition()).isEqualTo(got.contentDisposition());
        assertThat(head.contentLanguage()).isEqualTo(got.contentLanguage());
        assertThat(head.cacheControl()).isEqualTo(got.cacheControl());
        assertThat(head.expiresString()).isEqualTo(got.expiresString());
        assertThat(head.metadata()).isEqualTo(metadata);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "aws-chunked|",
                "gzip|gzip",
                "'gzip,aws-chunked'|gzip",
                "'aws-chunked,gzip'|gzip",
                "'deflate, gzip'|'deflate, gzip'"
            })
    void the_coding_of_the_upload_is_no_part_of_the_objects_encoding(String sent, String kept) {
        String bucket = newBucket();
        s3.putObject(request -> request.bucket(bucket).key("key").contentEncoding(sent), RequestBody.fromString("x"));

        String encoding =
                s3.headObject(request -> request.bucket(bucket).key("key")).contentEncoding();

        assertThat(encoding == null || encoding.isEmpty() ? null : encoding).isEqualTo(kept);
    }

    @Test
    void a_get_may_override_the_headers_of_its_answer() {
        String bucket = newBucket();
        s3.putObject(
                request -> request.bucket(bucket).key("key").contentType("text/plain"), RequestBody.fromString("x"));

        GetObjectResponse got = s3.getObjectAsBytes(request -> request.bucket(bucket)
                        .key("key")
                        .responseContentType("application/json")
                        .responseContentDisposition("attachment; filename=\"u.json\"")
                        .responseContentEncoding("identity")
                        .responseContentLanguage("fr")
                        .responseCacheControl("no-store")
                        .responseExpires(Instant.parse("2031-01-02T03:04:05Z")))
                .response();

        assertThat(got.contentType()).isEqualTo("application/json");
        assertThat(got.contentDisposition()).isEqualTo("attachment; filename=\"u.json\"");
        assertThat(got.contentEncoding()).isEqualTo("identity");
        assertThat(got.contentLanguage()).isEqualTo("fr");
        assertThat(got.cacheControl()).isEqualTo("no-store");
        assertThat(got.expiresString()).isEqualTo("Thu, 02 Jan 2031 03:04:05 GMT");
        assertThat(s3.headObject(request -> request.bucket(bucket).key("key")).contentType())
                .as("the object itself is unchanged")
                .isEqualTo("text/plain");
    }

    @Test
    void an_override_cannot_smuggle_a_header() {
        String bucket = newBucket();
        put(bucket, "key", "x");

        RawResponse answer = RawConnection.send(
                endpoint,
                Signer.of(endpoint)
                        .sign(RawRequest.of(
                                "GET",
                                "/" + bucket + "/key?response-content-type=text%2Fplain%0D%0AX-Smuggled%3A%20yes")));

        assertThat(answer.header("X-Smuggled")).isEmpty();
        assertThat(answer.status()).isIn(200, 400);
    }

    @Test
    void metadata_of_two_kibibytes_is_taken_and_more_refused() {
        String bucket = newBucket();
        String value = "v".repeat(2047);

        s3.putObject(
                request -> request.bucket(bucket).key("most").metadata(Map.of("k", value)),
                RequestBody.fromString("x"));

        assertThat(s3.headObject(request -> request.bucket(bucket).key("most")).metadata())
                .isEqualTo(Map.of("k", value));
        assertRefused(
                400,
                "MetadataTooLarge",
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("more").metadata(Map.of("k", value + "v")),
                        RequestBody.fromString("x")));
        assertRefused(404, "NoSuchKey", () -> get(bucket, "more"));
    }

    @Test
    void metadata_in_unicode_comes_back_as_the_bytes_that_were_sent() {
        String bucket = newBucket();
        String value = "grün 日本 😀";
        RawRequest put =
                RawRequest.of("PUT", "/" + bucket + "/key").withBody("x").with("x-amz-meta-color", value);
        RawConnection.send(endpoint, Signer.of(endpoint).sign(put)).assertStatus(200);

        RawResponse got =
                RawConnection.send(endpoint, Signer.of(endpoint).sign(RawRequest.of("GET", "/" + bucket + "/key")));

        assertThat(got.assertStatus(200).header("x-amz-meta-color"))
                .as("the bytes sent, or RFC 2047's words for them")
                .satisfiesAnyOf(
                        header -> assertThat(header).contains(value),
                        header -> assertThat(header.orElse("")).startsWithIgnoringCase("=?UTF-8?"));
    }

    @Test
    void names_of_metadata_are_in_lower_case_and_values_are_trimmed() {
        String bucket = newBucket();
        RawRequest put =
                RawRequest.of("PUT", "/" + bucket + "/key").withBody("x").with("X-Amz-Meta-MiXeD", "  value  ");
        RawConnection.send(endpoint, Signer.of(endpoint).sign(put)).assertStatus(200);

        assertThat(s3.headObject(request -> request.bucket(bucket).key("key")).metadata())
                .isEqualTo(Map.of("mixed", "value"));
    }

    @Test
    void metadata_given_twice_is_joined() {
        String bucket = newBucket();
        RawRequest put = RawRequest.of("PUT", "/" + bucket + "/key")
                .withBody("x")
                .with("x-amz-meta-twice", "one")
                .with("x-amz-meta-twice", "two");
        RawConnection.send(endpoint, Signer.of(endpoint).sign(put)).assertStatus(200);

        assertThat(s3.headObject(request -> request.bucket(bucket).key("key"))
                        .metadata()
                        .get("twice"))
                .matches("one, ?two");
    }

    @Test
    void an_objects_bytes_are_never_transformed() {
        String bucket = newBucket();
        byte[] notReallyGzip = "not gzip at all".getBytes(StandardCharsets.UTF_8);
        RawRequest put = RawRequest.of("PUT", "/" + bucket + "/key")
                .withBody(notReallyGzip)
                .with("Content-Encoding", "gzip");
        RawConnection.send(endpoint, Signer.of(endpoint).sign(put)).assertStatus(200);

        RawResponse got = RawConnection.send(
                endpoint,
                Signer.of(endpoint)
                        .sign(RawRequest.of("GET", "/" + bucket + "/key").with("Accept-Encoding", "gzip")));

        assertThat(got.body()).isEqualTo(notReallyGzip);
        assertThat(got.header("Content-Encoding")).contains("gzip");
    }
}
