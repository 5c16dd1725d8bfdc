package io.headgate.policy;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How a condition compares a value of the request with one of the policy.
 *
 * @see <a href="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html">IAM: condition
 *     operators</a>
 */
enum Operator {
    STRING_EQUALS("StringEquals", Kind.TEXT, false),
    STRING_NOT_EQUALS("StringNotEquals", Kind.TEXT, true),
    STRING_EQUALS_IGNORE_CASE("StringEqualsIgnoreCase", Kind.TEXT_IGNORING_CASE, false),
    STRING_NOT_EQUALS_IGNORE_CASE("StringNotEqualsIgnoreCase", Kind.TEXT_IGNORING_CASE, true),
    STRING_LIKE("StringLike", Kind.PATTERN, false),
    STRING_NOT_LIKE("StringNotLike", Kind.PATTERN, true),
    NUMERIC_EQUALS("NumericEquals", Kind.NUMBER, false, Order.EQUAL),
    NUMERIC_NOT_EQUALS("NumericNotEquals", Kind.NUMBER, true, Order.EQUAL),
    NUMERIC_LESS_THAN("NumericLessThan", Kind.NUMBER, false, Order.LESS),
    NUMERIC_LESS_THAN_EQUALS("NumericLessThanEquals", Kind.NUMBER, false, Order.LESS_OR_EQUAL),
    NUMERIC_GREATER_THAN("NumericGreaterThan", Kind.NUMBER, false, Order.GREATER),
    NUMERIC_GREATER_THAN_EQUALS("NumericGreaterThanEquals", Kind.NUMBER, false, Order.GREATER_OR_EQUAL),
    DATE_EQUALS("DateEquals", Kind.DATE, false, Order.EQUAL),
    DATE_NOT_EQUALS("DateNotEquals", Kind.DATE, true, Order.EQUAL),
    DATE_LESS_THAN("DateLessThan", Kind.DATE, false, Order.LESS),
    DATE_LESS_THAN_EQUALS("DateLessThanEquals", Kind.DATE, false, Order.LESS_OR_EQUAL),
    DATE_GREATER_THAN("DateGreaterThan", Kind.DATE, false, Order.GREATER),
    DATE_GREATER_THAN_EQUALS("DateGreaterThanEquals", Kind.DATE, false, Order.GREATER_OR_EQUAL),
    BOOL("Bool", Kind.BOOLEAN, false),
    BINARY_EQUALS("BinaryEquals", Kind.TEXT, false),
    IP_ADDRESS("IpAddress", Kind.ADDRESS, false),
    NOT_IP_ADDRESS("NotIpAddress", Kind.ADDRESS, true),
    ARN_EQUALS("ArnEquals", Kind.ARN, false),
    ARN_LIKE("ArnLike", Kind.ARN, false),
    ARN_NOT_EQUALS("ArnNotEquals", Kind.ARN, true),
    ARN_NOT_LIKE("ArnNotLike", Kind.ARN, true),
    /** Whether the request has no such value. */
    NULL("Null", Kind.BOOLEAN, false);

    /** What the values are. */
    enum Kind {
        TEXT,
        TEXT_IGNORING_CASE,
        PATTERN,
        NUMBER,
        DATE,
        BOOLEAN,
        ADDRESS,
        ARN
    }

    /** How the request's value stands to the policy's, where values have an order. */
    private enum Order {
        EQUAL,
        LESS,
        LESS_OR_EQUAL,
        GREATER,
        GREATER_OR_EQUAL;

        /** @param compared as a comparator says it */
        private boolean includes(int compared) {
            return switch (this) {
                case EQUAL -> compared == 0;
                case LESS -> compared < 0;
                case LESS_OR_EQUAL -> compared <= 0;
                case GREATER -> compared > 0;
                case GREATER_OR_EQUAL -> compared >= 0;
            };
        }
    }

    private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]{1,30}(\\.[0-9]{1,30})?");
    private static final Pattern EPOCH_SECONDS = Pattern.compile("[0-9]{1,11}");

    private final String policyName;
    private final Kind kind;
    private final boolean negated;
    private final Order accepted;

    Operator(String policyName, Kind kind, boolean negated) {
        this(policyName, kind, negated, Order.EQUAL);
    }

    /** @param accepted how the request's value may stand to the policy's, before it is negated */
    Operator(String policyName, Kind kind, boolean negated, Order accepted) {
        this.policyName = policyName;
        this.kind = kind;
        this.negated = negated;
        this.accepted = accepted;
    }

    static Optional<Operator> named(String policyName) {
        for (Operator operator : values()) {
            if (operator.policyName.equals(policyName)) {
                return Optional.of(operator);
            }
        }
        return Optional.empty();
    }

    /** Whether it is true for values that the policy does not name, and for none. */
    boolean isNegated() {
        return negated;
    }

    boolean hasWildcards() {
        return kind == Kind.PATTERN || kind == Kind.ARN;
    }

    /** Whether a policy may have this value, without variables, for it. */
    boolean isValid(String value) {
        return switch (kind) {
            case TEXT, TEXT_IGNORING_CASE, PATTERN, ARN -> true;
            case NUMBER -> number(value).isPresent();
            case DATE -> date(value).isPresent();
            case BOOLEAN -> value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false");
            case ADDRESS -> CidrBlock.parse(value).isPresent();
        };
    }

    /** Whether the request's value is as the policy's says, before it is negated. */
    boolean matches(String value, Glob wanted) {
        return switch (kind) {
            case TEXT, PATTERN -> wanted.matches(value);
            case TEXT_IGNORING_CASE, BOOLEAN -> wanted.matchesIgnoringCase(value);
            case NUMBER -> isInOrder(number(value), number(wanted.literal()));
            case DATE -> isInOrder(date(value), date(wanted.literal()));
            case ADDRESS ->
                CidrBlock.parse(wanted.literal())
                        .filter(block -> block.contains(value))
                        .isPresent();
            case ARN -> wanted.matchesArn(value);
        };
    }

    private <T extends Comparable<T>> boolean isInOrder(Optional<T> value, Optional<T> wanted) {
        return value.isPresent()
                && wanted.isPresent()
                && accepted.includes(value.get().compareTo(wanted.get()));
    }

    private static Optional<BigDecimal> number(String text) {
        return NUMBER.matcher(text).matches() ? Optional.of(new BigDecimal(text)) : Optional.empty();
    }

    /** A day, a time with its offset, or seconds since 1970. */
    private static Optional<Instant> date(String text) {
        try {
            if (EPOCH_SECONDS.matcher(text).matches()) {
                return Optional.of(Instant.ofEpochSecond(Long.parseLong(text)));
            }
            return Optional.of(
                    text.indexOf('T') < 0
                            ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
                            : OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
