package io.headgate.policy;

import java.util.List;
import java.util.Set;

/**
 * Whether a bucket policy is public: whether a statement allows anything to everybody, without a condition that pins a fixed network,
 * account or user. Values with wildcards or variables pin nothing, nor do wide networks.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html">S3: the meaning of
 *     "public"</a>
 */
final class PolicyStatus {
    private static final String SOURCE_IP = "aws:sourceip";
    private static final String ACCESS_POINT_ARN = "s3:dataaccesspointarn";

    private static final Set<String> PINNING = Set.of(
            "aws:principalaccount",
            "aws:principalarn",
            "aws:principalorgid",
            "aws:sourcearn",
            "aws:sourceaccount",
            "aws:sourceorgid",
            "aws:sourceowner",
            "aws:sourcevpc",
            "aws:sourcevpce",
            "aws:userid",
            ACCESS_POINT_ARN,
            "s3:dataaccesspointaccount",
            "s3:x-amz-server-side-encryption-aws-kms-key-id");

    private static final int WIDEST_IPV4_BITS = 8;
    private static final int WIDEST_IPV6_BITS = 32;

    private PolicyStatus() {}

    static boolean isPublic(List<Statement> statements) {
        return statements.stream().anyMatch(PolicyStatus::isPublic);
    }

    private static boolean isPublic(Statement statement) {
        boolean everybody = statement.principals().filter(Principals::everybody).isPresent();
        return statement.allows()
                && everybody
                && statement.conditions().stream().noneMatch(PolicyStatus::pins);
    }

    private static boolean pins(Condition condition) {
        boolean needsValue = !condition.ifExists() && condition.quantifier() != Condition.Quantifier.FOR_ALL_VALUES;
        if (!needsValue) {
            return false;
        }
        if (condition.key().equals(SOURCE_IP)) {
            return condition.operator() == Operator.IP_ADDRESS
                    && condition.values().stream().allMatch(value -> isNarrow(value.source()));
        }
        boolean compares = switch (condition.operator()) {
            case STRING_EQUALS, STRING_EQUALS_IGNORE_CASE, STRING_LIKE, ARN_EQUALS, ARN_LIKE -> true;
            case STRING_NOT_EQUALS,
                    STRING_NOT_EQUALS_IGNORE_CASE,
                    STRING_NOT_LIKE,
                    NUMERIC_EQUALS,
                    NUMERIC_NOT_EQUALS,
                    NUMERIC_LESS_THAN,
                    NUMERIC_LESS_THAN_EQUALS,
                    NUMERIC_GREATER_THAN,
                    NUMERIC_GREATER_THAN_EQUALS,
                    DATE_EQUALS,
                    DATE_NOT_EQUALS,
                    DATE_LESS_THAN,
                    DATE_LESS_THAN_EQUALS,
                    DATE_GREATER_THAN,
                    DATE_GREATER_THAN_EQUALS,
                    BOOL,
                    BINARY_EQUALS,
                    IP_ADDRESS,
                    NOT_IP_ADDRESS,
                    ARN_NOT_EQUALS,
                    ARN_NOT_LIKE,
                    NULL -> false;
        };
        return compares
                && PINNING.contains(condition.key())
                && condition.values().stream().allMatch(value -> isFixed(condition.key(), value.source()));
    }

    /** For an access point's ARN a fixed account is enough. */
    private static boolean isFixed(String key, String value) {
        if (key.equals(ACCESS_POINT_ARN)) {
            String[] parts = value.split(":", 6);
            return parts.length == 6 && !parts[4].isEmpty() && hasNoWildcard(parts[4]);
        }
        return hasNoWildcard(value);
    }

    private static boolean hasNoWildcard(String value) {
        return value.indexOf('*') < 0 && value.indexOf('?') < 0 && !value.contains("${");
    }

    private static boolean isNarrow(String value) {
        return CidrBlock.parse(value)
                .filter(block -> block.prefixBits() >= (block.isIpv4() ? WIDEST_IPV4_BITS : WIDEST_IPV6_BITS))
                .isPresent();
    }
}
