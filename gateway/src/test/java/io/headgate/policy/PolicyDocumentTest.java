package io.headgate.policy;

import static io.headgate.policy.PolicyText.PHOTOS;
import static io.headgate.policy.PolicyText.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PolicyDocumentTest {
    private static final String WHO = "'Principal': '*'";
    private static final String WHAT = "'Action': 's3:GetObject'";
    private static final String WHERE = "'Resource': 'arn:aws:s3:::photos/*'";

    private static final String STATEMENT =
            "{'Sid': 'a b', 'Effect': 'Allow', " + WHO + ", " + WHAT + ", " + WHERE + "}";

    private static byte[] withStatement(String members) {
        return bytes("{'Version': '2012-10-17', 'Statement': {" + members + "}}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'Principal': '*'",
                "'Principal': {'AWS': '*'}",
                "'Principal': {'AWS': 'testid'}",
                "'Principal': {'AWS': 'arn:aws:iam::s3tenant1:root'}",
                "'Principal': {'AWS': ['arn:aws:iam:::user/testid', 'arn:aws:iam::1:user/a/b', 'arn:aws:iam::1:role/r']}",
                "'Principal': {'CanonicalUser': 'testx$98', 'Service': 'logging.s3.amazonaws.com', 'Federated': 'x'}"
            })
    void principals_are_taken_in_every_form(String principal) {
        assertThatCode(() -> PolicyDocument.ofBucket(
                        PHOTOS, withStatement("'Effect': 'Allow', " + principal + ", " + WHAT + ", " + WHERE)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'Principal': 'testid'",
                "'Principal': []",
                "'Principal': {}",
                "'Principal': {'AWS': []}",
                "'Principal': {'AWS': 7}",
                "'Principal': {'AWS': ''}",
                "'Principal': {'AWS': 'test*'}",
                "'Principal': {'AWS': 'arn:aws:s3:::photos'}",
                "'Principal': {'AWS': 'arn:aws:iam::1:group/x'}",
                "'Principal': {'AWS': 'arn:aws:iam::1:user/'}",
                "'Principal': {'Nobody': '*'}",
                "'NotPrincipal': {'AWS': 'testid'}",
                "'Principal': '*', 'NotPrincipal': {'AWS': 'testid'}",
                "'Sid': 'nobody'"
            })
    void who_may_do_it_must_be_said(String principal) {
        assertThatThrownBy(() -> PolicyDocument.ofBucket(
                        PHOTOS, withStatement("'Effect': 'Allow', " + principal + ", " + WHAT + ", " + WHERE)))
                .isInstanceOf(PolicyException.class);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            value = {
                "arn:aws:s3:::photos | true",
                "arn:aws:s3:::photos/* | true",
                "arn:aws:s3:::photos/a/${aws:username}/* | true",
                "arn:aws:s3:::* | true",
                "arn:aws:s3:::*/* | true",
                "arn:aws:s3:::ph?tos/x | true",
                "arn:aws:s3:::photosx | false",
                "arn:aws:s3:::photosx/* | false",
                "arn:aws:s3:::videos/photos | false",
                "arn:aws:s3:eu-west-1::photos | false",
                "arn:aws:ec2:::photos | false",
                "arn:aws:s3:::photos/${unfinished | false",
                "arn:aws:s3:::photos/${} | false",
                "photos/* | false",
                "* | false"
            })
    void a_bucket_policy_names_resources_of_its_bucket(String resource, boolean valid) {
        byte[] policy = withStatement("'Effect': 'Deny', " + WHO + ", " + WHAT + ", 'Resource': ['" + resource + "']");
        if (valid) {
            assertThatCode(() -> PolicyDocument.ofBucket(PHOTOS, policy)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> PolicyDocument.ofBucket(PHOTOS, policy)).isInstanceOf(PolicyException.class);
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            value = {
                "'Effect': 'Allow', 'Principal': '*', 'Action': 's3:*'  | Missing required field Resource",
                "'Effect': 'Allow', 'Principal': '*', 'Resource': 'arn:aws:s3:::photos'  | Missing required field Action",
                "'Effect': 'Allow', 'Action': 's3:*', 'Resource': 'arn:aws:s3:::photos'  | Missing required field Principal",
                "'Principal': '*', 'Action': 's3:*', 'Resource': 'arn:aws:s3:::photos'  | Missing required field Effect",
                "'Effect': 'Maybe', 'Principal': '*', 'Action': 's3:*'  | Invalid effect: Maybe",
                "'Effect': 'Allow', 'Principle': '*'  | Unknown field Principle",
                "'Sid': 1, 'Effect': 'Allow'  | Invalid value for Sid"
            })
    void what_is_wrong_is_said(String members, String message) {
        assertThatThrownBy(() -> PolicyDocument.ofBucket(PHOTOS, withStatement(members)))
                .isInstanceOf(PolicyException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            value = {
                "'StringEquals': {'aws:Referer': ['a', 'b']} | true",
                "'ForAnyValue:StringLikeIfExists': {'aws:Referer': '*'} | true",
                "'NumericLessThan': {'s3:max-keys': 10} | true",
                "'Bool': {'aws:SecureTransport': false} | true",
                "'Null': {'aws:Referer': 'true'} | true",
                "'DateLessThan': {'aws:CurrentTime': '2026-12-01'} | true",
                "'IpAddress': {'aws:SourceIp': ['10.0.0.0/8', '::1', '2001:db8::/32']} | true",
                "'NumericLessThan': {'s3:max-keys': 'ten'} | false",
                "'Bool': {'aws:SecureTransport': 'perhaps'} | false",
                "'DateLessThan': {'aws:CurrentTime': 'tomorrow'} | false",
                "'IpAddress': {'aws:SourceIp': '10.1'} | false",
                "'IpAddress': {'aws:SourceIp': '10.0.0.0/33'} | false",
                "'IpAddress': {'aws:SourceIp': 'localhost'} | false",
                "'StringMatches': {'aws:Referer': 'a'} | false",
                "'NullIfExists': {'aws:Referer': 'true'} | false",
                "'StringEquals': {'Referer': 'a'} | false",
                "'StringEquals': {'aws:Referer': []} | false",
                "'StringEquals': {'aws:Referer': {'a': 'b'}} | false",
                "'StringEquals': 'aws:Referer' | false",
                "'StringEquals': {'aws:Referer': null} | false"
            })
    void conditions_have_operators_keys_and_values_that_fit(String condition, boolean valid) {
        byte[] policy = withStatement(
                "'Effect': 'Deny', " + WHO + ", " + WHAT + ", " + WHERE + ", 'Condition': {" + condition + "}");
        if (valid) {
            assertThatCode(() -> PolicyDocument.ofBucket(PHOTOS, policy)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> PolicyDocument.ofBucket(PHOTOS, policy)).isInstanceOf(PolicyException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "'policy'",
                "{",
                "{}",
                "{} {}",
                "{'Statement': []}",
                "{'Statement': 'x'}",
                "{'Statement': [S, 'x']}",
                "{'Statement': S} {}",
                "{'Statement': S",
                "[{'Statement': S}]",
                "{'Version': '2012-10-17', 'Version': '2012-10-17', 'Statement': S}",
                "{'Statement': S, 'Statement': S}",
                "{'Version': '2020-01-01', 'Statement': S}",
                "{'Version': 2012, 'Statement': S}",
                "{'Statement': S, 'Author': 'x'}",
                "{'Statement': [S, [[[[[[[[[[]]]]]]]]]]]}",
                "{'Statement': S, /* why */ 'Id': 'x'}",
                "{'Statement': S, 'Id': null}",
                "{'Statement': S,}"
            })
    void what_is_no_policy_is_refused(String json) {
        String policy = json.replace("S,", STATEMENT + ",").replace("S}", STATEMENT + "}");
        assertThatThrownBy(() -> PolicyDocument.ofBucket(PHOTOS, bytes(policy))).isInstanceOf(PolicyException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'Statement': S}",
                "{'Statement': [S, S]}",
                "{'Statement': [S], 'Version': '2008-10-17', 'Id': 'one'}",
                "{'Version': '2012-10-17', 'Statement': S}"
            })
    void one_statement_or_several_with_a_version_or_without(String json) {
        String policy = json.replace("S]", STATEMENT + "]")
                .replace("S,", STATEMENT + ",")
                .replace("S}", STATEMENT + "}");
        assertThatCode(() -> PolicyDocument.ofBucket(PHOTOS, bytes(policy))).doesNotThrowAnyException();
    }

    @Test
    void a_policy_may_have_20_KiB_and_not_a_byte_more() {
        String policy = PolicyText.document(PolicyText.allowAll("s3:GetObject", ""));
        String full = policy + " ".repeat(PolicyDocument.MAX_BYTES - policy.length());
        assertThatCode(() -> PolicyDocument.ofBucket(PHOTOS, bytes(full))).doesNotThrowAnyException();
        assertThatThrownBy(() -> PolicyDocument.ofBucket(PHOTOS, bytes(full + " ")))
                .isInstanceOf(PolicyException.class);
    }

    @Test
    void a_policy_is_utf_8() {
        byte[] latin = PolicyText.document(PolicyText.allowAll("s3:GetObject", "'StringEquals': {'s3:prefix': 'é'}"))
                .replace('\'', '"')
                .getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> PolicyDocument.ofBucket(PHOTOS, latin)).isInstanceOf(PolicyException.class);
    }

    @Test
    void an_identity_policy_says_not_who_and_may_name_any_service() {
        assertThatCode(() -> PolicyDocument.ofIdentity(
                        withStatement("'Effect': 'Allow', 'NotAction': 'iam:*', 'Resource': '*'")))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> PolicyDocument.ofIdentity(
                        withStatement("'Effect': 'Allow', " + WHO + ", " + WHAT + ", 'Resource': '*'")))
                .isInstanceOf(PolicyException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"iam:GetUser", "GetObject", "s3:", "s3:Get Object", ""})
    void a_bucket_policy_names_actions_of_s3(String action) {
        assertThatThrownBy(() -> PolicyDocument.ofBucket(
                        PHOTOS, withStatement("'Effect': 'Allow', " + WHO + ", 'Action': '" + action + "', " + WHERE)))
                .hasMessage("Policy has invalid action");
    }

    @Test
    void the_older_version_has_no_variables() {
        String statement =
                PolicyText.statement("Allow", WHO, "s3:GetObject", "arn:aws:s3:::photos/${aws:username}", "");
        PolicyDocument older =
                PolicyDocument.ofBucket(PHOTOS, bytes("{'Version': '2008-10-17', 'Statement': " + statement + "}"));
        PolicyDocument newer = PolicyText.ofBucket(statement);
        RequestContext alice = new RequestContext(
                Caller.User.ofOwnAccount("alice", List.of()),
                "s3:GetObject",
                new Resource("arn:aws:s3:::photos/alice"),
                key -> List.of());
        assertThat(older.evaluate(alice)).isEqualTo(Decision.NONE);
        assertThat(newer.evaluate(alice)).isEqualTo(Decision.ALLOW);
    }

    @Test
    void a_value_has_at_most_sixteen_variables() {
        String sixteen = "arn:aws:s3:::photos/" + "${aws:username}".repeat(16);
        assertThatCode(() -> PolicyText.ofIdentity(PolicyText.statement("Allow", "", "s3:*", sixteen, "")))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> PolicyText.ofIdentity(
                        PolicyText.statement("Allow", "", "s3:*", sixteen + "${aws:username}", "")))
                .isInstanceOf(PolicyException.class)
                .hasMessageStartingWith("Too many policy variables");
    }

    @Test
    void a_message_is_short_and_fit_for_an_answer() {
        String name = "a\\u0000\\ud800" + "b".repeat(5000);
        assertThatThrownBy(() -> PolicyDocument.ofBucket(PHOTOS, bytes("{'" + name + "': 1}")))
                .isInstanceOf(PolicyException.class)
                .message()
                .startsWith("Unknown field a??bbb")
                .hasSize(200);
    }
}
