package io.headgate.policy;

import static io.headgate.policy.PolicyText.allowAll;
import static io.headgate.policy.PolicyText.denyAll;
import static io.headgate.policy.PolicyText.ofBucket;
import static io.headgate.policy.PolicyText.ofIdentity;
import static io.headgate.policy.PolicyText.statement;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PolicyEvaluationTest {
    private static final Function<String, List<String>> NOTHING = key -> List.of();

    private static Caller caller(String name) {
        return switch (name) {
            case "nobody" -> new Caller.Anonymous();
            case "root" -> new Caller.Root("root");
            default ->
                name.indexOf('/') < 0
                        ? Caller.User.ofOwnAccount(name, List.of())
                        : new Caller.User(
                                name.substring(name.indexOf('/') + 1), name.substring(0, name.indexOf('/')), List.of());
        };
    }

    private static RequestContext request(String caller, String action, String path) {
        return new RequestContext(caller(caller), action, new Resource("arn:aws:s3:::" + path), NOTHING);
    }

    @ParameterizedTest(name = "{0}: {1} does it: {2}")
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            value = {
                "'Principal': '*' | nobody | true",
                "'Principal': '*' | alice | true",
                "'Principal': {'AWS': '*'} | nobody | true",
                "'Principal': {'AWS': 'alice'} | alice | true",
                "'Principal': {'AWS': 'alice'} | bob | false",
                "'Principal': {'AWS': 'alice'} | nobody | false",
                "'Principal': {'AWS': 'alice'} | alice/intern | true",
                "'Principal': {'AWS': 'arn:aws:iam::alice:root'} | alice/intern | true",
                "'Principal': {'AWS': 'arn:aws:iam::alice:root'} | bob/intern | false",
                "'Principal': {'AWS': 'arn:aws:iam:::user/alice'} | alice | true",
                "'Principal': {'AWS': 'arn:aws:iam:::user/alice'} | alice/intern | false",
                "'Principal': {'AWS': 'arn:aws:iam::alice:user/team/intern'} | alice/intern | true",
                "'Principal': {'AWS': 'arn:aws:iam::bob:user/intern'} | alice/intern | false",
                "'Principal': {'AWS': ['bob', 'arn:aws:iam:::user/alice']} | alice | true",
                "'Principal': {'CanonicalUser': 'alice'} | alice | true",
                "'Principal': {'CanonicalUser': 'alice'} | bob | false",
                "'Principal': {'AWS': 'root'} | root | true",
                "'Principal': {'Service': 'alice'} | alice | false"
            })
    void principals(String who, String caller, boolean concerned) {
        for (String effect : List.of("Allow", "Deny")) {
            PolicyDocument policy = ofBucket(statement(effect, who, "s3:GetObject", "arn:aws:s3:::photos/*", ""));
            Decision decision = effect.equals("Allow") ? Decision.ALLOW : Decision.DENY;
            assertThat(policy.evaluate(request(caller, "s3:GetObject", "photos/x")))
                    .isEqualTo(concerned ? decision : Decision.NONE);
        }
    }

    @ParameterizedTest
    @CsvSource({"alice, NONE", "alice/intern, NONE", "bob, DENY", "nobody, DENY"})
    void not_principal_denies_all_others(String caller, Decision decision) {
        PolicyDocument policy =
                ofBucket(statement("Deny", "'NotPrincipal': {'AWS': 'alice'}", "s3:*", "arn:aws:s3:::photos/*", ""));
        assertThat(policy.evaluate(request(caller, "s3:GetObject", "photos/x"))).isEqualTo(decision);
    }

    @ParameterizedTest(name = "{0} on {1}: {2} on {3} {4}")
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            value = {
                "s3:GetObject | photos/* | s3:GetObject | photos/x | true",
                "s3:getobject | photos/* | s3:GetObject | photos/x | true",
                "s3:Get* | photos/* | s3:GetObjectAcl | photos/a/b/c | true",
                "s3:Get* | photos/* | s3:PutObject | photos/x | false",
                "s3:?etObject | photos/* | s3:GetObject | photos/x | true",
                "* | photos/* | s3:DeleteObject | photos/x | true",
                "s3:* | photos/* | s3:ListBucket | photos | false",
                "s3:* | photos | s3:ListBucket | photos | true",
                "s3:* | photos | s3:GetObject | photos/x | false",
                "s3:* | photos* | s3:GetObject | photos/x | true",
                "s3:* | photos/a?c | s3:GetObject | photos/abc | true",
                "s3:* | photos/a?c | s3:GetObject | photos/ac | false",
                "s3:* | photos/A* | s3:GetObject | photos/abc | false",
                "s3:* | photos/*.jpg | s3:GetObject | photos/a.jpg.jpg | true",
                "s3:* | photos/*.jpg | s3:GetObject | photos/a.jpg.png | false",
                "s3:* | photos/*a*b*c | s3:GetObject | photos/xxaxxbxxbxxc | true",
                "s3:* | photos/${*} | s3:GetObject | photos/* | true",
                "s3:* | photos/${*} | s3:GetObject | photos/x | false",
                "s3:* | photos/${$}{x} | s3:GetObject | photos/${x} | true",
                "s3:* | photos/ü?x | s3:GetObject | photos/ü😀x | true"
            })
    void actions_and_resources(String actions, String resources, String action, String path, boolean concerned) {
        PolicyDocument policy =
                ofBucket(statement("Allow", "'Principal': '*'", actions, "arn:aws:s3:::" + resources, ""));
        assertThat(policy.evaluate(request("alice", action, path)))
                .isEqualTo(concerned ? Decision.ALLOW : Decision.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "s3:GetObject, photos/x, NONE",
        "s3:PutObject, photos/x, ALLOW",
        "s3:PutObject, photos/secret/x, NONE",
        "s3:ListAllMyBuckets, *, ALLOW"
    })
    void all_but_what_is_named(String action, String path, Decision decision) {
        PolicyDocument policy = ofIdentity(
                "{'Effect': 'Allow', 'NotAction': 's3:Get*', 'NotResource': 'arn:aws:s3:::photos/secret/*'}");
        assertThat(policy.evaluate(request("alice", action, path))).isEqualTo(decision);
    }

    @ParameterizedTest
    @ValueSource(strings = {"alice", "*", "a?ice"})
    void a_variable_stands_for_its_value_literally(String name) {
        PolicyDocument policy =
                ofIdentity(statement("Allow", "", "s3:*", "arn:aws:s3:::photos/home/${AWS:UserName}/*", ""));
        assertThat(policy.evaluate(request(name, "s3:GetObject", "photos/home/" + name + "/x")))
                .isEqualTo(Decision.ALLOW);
        assertThat(policy.evaluate(request(name, "s3:GetObject", "photos/home/bob/x")))
                .isEqualTo(Decision.NONE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "aws:username | alice | alice",
                "aws:userid | alice | alice",
                "aws:PrincipalAccount | alice | alice",
                "aws:PrincipalArn | alice | arn:aws:iam::alice:user/alice",
                "aws:username | alice/intern | intern",
                "aws:PrincipalAccount | alice/intern | alice",
                "aws:PrincipalArn | alice/intern | arn:aws:iam::alice:user/intern",
                "aws:userid | root | root"
            })
    void a_condition_may_be_on_the_caller(String key, String caller, String value) {
        PolicyDocument policy = ofBucket(allowAll("s3:*", "'StringEquals': {'" + key + "': '" + value + "'}"));
        assertThat(policy.evaluate(request(caller, "s3:GetObject", "photos/x"))).isEqualTo(Decision.ALLOW);
        assertThat(policy.evaluate(request("bob", "s3:GetObject", "photos/x"))).isEqualTo(Decision.NONE);
    }

    /** Or a policy that allows it would be public, and not look so. */
    @Test
    void who_did_not_sign_has_no_id() {
        PolicyDocument policy = ofBucket(allowAll("s3:*", "'StringEquals': {'aws:userid': 'anonymous'}"));
        assertThat(policy.evaluate(request("nobody", "s3:GetObject", "photos/x")))
                .isEqualTo(Decision.NONE);
    }

    @Test
    void a_policy_has_a_bounded_number_of_variables() {
        String many = "${aws:Referer}".repeat(10);
        String statement = statement("Allow", "", "s3:*", "arn:aws:s3:::photos/" + many, "");
        assertThatThrownBy(
                        () -> ofIdentity(statement, statement, statement, statement, statement, statement, statement))
                .isInstanceOf(PolicyException.class)
                .hasMessageContaining("policy variables");
    }

    @ParameterizedTest
    @ValueSource(strings = {"aws:username", "aws:PrincipalAccount", "aws:PrincipalArn"})
    void who_is_not_known_has_no_name(String key) {
        PolicyDocument policy = ofBucket(allowAll("s3:*", "'Null': {'" + key + "': 'true'}"));
        assertThat(policy.evaluate(request("nobody", "s3:GetObject", "photos/x")))
                .isEqualTo(Decision.ALLOW);
        assertThat(policy.evaluate(request("alice", "s3:GetObject", "photos/x")))
                .isEqualTo(Decision.NONE);
    }

    @Test
    void a_variable_without_a_value_matches_nothing_unless_it_has_another() {
        String resource = "arn:aws:s3:::photos/${s3:prefix}x";
        RequestContext request = request("alice", "s3:GetObject", "photos/x");
        assertThat(ofIdentity(statement("Allow", "", "s3:*", resource, "")).evaluate(request))
                .isEqualTo(Decision.NONE);
        assertThat(ofIdentity("{'Effect': 'Allow', 'Action': '*', 'NotResource': '" + resource + "'}")
                        .evaluate(request))
                .isEqualTo(Decision.NONE);
        String withDefault = "{\"Version\": \"2012-10-17\", \"Statement\": {\"Effect\": \"Allow\", \"Action\": \"*\","
                + " \"Resource\": \"arn:aws:s3:::photos/${s3:prefix, 'x'}\"}}";
        assertThat(PolicyDocument.ofIdentity(withDefault.getBytes(StandardCharsets.UTF_8))
                        .evaluate(request))
                .isEqualTo(Decision.ALLOW);
    }

    @Test
    void a_value_is_asked_for_once_and_only_when_it_matters() {
        List<String> asked = new ArrayList<>();
        Function<String, List<String>> source = key -> {
            asked.add(key);
            return List.of("public");
        };
        PolicyDocument policy = ofBucket(
                allowAll("s3:PutObject", "'StringEquals': {'s3:ExistingObjectTag/other': 'public'}"),
                allowAll("s3:GetObject", "'StringEquals': {'S3:existingObjectTag/Security': 'public'}"),
                denyAll("s3:GetObject", "'StringEquals': {'s3:ExistingObjectTag/Security': 'private'}"));
        assertThat(policy.evaluate(new RequestContext(
                        caller("alice"), "s3:GetObject", new Resource("arn:aws:s3:::photos/x"), source)))
                .isEqualTo(Decision.ALLOW);
        assertThat(asked).containsExactly("s3:existingobjecttag/Security");
    }

    @Test
    void no_order_of_statements_or_policies_changes_what_they_say() {
        Random random = new Random(7);
        Map<Decision, Integer> seen = new EnumMap<>(Decision.class);
        for (int round = 0; round < 500; round++) {
            List<String> statements = new ArrayList<>();
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                statements.add(randomStatement(random));
            }
            RequestContext request = new RequestContext(
                    caller(oneOf(random, "nobody", "alice", "bob")),
                    oneOf(random, "s3:GetObject", "s3:PutObject"),
                    new Resource("arn:aws:s3:::photos/" + oneOf(random, "a", "b")),
                    key -> List.of("v"));
            Decision decision = ofBucket(statements.toArray(String[]::new)).evaluate(request);
            seen.merge(decision, 1, Integer::sum);
            for (int shuffle = 0; shuffle < 4; shuffle++) {
                Collections.shuffle(statements, random);
                int cut = random.nextInt(statements.size());
                List<PolicyDocument> policies = new ArrayList<>();
                policies.add(ofBucket(statements.subList(cut, statements.size()).toArray(String[]::new)));
                if (cut > 0) {
                    policies.add(ofBucket(statements.subList(0, cut).toArray(String[]::new)));
                }
                assertThat(PolicyDocument.evaluate(policies, request)).isEqualTo(decision);
            }
        }
        assertThat(seen).containsOnlyKeys(Decision.values());
    }

    private static String randomStatement(Random random) {
        return statement(
                oneOf(random, "Allow", "Deny"),
                oneOf(random, "'Principal': '*'", "'Principal': {'AWS': 'alice'}", "'Principal': {'AWS': 'bob'}"),
                oneOf(random, "s3:*", "s3:GetObject", "s3:PutObject"),
                oneOf(random, "arn:aws:s3:::photos/*", "arn:aws:s3:::photos/a"),
                oneOf(random, "", "'StringEquals': {'aws:Referer': 'v'}", "'StringNotEquals': {'aws:Referer': 'v'}"));
    }

    private static String oneOf(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
