package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FormSignaturesTest {
    private static final Credential ALICE = new Credential("KEY", "secret", "alice", "Alice");
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final String POLICY = "eyJleHBpcmF0aW9uIjogIiJ9";

    private final SigV4 signatures = new SigV4("us-east-1", key -> key.equals("KEY") ? ALICE : null, head -> "");
    private final Map<String, String> fields = new HashMap<>();

    private void sign4(String region) {
        fields.put("policy", POLICY);
        fields.put("x-amz-algorithm", "AWS4-HMAC-SHA256");
        fields.put("x-amz-credential", "KEY/20260301/" + region + "/s3/aws4_request");
        fields.put("x-amz-date", "20260301T110000Z");
        byte[] signature = SigningKey.derive("secret", "20260301", region).sign(POLICY.getBytes(UTF_8));
        fields.put("x-amz-signature", HexFormat.of().formatHex(signature));
    }

    private void sign2() throws Exception {
        Mac mac = Mac.getInstance("HmacSHA1");
        mac.init(new SecretKeySpec("secret".getBytes(UTF_8), "HmacSHA1"));
        fields.put("policy", POLICY);
        fields.put("awsaccesskeyid", "KEY");
        fields.put("signature", Base64.getEncoder().encodeToString(mac.doFinal(POLICY.getBytes(UTF_8))));
    }

    private String user(Instant now) {
        return switch (signatures.authenticateForm(fields, now)) {
            case Authentication.Anonymous(Payload ignored) -> "nobody";
            case Authentication.Verified(Credential credential, Payload ignored) -> credential.userId();
        };
    }

    private void refused(S3Error error, Instant now) {
        assertThatThrownBy(() -> user(now))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refusal -> assertThat(refusal.error()).isEqualTo(error));
    }

    @Test
    void a_form_is_signed_by_version_4() {
        sign4("us-east-1");
        assertThat(user(NOW)).isEqualTo("alice");
        assertThat(user(NOW.plus(Duration.ofDays(6)))).isEqualTo("alice");
        refused(S3Error.ACCESS_DENIED, NOW.plus(Duration.ofDays(7)));
        refused(S3Error.ACCESS_DENIED, NOW.minus(Duration.ofHours(2)));
    }

    @Test
    void a_form_is_signed_by_version_2() throws Exception {
        sign2();
        assertThat(user(NOW)).isEqualTo("alice");
    }

    @Test
    void a_form_without_signature_and_policy_is_nobodys() {
        fields.put("key", "k");
        assertThat(user(NOW)).isEqualTo("nobody");
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature"})
    void every_field_of_version_4_must_be_there(String missing) {
        sign4("us-east-1");
        fields.remove(missing);
        refused(S3Error.INVALID_ARGUMENT, NOW);
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy", "awsaccesskeyid", "signature"})
    void every_field_of_version_2_must_be_there(String missing) throws Exception {
        sign2();
        fields.remove(missing);
        refused(S3Error.INVALID_ARGUMENT, NOW);
    }

    @Test
    void a_policy_alone_is_not_anonymous() {
        fields.put("policy", POLICY);
        refused(S3Error.INVALID_ARGUMENT, NOW);
    }

    @Test
    void another_policy_is_not_signed() throws Exception {
        sign4("us-east-1");
        fields.put("policy", POLICY + "=");
        refused(S3Error.SIGNATURE_DOES_NOT_MATCH, NOW);
        fields.clear();
        sign2();
        fields.put("policy", POLICY + "=");
        refused(S3Error.SIGNATURE_DOES_NOT_MATCH, NOW);
    }

    @Test
    void a_signature_that_is_no_signature_is_wrong() throws Exception {
        sign4("us-east-1");
        fields.put("x-amz-signature", "abc");
        refused(S3Error.SIGNATURE_DOES_NOT_MATCH, NOW);
        fields.clear();
        sign2();
        fields.put("signature", "abc");
        refused(S3Error.SIGNATURE_DOES_NOT_MATCH, NOW);
    }

    @Test
    void an_unknown_key_another_region_two_signatures_and_tokens_are_refused() throws Exception {
        sign2();
        fields.put("awsaccesskeyid", "OTHER");
        refused(S3Error.INVALID_ACCESS_KEY_ID, NOW);
        fields.clear();
        sign4("eu-west-1");
        refused(S3Error.INVALID_ARGUMENT, NOW);
        sign4("us-east-1");
        sign2();
        refused(S3Error.INVALID_ARGUMENT, NOW);
        fields.clear();
        sign4("us-east-1");
        fields.put("x-amz-security-token", "token");
        refused(S3Error.INVALID_TOKEN, NOW);
    }
}
