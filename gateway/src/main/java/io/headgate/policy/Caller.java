package io.headgate.policy;

import java.util.List;

/** Who asks. */
public sealed interface Caller {
    /** Whoever did not sign the request. */
    record Anonymous() implements Caller {}

    /**
     * The service's own administrator, who counts as the owner of every bucket and object.
     *
     * @param id the user's id, which policies and ACLs name
     */
    record Root(String id) implements Caller {}

    /**
     * A user. Today each has an account of the same id; a user with another account's id is one that the account made.
     *
     * @param id the user's id, which policies and ACLs name
     * @param account the id of the account, which owns buckets and objects
     * @param policies what is attached to the user
     */
    record User(String id, String account, List<PolicyDocument> policies) implements Caller {
        public User {
            policies = List.copyOf(policies);
        }

        /** A user who is an account, with the policies that are attached, often none. */
        public static User ofOwnAccount(String id, List<PolicyDocument> policies) {
            return new User(id, id, policies);
        }
    }

    /** Whether it is of this account; root is of every account. */
    default boolean isOf(String account) {
        return switch (this) {
            case Anonymous() -> false;
            case Root ignored -> true;
            case User user -> user.account().equals(account);
        };
    }

    /** Whether it may do all that its account may. Attached policies take that away: then only what they allow is allowed. */
    default boolean isAccountRoot() {
        return switch (this) {
            case Anonymous() -> false;
            case Root ignored -> true;
            case User user ->
                user.id().equals(user.account()) && user.policies().isEmpty();
        };
    }
}
