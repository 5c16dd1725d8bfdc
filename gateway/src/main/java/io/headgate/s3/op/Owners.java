package io.headgate.s3.op;

import io.headgate.namespace.Bucket;
import java.util.Optional;

/** Who owns what, as documents show it. */
record Owners(Users users) {
    /** An owner in a document. */
    record Owner(String id, String displayName) {}

    /** Listings show the bucket's owner as the one of its objects. */
    Optional<Owner> of(Bucket bucket) {
        return Optional.of(user(bucket.owner()));
    }

    Owner user(String id) {
        return new Owner(id, users.nameOf(id));
    }
}
