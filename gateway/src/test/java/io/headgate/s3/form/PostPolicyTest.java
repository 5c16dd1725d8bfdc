package io.headgate.s3.form;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PostPolicyTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final Map<String, String> FIELDS = Map.of("bucket", "photos", "key", "user/a.jpg");
    private static final LengthRange ANY = new LengthRange(0, 1000);

    private static String base64(String document) {
        return Base64.getEncoder().encodeToString(document.getBytes(UTF_8));
    }

    private static PostPolicy parse(String document) {
        return PostPolicy.parse(base64(document));
    }

    private static PostPolicy policy(String conditions) {
        return parse("{\"expiration\": \"2026-03-01T12:00:01.000Z\", \"conditions\": [" + conditions + "]}");
    }

    private static void denied(String conditions, Map<String, String> fields, String reason) {
        assertThatThrownBy(() -> policy(conditions).check(fields, NOW))
                .isInstanceOfSatisfying(
                        S3Exception.class, denial -> assertThat(denial.error()).isEqualTo(S3Error.ACCESS_DENIED))
                .hasMessage("Invalid according to Policy: " + reason);
    }

    private static final String BUCKET = "{\"bucket\": \"photos\"}, ";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"bucket\": \"photos\"}, {\"key\": \"user/a.jpg\"}",
                "{\"bUcKeT\": \"photos\"}, [\"StArTs-WiTh\", \"$KeY\", \"user/\"]",
                "[\"eq\", \"$bucket\", \"photos\"], [\"starts-with\", \"$key\", \"\"]",
                "[\"starts-with\", \"$bucket\", \"\"], [\"starts-with\", \"$key\", \"\"], [\"content-length-range\", 0, 1]",
                "[\"starts-with\", \"$bucket\", \"\"], [\"starts-with\", \"$key\", \"\"], [\"starts-with\", \"$acl\", \"\"]"
            })
    void a_form_that_keeps_all_conditions_is_allowed(String conditions) {
        assertThatCode(() -> policy(conditions).check(FIELDS, NOW)).doesNotThrowAnyException();
    }

    @Test
    void a_policy_holds_until_it_expires() {
        PostPolicy policy = policy(BUCKET + "[\"starts-with\", \"$key\", \"\"]");
        policy.check(FIELDS, NOW.plusMillis(999));

        assertThatThrownBy(() -> policy.check(FIELDS, NOW.plusMillis(1000)))
                .hasMessage("Invalid according to Policy: Policy expired");
    }

    @Test
    void a_condition_that_does_not_hold_is_told() {
        denied(BUCKET + "{\"key\": \"other\"}", FIELDS, "Policy Condition failed: [\"eq\", \"$key\", \"other\"]");
        denied(
                BUCKET + "[\"starts-with\", \"$key\", \"group/\"]",
                FIELDS,
                "Policy Condition failed: [\"starts-with\", \"$key\", \"group/\"]");
        denied(
                BUCKET + "[\"starts-with\", \"$key\", \"\"], {\"acl\": \"private\"}",
                FIELDS,
                "Policy Condition failed: [\"eq\", \"$acl\", \"private\"]");
        denied("{\"bucket\": \"videos\"}", FIELDS, "Policy Condition failed: [\"eq\", \"$bucket\", \"videos\"]");
    }

    @Test
    void a_field_without_a_condition_is_one_too_many() {
        denied("[\"starts-with\", \"$key\", \"\"]", FIELDS, "Extra input fields: bucket");
        denied(
                "[\"starts-with\", \"$key\", \"\"]",
                Map.of("key", "k", "x-amz-meta-a", "b"),
                "Extra input fields: x-amz-meta-a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "policy",
                "signature",
                "awsaccesskeyid",
                "x-amz-signature",
                "x-ignore-this",
                "x-amz-checksum-sha256"
            })
    void some_fields_need_no_condition(String field) {
        policy("[\"starts-with\", \"$key\", \"\"]").check(Map.of("key", "k", field, "v"), NOW);
    }

    @Test
    void of_several_content_types_each_must_be_allowed() {
        PostPolicy images = policy("[\"starts-with\", \"$Content-Type\", \"image/\"]");
        images.check(Map.of("content-type", "image/png,image/gif"), NOW);

        assertThatThrownBy(() -> images.check(Map.of("content-type", "image/png, text/html"), NOW))
                .hasMessageContaining("Policy Condition failed");
    }

    @Test
    void a_dollar_sign_may_have_a_backslash_before_it() {
        policy("[\"eq\", \"$key\", \"\\$5\"]").check(Map.of("key", "$5"), NOW);
        policy("[\"eq\", \"$key\", \"\\\\$5\"]").check(Map.of("key", "\\$5"), NOW);
    }

    @Test
    void all_ranges_of_lengths_count() {
        assertThat(policy("[\"content-length-range\", 5, 100], [\"content-length-range\", \"1\", \"50\"]")
                        .lengths(ANY))
                .isEqualTo(new LengthRange(5, 50));
        assertThat(policy("").lengths(ANY)).isEqualTo(ANY);
        assertThat(policy("[\"content-length-range\", 0, 5000]").lengths(ANY)).isEqualTo(ANY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"conditions\": []} | Policy missing expiration",
                "{\"expiration\": \"2030-01-01T00:00:00Z\"} | Policy missing conditions",
                "{\"EXPIRATION\": \"2030-01-01T00:00:00Z\", \"conditions\": []} | Unexpected: 'EXPIRATION'",
                "{\"expiration\": \"2030-01-01 00:00:00+00:00\", \"conditions\": []} | Invalid 'expiration' value: '2030-01-01 00:00:00+00:00'",
                "{\"expiration\": 5, \"conditions\": []} | Invalid 'expiration' value: '5'",
                "{\"conditions\": {}} | Invalid 'conditions' value: must be a List",
                "{\"conditions\": [5]} | Invalid Condition: must be an Object or a List",
                "{\"conditions\": [{}]} | Invalid Simple-Condition: Simple-Conditions must have exactly one property specified",
                "{\"conditions\": [{\"a\": \"b\", \"c\": \"d\"}]} | Invalid Simple-Condition: Simple-Conditions must have exactly one property specified",
                "{\"conditions\": [{\"a\": 5}]} | Invalid Simple-Condition: value must be a string",
                "{\"conditions\": [[\"eq\", \"$a\"]]} | Invalid Condition: wrong number of arguments, or the name of the field does not begin with $",
                "{\"conditions\": [[\"eq\", \"a\", \"b\"]]} | Invalid Condition: wrong number of arguments, or the name of the field does not begin with $",
                "{\"conditions\": [[\"ends-with\", \"$a\", \"b\"]]} | Invalid Condition: unknown operation 'ends-with'",
                "{\"conditions\": [[]]} | Invalid Condition: unknown operation ''",
                "{\"conditions\": [[\"eq\", true, \"b\"]]} | Invalid Condition: its items must be strings or numbers",
                "{\"conditions\": [[\"content-length-range\", 0]]} | Invalid Content-Length-Range condition",
                "{\"conditions\": [[\"content-length-range\", -1, 0]]} | Invalid Content-Length-Range condition",
                "{\"conditions\": [[\"content-length-range\", 2, 1]]} | Invalid Content-Length-Range condition",
                "{\"conditions\": [[\"content-length-range\", 0, 1, 2]]} | Invalid Content-Length-Range condition",
                "{\"conditions\": [], \"conditions\": []} | Invalid JSON",
                "{\"conditions\": [[[[[[]]]]]]} | Invalid JSON",
                "[] | Invalid JSON",
                "{} {} | Policy missing expiration",
                "{ | Invalid JSON",
                "~~ | Invalid JSON"
            })
    void a_document_that_is_no_policy_is_refused(String document, String reason) {
        assertThatThrownBy(() -> parse(document))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refusal -> assertThat(refusal.error()).isEqualTo(S3Error.INVALID_POLICY_DOCUMENT))
                .hasMessage("Invalid Policy: " + reason);
    }
}
