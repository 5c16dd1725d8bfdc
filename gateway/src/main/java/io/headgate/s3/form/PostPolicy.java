package io.headgate.s3.form;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What whoever signed a form allows to be uploaded with it.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html">S3: POST policy</a>
 */
public record PostPolicy(Instant expiration, List<Condition> conditions) {
    /** The longest that any document nests: document, conditions, condition. */
    private static final int MAX_DEPTH = 3;

    private static final String CONDITIONS = "conditions";
    private static final String EXPIRATION = "expiration";

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            // S3 lets policies write a dollar sign with a backslash before it.
            .enable(JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .build();

    /** Fields that need no condition: those by which the policy is known, and digests, which allow nothing that is not allowed without. */
    private static final Set<String> FREE = Set.of("policy", "awsaccesskeyid", "signature", "x-amz-signature");

    private static final List<String> FREE_PREFIXES = List.of("x-ignore-", "x-amz-checksum-");

    /** Something that must hold. Names of fields are in lower case. */
    public sealed interface Condition {
        record Equal(String field, String value) implements Condition {}

        record StartsWith(String field, String prefix) implements Condition {}

        record Length(LengthRange range) implements Condition {}
    }

    public PostPolicy {
        conditions = List.copyOf(conditions);
    }

    /**
     * Reads a policy.
     *
     * @param base64 as the form has it
     * @throws S3Exception InvalidPolicyDocument
     */
    public static PostPolicy parse(String base64) {
        byte[] document;
        try {
            document = Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException malformed) {
            throw invalid("Invalid Base64 encoding");
        }
        try (JsonParser json = JSON.createParser(new String(document, UTF_8))) {
            PostPolicy policy = document(json);
            if (json.nextToken() != null) {
                throw invalid("Invalid JSON");
            }
            return policy;
        } catch (IOException malformed) {
            // What the parser says quotes the document, and is written for who wrote the parser.
            throw invalid("Invalid JSON");
        }
    }

    private static PostPolicy document(JsonParser json) throws IOException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw invalid("Invalid JSON");
        }
        Optional<Instant> expiration = Optional.empty();
        Optional<List<Condition>> conditions = Optional.empty();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case EXPIRATION -> expiration = Optional.of(instant(json));
                case CONDITIONS -> conditions = Optional.of(conditions(json));
                default -> throw invalid("Unexpected: '" + name + "'");
            }
        }
        return new PostPolicy(
                expiration.orElseThrow(() -> invalid("Policy missing expiration")),
                conditions.orElseThrow(() -> invalid("Policy missing conditions")));
    }

    private static Instant instant(JsonParser json) throws IOException {
        String text = json.getText();
        try {
            return Instant.parse(text);
        } catch (DateTimeException malformed) {
            throw invalid("Invalid 'expiration' value: '" + text + "'");
        }
    }

    private static List<Condition> conditions(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw invalid("Invalid 'conditions' value: must be a List");
        }
        List<Condition> conditions = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            conditions.add(
                    switch (json.currentToken()) {
                        case START_OBJECT -> simple(json);
                        case START_ARRAY -> listed(json);
                        default -> throw invalid("Invalid Condition: must be an Object or a List");
                    });
        }
        return conditions;
    }

    private static Condition simple(JsonParser json) throws IOException {
        List<String> items = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            items.add(json.currentName());
            if (json.nextToken() != JsonToken.VALUE_STRING) {
                throw invalid("Invalid Simple-Condition: value must be a string");
            }
            items.add(json.getText());
        }
        if (items.size() != 2) {
            throw invalid("Invalid Simple-Condition: Simple-Conditions must have exactly one property specified");
        }
        return new Condition.Equal(items.getFirst().toLowerCase(Locale.ROOT), items.getLast());
    }

    private static Condition listed(JsonParser json) throws IOException {
        List<String> items = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() != JsonToken.VALUE_STRING && json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
                throw invalid("Invalid Condition: its items must be strings or numbers");
            }
            items.add(json.getText());
        }
        String operator = items.isEmpty() ? "" : items.getFirst().toLowerCase(Locale.ROOT);
        return switch (operator) {
            case "eq" -> new Condition.Equal(field(items), items.get(2));
            case "starts-with" -> new Condition.StartsWith(field(items), items.get(2));
            case "content-length-range" -> new Condition.Length(lengths(items));
            default -> throw invalid("Invalid Condition: unknown operation '" + operator + "'");
        };
    }

    private static String field(List<String> items) {
        if (items.size() != 3 || !items.get(1).startsWith("$")) {
            throw invalid(
                    "Invalid Condition: wrong number of arguments, or the name of the field does not begin with $");
        }
        return items.get(1).substring(1).toLowerCase(Locale.ROOT);
    }

    private static LengthRange lengths(List<String> items) {
        try {
            LengthRange range = new LengthRange(Long.parseLong(items.get(1)), Long.parseLong(items.get(2)));
            if (items.size() == 3 && range.leastBytes() >= 0 && range.leastBytes() <= range.mostBytes()) {
                return range;
            }
        } catch (NumberFormatException | IndexOutOfBoundsException malformed) {
            throw invalid("Invalid Content-Length-Range condition");
        }
        throw invalid("Invalid Content-Length-Range condition");
    }

    private static S3Exception invalid(String reason) {
        return new S3Exception(S3Error.INVALID_POLICY_DOCUMENT, "Invalid Policy: " + reason);
    }

    /**
     * Checks all but the file's length.
     *
     * @param fields of the form, by their names in lower case, and the bucket
     * @throws S3Exception AccessDenied if the policy has expired, a condition does not hold, or a field has none
     */
    public void check(Map<String, String> fields, Instant now) {
        if (!now.isBefore(expiration)) {
            throw denied("Policy expired");
        }
        Set<String> covered = new HashSet<>();
        for (Condition condition : conditions) {
            switch (condition) {
                case Condition.Equal(String field, String value) -> {
                    covered.add(field);
                    if (!value.equals(fields.get(field))) {
                        throw failed("eq", field, value);
                    }
                }
                case Condition.StartsWith(String field, String prefix) -> {
                    covered.add(field);
                    if (!startsWith(field, fields.get(field), prefix)) {
                        throw failed("starts-with", field, prefix);
                    }
                }
                case Condition.Length ignored -> {
                    // of the file, which is yet to come
                }
            }
        }
        for (String field : fields.keySet()) {
            if (!covered.contains(field)
                    && !FREE.contains(field)
                    && FREE_PREFIXES.stream().noneMatch(field::startsWith)) {
                throw denied("Extra input fields: " + field);
            }
        }
    }

    /** A field that is not there may start with nothing. Of several types, each must be allowed. */
    private static boolean startsWith(String field, @Nullable String value, String prefix) {
        if (value == null) {
            return prefix.isEmpty();
        }
        if (!field.equals("content-type")) {
            return value.startsWith(prefix);
        }
        for (String type : value.split(",", -1)) {
            if (!type.strip().startsWith(prefix)) {
                return false;
            }
        }
        return true;
    }

    private static S3Exception failed(String operation, String field, String value) {
        return denied("Policy Condition failed: [\"" + operation + "\", \"$" + field + "\", \"" + value + "\"]");
    }

    private static S3Exception denied(String reason) {
        return new S3Exception(S3Error.ACCESS_DENIED, "Invalid according to Policy: " + reason);
    }

    /** What the conditions on the file's length have in common with {@code most}. */
    public LengthRange lengths(LengthRange most) {
        LengthRange common = most;
        for (Condition condition : conditions) {
            if (condition instanceof Condition.Length(LengthRange range)) {
                common = common.and(range);
            }
        }
        return common;
    }
}
