package io.headgate.policy;

import io.headgate.domain.BucketName;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A policy as IAM and S3 write it, understood. Immutable; parse once, evaluate often.
 *
 * @see <a href="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html">IAM: policy elements</a>
 */
public final class PolicyDocument {
    /** As much as a bucket policy may have. */
    public static final int MAX_BYTES = 20 * 1024;

    /** Each may stand for a long value of a request, and is compared with another. */
    private static final int MAX_VARIABLES = 64;

    private static final String VERSION_WITH_VARIABLES = "2012-10-17";
    private static final String VERSION_WITHOUT = "2008-10-17";

    private final List<Statement> statements;

    private PolicyDocument(List<Statement> statements) {
        this.statements = List.copyOf(statements);
    }

    /**
     * A policy of this bucket.
     *
     * @param utf8 as the client sent it; keep these bytes to give them back
     * @throws PolicyException if it is none, with the message for MalformedPolicy
     */
    public static PolicyDocument ofBucket(BucketName bucket, byte[] utf8) {
        return parse(utf8, new Scope.Bucket(bucket));
    }

    /**
     * A policy that is attached to a user.
     *
     * @throws PolicyException if it is none, with the message for MalformedPolicyDocument
     */
    public static PolicyDocument ofIdentity(byte[] utf8) {
        return parse(utf8, new Scope.Identity());
    }

    private static PolicyDocument parse(byte[] utf8, Scope scope) {
        if (utf8.length > MAX_BYTES) {
            throw new PolicyException("Policy exceeds the maximum allowed document size.");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new PolicyException("Policies must be valid UTF-8");
        }
        if (text.split("\\$\\{", MAX_VARIABLES + 2).length > MAX_VARIABLES + 1) {
            throw new PolicyException("Policies have at most " + MAX_VARIABLES + " policy variables");
        }
        if (!(Json.parse(text) instanceof Json.Members(Map<String, Json> members))) {
            throw new PolicyException("Policies must be valid JSON and the first byte must be '{'");
        }
        boolean variables = false;
        List<Statement> statements = new ArrayList<>();
        for (Map.Entry<String, Json> member : members.entrySet()) {
            switch (member.getKey()) {
                case "Version" -> variables = hasVariables(member.getValue());
                case "Id" -> Statement.text("Id", member.getValue());
                case "Statement" -> {
                    // after the version, which may stand behind them
                }
                default -> throw new PolicyException("Unknown field " + member.getKey());
            }
        }
        Json given = members.get("Statement");
        if (given == null) {
            throw new PolicyException("Missing required field Statement");
        }
        for (Json statement : given instanceof Json.Items(List<Json> several) ? several : List.of(given)) {
            statements.add(Statement.parse(statement, scope, variables));
        }
        if (statements.isEmpty()) {
            throw new PolicyException("Could not parse the policy: Statement is empty!");
        }
        return new PolicyDocument(statements);
    }

    private static boolean hasVariables(Json version) {
        String text = Statement.text("Version", version);
        return switch (text) {
            case VERSION_WITH_VARIABLES -> true;
            case VERSION_WITHOUT -> false;
            default -> throw new PolicyException("The policy must contain a valid version string");
        };
    }

    List<Statement> statements() {
        return statements;
    }

    /** What these policies say together. */
    public static Decision evaluate(Collection<PolicyDocument> policies, RequestContext context) {
        boolean allowed = false;
        for (PolicyDocument policy : policies) {
            for (Statement statement : policy.statements) {
                // a further statement that allows changes nothing, so that its conditions need not be looked at
                if (!(allowed && statement.allows()) && statement.applies(context)) {
                    if (!statement.allows()) {
                        return Decision.DENY;
                    }
                    allowed = true;
                }
            }
        }
        return allowed ? Decision.ALLOW : Decision.NONE;
    }

    /** What this policy says. */
    public Decision evaluate(RequestContext context) {
        return evaluate(List.of(this), context);
    }

    /** Whether it allows the request to this caller by name or as everybody, without regard to the account. */
    boolean allowsByName(RequestContext context) {
        return statements.stream().anyMatch(statement -> statement.allows() && statement.appliesByName(context));
    }

    /** Whether it opens the bucket to the public, as S3's documentation defines it: {@link PolicyStatus}. */
    public boolean isPublic() {
        return PolicyStatus.isPublic(statements);
    }
}
