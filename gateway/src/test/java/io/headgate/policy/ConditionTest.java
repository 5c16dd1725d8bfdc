package io.headgate.policy;

import static io.headgate.policy.PolicyText.allowAll;
import static io.headgate.policy.PolicyText.ofBucket;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

final class ConditionTest {
    /** {@code given} are the values that the request has of {@code aws:Test}, separated by commas; {@code -} for none. */
    @ParameterizedTest(name = "{0} {1}: {2} is {3}")
    @CsvFileSource(resources = "conditions.txt", delimiter = '|', quoteCharacter = '"', numLinesToSkip = 1)
    void operators(String operator, String wanted, String given, boolean holds) {
        PolicyDocument policy = ofBucket(allowAll("s3:GetObject", "'" + operator + "': {'aws:Test': " + wanted + "}"));
        List<String> values = given.equals("-") ? List.of() : List.of(given.split(",", -1));
        RequestContext request = new RequestContext(
                Caller.User.ofOwnAccount("alice", List.of()),
                "s3:GetObject",
                new Resource("arn:aws:s3:::photos/x"),
                key -> switch (key) {
                    case "aws:test" -> values;
                    case "aws:several" -> List.of("a", "b");
                    default -> List.of();
                });
        assertThat(policy.evaluate(request)).isEqualTo(holds ? Decision.ALLOW : Decision.NONE);
    }

    @ParameterizedTest
    @CsvSource({"a, 1, true", "a, 2, false", "b, 1, false", "b, 2, false"})
    void all_keys_and_all_operators_must_hold(String text, String number, boolean holds) {
        PolicyDocument policy = ofBucket(allowAll(
                "s3:GetObject",
                "'StringEquals': {'s3:prefix': 'a', 's3:delimiter': ['/', '-']}, 'NumericEquals': {'s3:max-keys': 1}"));
        RequestContext request = new RequestContext(
                new Caller.Anonymous(), "s3:GetObject", new Resource("arn:aws:s3:::photos/x"), key -> switch (key) {
                    case "s3:prefix" -> List.of(text);
                    case "s3:delimiter" -> List.of("/");
                    case "s3:max-keys" -> List.of(number);
                    default -> List.of();
                });
        assertThat(policy.evaluate(request)).isEqualTo(holds ? Decision.ALLOW : Decision.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.7/0, 200.1.1.1, true",
        "10.0.0.4/31, 10.0.0.5, true",
        "10.0.0.4/31, 10.0.0.6, false",
        "10.0.0.4, 10.0.0.4, true",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
        "10.0.0.0/8, ::1, false",
        "10.0.0.0/8, ::ffff:10.1.2.3, true",
        "10.0.0.0/8, ten, false"
    })
    void a_block_of_addresses_shares_its_first_bits(String block, String address, boolean contained) {
        assertThat(CidrBlock.parse(block))
                .map(parsed -> parsed.contains(address))
                .isEqualTo(Optional.of(contained));
    }
}
