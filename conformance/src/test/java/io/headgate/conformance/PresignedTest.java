package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** Requests that carry their signature in the query. */
class PresignedTest extends S3Test {
    private String bucket;
    private Signer signer;

    @BeforeEach
    void putAnObject() {
        bucket = newBucket();
        signer = Signer.of(endpoint);
        put(bucket, "key", "content");
    }

    private RawRequest request(String method) {
        return RawRequest.of(method, "/" + bucket + "/key");
    }

    private RawResponse send(RawRequest request) {
        return RawConnection.send(endpoint, request);
    }

    @Test
    void the_sdks_presigned_urls_work_in_any_http_client() throws Exception {
        String odd = "a folder/ü+%&?.txt";
        try (S3Presigner presigner = S3Presigner.builder()
                .endpointOverride(endpoint.url())
                .region(Region.of(endpoint.region()))
                .serviceConfiguration(
                        S3Configuration.builder().pathStyleAccessEnabled(true).build())
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(endpoint.accessKey(), endpoint.secretKey())))
                .build()) {
            Duration hour = Duration.ofHours(1);
            URI put = presigner
                    .presignPutObject(presign -> presign.signatureDuration(hour)
                            .putObjectRequest(object -> object.bucket(bucket).key(odd)))
                    .url()
                    .toURI();
            URI get = presigner
                    .presignGetObject(presign -> presign.signatureDuration(hour)
                            .getObjectRequest(object -> object.bucket(bucket).key(odd)))
                    .url()
                    .toURI();
            URI head = presigner
                    .presignHeadObject(presign -> presign.signatureDuration(hour)
                            .headObjectRequest(object -> object.bucket(bucket).key(odd)))
                    .url()
                    .toURI();
            URI delete = presigner
                    .presignDeleteObject(presign -> presign.signatureDuration(hour)
                            .deleteObjectRequest(object -> object.bucket(bucket).key(odd)))
                    .url()
                    .toURI();

            assertThat(http("PUT", put, "presigned").statusCode()).isEqualTo(200);
            assertThat(http("HEAD", head, "").headers().firstValue("Content-Length"))
                    .contains("9");
            assertThat(http("GET", get, "").body()).isEqualTo("presigned");
            assertThat(http("DELETE", delete, "").statusCode()).isEqualTo(204);
            assertThat(http("GET", get, "").statusCode()).isEqualTo(404);
        }
    }

    private static HttpResponse<String> http(String method, URI url, String body)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(url)
                    .version(HttpClient.Version.HTTP_1_1)
                    .method(
                            method,
                            body.isEmpty()
                                    ? HttpRequest.BodyPublishers.noBody()
                                    : HttpRequest.BodyPublishers.ofString(body))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void a_presigned_url_works_until_it_expires() {
        send(signer.at(signer.now().minusSeconds(3000)).presign(request("GET"), Duration.ofHours(1)))
                .assertStatus(200);
        send(signer.at(signer.now().minusSeconds(3700)).presign(request("GET"), Duration.ofHours(1)))
                .assertError(403, "AccessDenied");
    }

    @Test
    void a_presigned_url_lasts_seven_days_at_most() {
        send(signer.at(signer.now().minus(Duration.ofDays(6))).presign(request("GET"), Duration.ofDays(7)))
                .assertStatus(200);
        // S3 says 400 AuthorizationQueryParametersError; the public tests written against S3 want 403.
        for (Duration expires : List.of(Duration.ofDays(7).plusSeconds(1), Duration.ofSeconds(-7))) {
            RawResponse refused = send(signer.presign(request("GET"), expires));
            assertThat(refused.status()).as("%s", refused).isIn(400, 403);
            assertThat(refused.element("Code").orElseThrow()).isIn("AuthorizationQueryParametersError", "AccessDenied");
        }
    }

    @Test
    void a_presigned_url_is_not_valid_yet_before_its_date() {
        RawResponse refused =
                send(signer.at(signer.now().plus(Duration.ofHours(1))).presign(request("GET"), Duration.ofHours(1)));

        assertThat(refused.status()).as("%s", refused).isEqualTo(403);
    }

    @Test
    void a_presigned_url_cannot_be_changed() {
        RawRequest presigned = signer.presign(request("GET"), Duration.ofHours(1));

        send(presigned.withTarget(presigned.target().replace("X-Amz-Expires=3600", "X-Amz-Expires=3601")))
                .assertError(403, "SignatureDoesNotMatch");
        send(presigned.withTarget(presigned.target().replace("/key?", "/kez?")))
                .assertError(403, "SignatureDoesNotMatch");
        send(presigned.withTarget(presigned.target() + "&response-content-type=text%2Fhtml"))
                .assertError(403, "SignatureDoesNotMatch");
        send(new RawRequest("DELETE", presigned.target(), presigned.headers(), presigned.body()))
                .assertError(403, "SignatureDoesNotMatch");
        assertThat(keys(bucket)).containsExactly("key");
    }

    @Test
    void a_wrong_secret_an_unknown_key_and_another_region_are_refused() {
        Duration hour = Duration.ofHours(1);

        send(signer.withSecretKey("wrong").presign(request("GET"), hour)).assertError(403, "SignatureDoesNotMatch");
        send(signer.withAccessKey("NOSUCHACCESSKEY00000").presign(request("GET"), hour))
                .assertError(403, "InvalidAccessKeyId");
        send(signer.withRegion("mars-north-1").presign(request("GET"), hour))
                .assertError(400, "AuthorizationQueryParametersError");
    }

    @Test
    void signed_headers_must_come_as_signed() {
        RawRequest presigned = signer.presign(request("PUT").with("x-amz-meta-color", "red"), Duration.ofHours(1));

        RawResponse without = send(presigned.without("x-amz-meta-color").withBody("new"));
        assertThat(without.status()).as("%s", without).isEqualTo(403);
        send(presigned
                        .without("x-amz-meta-color")
                        .with("x-amz-meta-color", "blue")
                        .withBody("new"))
                .assertError(403, "SignatureDoesNotMatch");
        send(presigned.withBody("new")).assertStatus(200);
        assertThat(s3.headObject(head -> head.bucket(bucket).key("key")).metadata())
                .isEqualTo(Map.of("color", "red"));
    }

    @Test
    void a_presigned_put_takes_a_body_that_was_not_signed() {
        byte[] body = bytes(1, 100_000);

        send(signer.presign(request("PUT"), Duration.ofHours(1)).withBody(body)).assertStatus(200);

        assertThat(get(bucket, "key")).isEqualTo(body);
    }

    @Test
    void a_presigned_get_may_carry_overrides_and_a_range() {
        RawRequest request = RawRequest.of(
                "GET",
                "/" + bucket
                        + "/key?response-content-type=text%2Fcsv&response-content-disposition=attachment%3B%20filename%3Dx");

        RawResponse got = send(signer.presign(request, Duration.ofHours(1)).with("Range", "bytes=0-2"));

        assertThat(got.assertStatus(206).text()).isEqualTo("con");
        assertThat(got.header("Content-Type")).contains("text/csv");
        assertThat(got.header("Content-Disposition")).contains("attachment; filename=x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Amz-Signature",
                "X-Amz-Date",
                "X-Amz-Expires",
                "X-Amz-SignedHeaders",
                "X-Amz-Credential",
                "X-Amz-Algorithm"
            })
    void a_presigned_url_without_one_of_its_parameters_is_refused(String parameter) {
        RawRequest presigned = signer.presign(request("GET"), Duration.ofHours(1));

        RawResponse refused = send(presigned.withTarget(
                presigned.target().replaceAll("[?&]" + parameter + "=[^&]*", "").replaceFirst("/key&", "/key?")));

        assertThat(refused.status()).as("%s", refused).isIn(400, 403);
        assertThat(refused.xml().getTagName()).isEqualTo("Error");
    }

    @Test
    void a_signature_in_the_query_and_another_in_the_header_are_too_many() {
        RawRequest both =
                signer.sign(signer.presign(request("GET"), Duration.ofHours(1)).without("Host"));

        RawResponse refused = send(both);

        assertThat(refused.status()).as("%s", refused).isEqualTo(400);
    }
}
