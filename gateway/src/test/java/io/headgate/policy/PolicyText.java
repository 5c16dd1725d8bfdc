package io.headgate.policy;

import io.headgate.domain.BucketName;
import java.nio.charset.StandardCharsets;

/** Policies of the bucket {@code photos} and of users, written with single quotes and a few words. */
final class PolicyText {
    static final BucketName PHOTOS = new BucketName("photos");

    private PolicyText() {}

    static byte[] bytes(String json) {
        return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    static PolicyDocument ofBucket(String... statements) {
        return PolicyDocument.ofBucket(PHOTOS, bytes(document(statements)));
    }

    static PolicyDocument ofIdentity(String... statements) {
        return PolicyDocument.ofIdentity(bytes(document(statements)));
    }

    static String document(String... statements) {
        return "{'Version': '2012-10-17', 'Statement': [" + String.join(", ", statements) + "]}";
    }

    /** @param who the member {@code Principal} or {@code NotPrincipal}, none for an identity policy */
    static String statement(String effect, String who, String action, String resource, String condition) {
        return "{'Effect': '" + effect + "', " + who + (who.isEmpty() ? "" : ", ") + "'Action': '" + action
                + "', 'Resource': '" + resource + "'"
                + (condition.isEmpty() ? "" : ", 'Condition': {" + condition + "}") + "}";
    }

    /** Allows everybody that action on the bucket and all in it. */
    static String allowAll(String action, String condition) {
        return everybody("Allow", action, condition);
    }

    static String denyAll(String action, String condition) {
        return everybody("Deny", action, condition);
    }

    private static String everybody(String effect, String action, String condition) {
        return statement(effect, "'Principal': '*'", action, "arn:aws:s3:::photos*", condition)
                .replace("'arn:aws:s3:::photos*'", "['arn:aws:s3:::photos', 'arn:aws:s3:::photos/*']");
    }
}
