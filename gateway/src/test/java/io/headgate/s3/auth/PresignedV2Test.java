package io.headgate.s3.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.s3.Router;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link ClientRequestsTest} does not show of URLs presigned by Version 2. */
final class PresignedV2Test {
    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");
    private static final long EXPIRES = NOON.plusSeconds(60).getEpochSecond();
    private static final Credential ALICE = new Credential(TestSigner.ACCESS_KEY, TestSigner.SECRET, "alice", "Alice");

    private final SigV4 signatures = new SigV4(
            "us-east-1",
            accessKey -> accessKey.equals(ALICE.accessKey()) ? ALICE : null,
            new Router("s3.test")::hostBucket);

    @Test
    void a_presigned_request_is_its_user_s_until_it_expires() throws Exception {
        RequestHead head = presigned("/b/k", "", "");
        assertThat(TestSigner.authenticate(signatures, head, NOON))
                .isEqualTo(new Authentication.Verified(ALICE, new Payload.Unsigned()));
        assertThat(TestSigner.authenticate(signatures, head, NOON.plusSeconds(59)))
                .isInstanceOf(Authentication.Verified.class);
        S3Exception expired = catchThrowableOfType(
                S3Exception.class, () -> TestSigner.authenticate(signatures, head, NOON.plusSeconds(60)));
        assertThat(expired.error()).isEqualTo(S3Error.ACCESS_DENIED);
        assertThat(expired).hasMessage("Request has expired");
    }

    @Test
    void the_header_that_asks_for_a_region_cannot_be_signed_and_is_refused() throws Exception {
        RequestHead head = presigned("/b/k", "", "");
        RequestHead asking = new RequestHead(
                head.method(), head.target(), List.of(TestSigner.HOST, new Field("x-headgate-region", "eu-west")), "");
        assertThat(refused(asking)).isEqualTo(S3Error.ACCESS_DENIED);
    }

    @Test
    void a_url_for_one_bucket_does_not_open_another_by_its_host() throws Exception {
        RequestHead head = presigned("/b/k", "", "");
        assertThat(refused(at("other.s3.test", head))).isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
        RequestHead atHost =
                at("b.s3.test", new RequestHead("GET", head.target().replace("/b/k", "/k"), List.of(), ""));
        assertThat(TestSigner.authenticate(signatures, atHost, NOON)).isInstanceOf(Authentication.Verified.class);
        assertThat(refused(at("s3.test", atHost))).isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
    }

    @ParameterizedTest
    @CsvSource({
        "&uploads, SIGNATURE_DOES_NOT_MATCH",
        "&versionId=2, SIGNATURE_DOES_NOT_MATCH",
        "&attributes, INVALID_REQUEST",
        "&legal-hold, INVALID_REQUEST",
        "&list-type=2, INVALID_REQUEST",
        "&prefix=a, INVALID_REQUEST",
    })
    void a_parameter_put_in_later_is_refused(String added, S3Error error) throws Exception {
        RequestHead head = presigned("/b/k", "", "");
        assertThat(refused(new RequestHead("GET", head.target() + added, head.fields(), "")))
                .isEqualTo(error);
    }

    @Test
    void a_signed_parameter_is_taken_once() throws Exception {
        RequestHead head = presigned("/b/k", "?versionId=1", "&versionId=1");
        assertThat(TestSigner.authenticate(signatures, head, NOON)).isInstanceOf(Authentication.Verified.class);
        assertThat(refused(new RequestHead("GET", head.target() + "&versionId=2", head.fields(), "")))
                .isEqualTo(S3Error.INVALID_REQUEST);
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-acl, public-read, SIGNATURE_DOES_NOT_MATCH",
        "content-md5, XUFAKrxLKna5cZ2REBfFkg==, SIGNATURE_DOES_NOT_MATCH",
        "content-type, text/html, SIGNATURE_DOES_NOT_MATCH",
        "x-amz-security-token, t, INVALID_TOKEN",
        "x-amz-content-sha256, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, INVALID_REQUEST",
    })
    void a_header_put_in_later_is_refused(String name, String value, S3Error error) throws Exception {
        RequestHead head = presigned("/b/k", "", "");
        assertThat(refused(new RequestHead("GET", head.target(), List.of(TestSigner.HOST, new Field(name, value)), "")))
                .isEqualTo(error);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1.5", "99999999999999999999"})
    void an_expiry_that_is_no_number_is_refused(String expires) throws Exception {
        RequestHead head = presigned("/b/k", "", "");
        String target = head.target().replace("Expires=" + EXPIRES, "Expires=" + expires);
        assertThat(refused(new RequestHead("GET", target, head.fields(), ""))).isEqualTo(S3Error.ACCESS_DENIED);
    }

    @Test
    void an_unknown_key_and_a_wrong_or_malformed_signature_are_refused() throws Exception {
        RequestHead head = presigned("/b/k", "", "");
        assertThat(refused(new RequestHead(
                        "GET", head.target().replace("=" + TestSigner.ACCESS_KEY, "=NOBODY"), head.fields(), "")))
                .isEqualTo(S3Error.INVALID_ACCESS_KEY_ID);
        for (String signature : List.of("AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D", "AAAA", "", "%21")) {
            String target = head.target().replaceAll("Signature=[^&]*", "Signature=" + signature);
            assertThat(refused(new RequestHead("GET", target, head.fields(), "")))
                    .isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
        }
    }

    private S3Error refused(RequestHead head) {
        return catchThrowableOfType(S3Exception.class, () -> TestSigner.authenticate(signatures, head, NOON))
                .error();
    }

    private static RequestHead at(String host, RequestHead head) {
        return new RequestHead(head.method(), head.target(), List.of(new Field("host", host)), "");
    }

    private static RequestHead presigned(String path, String signedQuery, String query) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA1");
        mac.init(new SecretKeySpec(TestSigner.SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
        byte[] signature =
                mac.doFinal(("GET\n\n\n" + EXPIRES + "\n" + path + signedQuery).getBytes(StandardCharsets.UTF_8));
        String encoded = URLEncoder.encode(Base64.getEncoder().encodeToString(signature), StandardCharsets.UTF_8);
        return new RequestHead(
                "GET",
                path + "?AWSAccessKeyId=" + TestSigner.ACCESS_KEY + "&Signature=" + encoded + "&Expires=" + EXPIRES
                        + query,
                List.of(TestSigner.HOST),
                "");
    }
}
