package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.model.CORSRule;

/** What browsers are told of requests that pages of other origins make. */
class CorsTest extends S3Test {
    private static final String PAGE = "https://app.example.com";
    private static final CORSRule RULE = CORSRule.builder()
            .id("app")
            .allowedOrigins("https://*.example.com")
            .allowedMethods("GET", "PUT")
            .allowedHeaders("x-amz-*", "content-type")
            .exposeHeaders("ETag")
            .maxAgeSeconds(60)
            .build();

    private String bucket;
    private Signer signer;

    @BeforeEach
    void allowPages() {
        bucket = newBucket();
        signer = Signer.of(endpoint);
        put(bucket, "key", "content");
        s3.putBucketCors(request -> request.bucket(bucket).corsConfiguration(cors -> cors.corsRules(RULE)));
    }

    private RawResponse preflight(String origin, String method, String headers) {
        return RawConnection.send(
                endpoint,
                RawRequest.of("OPTIONS", "/" + bucket + "/key")
                        .with("Host", endpoint.authority())
                        .with("Origin", origin)
                        .with("Access-Control-Request-Method", method)
                        .with("Access-Control-Request-Headers", headers));
    }

    private static Optional<String> allowed(RawResponse response) {
        return response.header("access-control-allow-origin");
    }

    @Test
    void rules_are_kept_until_they_are_deleted() {
        assertThat(s3.getBucketCors(request -> request.bucket(bucket)).corsRules())
                .containsExactly(RULE);
        s3.deleteBucketCors(request -> request.bucket(bucket));
        assertRefused(404, "NoSuchCORSConfiguration", () -> s3.getBucketCors(request -> request.bucket(bucket)));
        assertThat(preflight(PAGE, "GET", "").status()).isEqualTo(403);
    }

    @Test
    void a_browser_that_asks_without_a_signature_is_told_what_a_rule_allows() {
        RawResponse told = preflight(PAGE, "PUT", "X-Amz-Date, content-type");

        assertThat(told.status()).as("%s", told).isEqualTo(200);
        assertThat(allowed(told)).contains(PAGE);
        assertThat(told.header("access-control-max-age")).contains("60");
        assertThat(told.header("access-control-allow-methods").orElseThrow()).contains("PUT");
        assertThat(told.header("access-control-allow-headers").orElseThrow()).containsIgnoringCase("content-type");
    }

    @Test
    void what_no_rule_allows_is_refused() {
        preflight("https://evil.test", "GET", "").assertError(403, "AccessForbidden");
        preflight(PAGE, "DELETE", "").assertError(403, "AccessForbidden");
        preflight(PAGE, "PUT", "authorization").assertError(403, "AccessForbidden");
        preflight(PAGE, "PATCH", "").assertError(400, "BadRequest");
    }

    @Test
    void the_answer_to_a_page_says_so_and_an_error_too() {
        RawResponse answer = send("GET", "key", PAGE);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(allowed(answer)).contains(PAGE);
        assertThat(answer.header("access-control-expose-headers")).contains("ETag");

        RawResponse missing = send("GET", "missing", PAGE);
        assertThat(missing.status()).isEqualTo(404);
        assertThat(allowed(missing)).contains(PAGE);

        assertThat(allowed(send("GET", "key", "https://evil.test"))).isEmpty();
        assertThat(allowed(send("DELETE", "key", PAGE))).isEmpty();
    }

    private RawResponse send(String method, String key, String origin) {
        return RawConnection.send(
                endpoint,
                signer.sign(RawRequest.of(method, "/" + bucket + "/" + key)).with("Origin", origin));
    }

    @Test
    void rules_that_mean_nothing_are_refused() {
        assertRefused(
                400,
                "InvalidRequest",
                () -> s3.putBucketCors(request -> request.bucket(bucket)
                        .corsConfiguration(cors -> cors.corsRules(
                                RULE.toBuilder().allowedMethods("PATCH").build()))));
        assertRefused(
                400,
                "InvalidRequest",
                () -> s3.putBucketCors(request -> request.bucket(bucket)
                        .corsConfiguration(cors -> cors.corsRules(
                                RULE.toBuilder().allowedOrigins("https://*.*").build()))));
        assertThat(s3.getBucketCors(request -> request.bucket(bucket)).corsRules())
                .containsExactly(RULE);
    }
}
