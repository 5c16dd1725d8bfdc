package io.headgate.policy;

import io.headgate.domain.BucketName;

/** What a policy is attached to, which decides what may stand in it. */
sealed interface Scope {
    /** To a bucket: it says who, and is about this bucket and what is in it. */
    record Bucket(BucketName name) implements Scope {}

    /** To a user: it is about what that user does, anywhere. */
    record Identity() implements Scope {}

    /**
     * Checks a resource of a statement.
     *
     * @throws PolicyException if no such policy may name it
     */
    default void checkResource(String resource) {
        boolean valid = switch (this) {
            case Bucket(BucketName name) -> isOf(name, resource);
            case Identity() -> resource.equals("*") || resource.matches("arn:[^:]+:[^:]*:[^:]*:[^:]*:.+");
        };
        if (!valid) {
            throw new PolicyException("Policy has invalid resource");
        }
    }

    private static boolean isOf(BucketName bucket, String resource) {
        String[] parts = resource.split(":", 6);
        if (parts.length != 6
                || !parts[0].equals("arn")
                || !parts[1].equals("aws")
                || !parts[2].equals("s3")
                || !parts[3].isEmpty()
                || !parts[4].isEmpty()) {
            return false;
        }
        int slash = parts[5].indexOf('/');
        return Glob.of(slash < 0 ? parts[5] : parts[5].substring(0, slash)).matches(bucket.value());
    }

    /**
     * Checks an action of a statement.
     *
     * @throws PolicyException if no such policy may name it
     */
    default void checkAction(String action) {
        boolean valid = action.equals("*")
                || switch (this) {
                    case Bucket ignored -> action.matches("[Ss]3:[A-Za-z0-9*?]{1,128}");
                    case Identity() -> action.matches("[A-Za-z0-9-]{1,64}:[A-Za-z0-9*?]{1,128}");
                };
        if (!valid) {
            throw new PolicyException("Policy has invalid action");
        }
    }
}
