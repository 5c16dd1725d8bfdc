package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who asks: signatures in the Authorization header, right and wrong. */
class SignatureTest extends S3Test {
    private String bucket;
    private Signer signer;

    @BeforeEach
    void putAnObject() {
        bucket = newBucket();
        signer = Signer.of(endpoint);
        put(bucket, "key", "content");
    }

    private RawRequest getKey() {
        return RawRequest.of("GET", "/" + bucket + "/key");
    }

    private RawResponse send(RawRequest request) {
        return RawConnection.send(endpoint, request);
    }

    @Test
    void a_right_signature_is_let_in() {
        assertThat(send(signer.sign(getKey())).assertStatus(200).text()).isEqualTo("content");
        assertThat(send(signer.sign(getKey(), Signer.UNSIGNED))
                        .assertStatus(200)
                        .text())
                .isEqualTo("content");
    }

    @Test
    void a_wrong_secret_is_refused() {
        send(signer.withSecretKey("not the secret").sign(getKey())).assertError(403, "SignatureDoesNotMatch");
    }

    @Test
    void an_unknown_access_key_is_refused() {
        send(signer.withAccessKey("NOSUCHACCESSKEY00000").sign(getKey())).assertError(403, "InvalidAccessKeyId");
    }

    @Test
    void another_region_in_the_scope_is_refused() {
        send(signer.withRegion("mars-north-1").sign(getKey())).assertError(400, "AuthorizationHeaderMalformed");
    }

    @ParameterizedTest
    @ValueSource(longs = {-16, 16, -60 * 24 * 365, 60 * 24 * 365})
    void a_clock_off_by_more_than_fifteen_minutes_is_refused(long minutes) {
        send(signer.at(signer.now().plus(Duration.ofMinutes(minutes))).sign(getKey()))
                .assertError(403, "RequestTimeTooSkewed");
    }

    @ParameterizedTest
    @ValueSource(longs = {-14, 14})
    void a_clock_off_by_less_is_let_in(long minutes) {
        send(signer.at(signer.now().plus(Duration.ofMinutes(minutes))).sign(getKey()))
                .assertStatus(200);
    }

    @Test
    void an_anonymous_request_is_refused() {
        for (RawRequest request : List.of(
                getKey(),
                RawRequest.of("GET", "/"),
                RawRequest.of("GET", "/" + bucket),
                RawRequest.of("DELETE", "/" + bucket + "/key"),
                RawRequest.of("PUT", "/" + bucket + "/other").withBody("x"))) {
            send(request.with("Host", endpoint.authority())).assertError(403, "AccessDenied");
        }
        assertThat(keys(bucket)).containsExactly("key");
    }

    @Test
    void what_was_signed_cannot_be_changed() {
        RawRequest signed = signer.sign(getKey().with("x-amz-meta-extra", "1"));
        put(bucket, "other", "other");

        send(signed.withTarget("/" + bucket + "/other")).assertError(403, "SignatureDoesNotMatch");
        send(signed.withTarget(signed.target() + "?versionId=x")).assertError(403, "SignatureDoesNotMatch");
        send(new RawRequest("DELETE", signed.target(), signed.headers(), signed.body()))
                .assertError(403, "SignatureDoesNotMatch");
        send(signed.without("x-amz-meta-extra").with("x-amz-meta-extra", "2"))
                .assertError(403, "SignatureDoesNotMatch");
        assertThat(keys(bucket)).containsExactly("key", "other");
    }

    @Test
    void an_amz_header_that_is_not_signed_is_refused() {
        RawRequest signed =
                signer.sign(RawRequest.of("PUT", "/" + bucket + "/copy").withBody(""));

        RawResponse refused = send(signed.with("x-amz-copy-source", "/" + bucket + "/key"));

        assertThat(refused.status()).as("%s", refused).isEqualTo(403);
        assertThat(keys(bucket)).containsExactly("key");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "AWS4-HMAC-SHA256",
                "AWS4-HMAC-SHA256 Credential=x",
                "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=, Signature=",
                "AWS4-HMAC-SHA256 Credential=, SignedHeaders=host, Signature=0",
                "Basic dXNlcjpwYXNz",
                "AWS4-HMAC-SHA512 Credential=x/20300101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
            })
    void an_authorization_that_makes_no_sense_is_refused(String authorization) {
        RawRequest signed = signer.sign(getKey());

        RawResponse refused = send(signed.without("Authorization").with("Authorization", authorization));

        assertThat(refused.status()).as("%s", refused).isIn(400, 403);
        assertThat(refused.xml().getTagName()).isEqualTo("Error");
    }

    @Test
    void a_request_without_a_date_is_refused() {
        RawResponse refused = send(signer.sign(getKey()).without("x-amz-date"));

        assertThat(refused.status()).as("%s", refused).isIn(400, 403);
    }

    @Test
    void a_query_is_signed_in_canonical_order_whatever_the_order_sent() {
        RawRequest signed =
                signer.sign(RawRequest.of("GET", "/" + bucket + "?prefix=k&list-type=2&max-keys=5&delimiter=%2F"));

        assertThat(send(signed).assertStatus(200).element("Key")).contains("key");
    }

    @Test
    void a_parameter_without_a_value_is_signed_as_empty() {
        send(signer.sign(RawRequest.of("GET", "/" + bucket + "?uploads"))).assertStatus(200);
        send(signer.sign(RawRequest.of("GET", "/" + bucket + "?uploads="))).assertStatus(200);
    }
}
