package io.headgate.s3.op;

import io.headgate.namespace.Bucket;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Who owns what, as documents show it.
 *
 * @param displayNames the display name of a user id
 */
record Owners(UnaryOperator<String> displayNames) {
    /** An owner in a document. */
    record Owner(String id, String displayName) {}

    /** Objects belong to their bucket's owner. */
    Optional<Owner> of(Bucket bucket) {
        return Optional.of(user(bucket.owner()));
    }

    Owner user(String id) {
        return new Owner(id, displayNames.apply(id));
    }
}
