package io.headgate.s3.op;

import java.util.Optional;
import java.util.function.Function;

/**
 * What is known of users.
 *
 * @param rootUserId of the service's administrator
 * @param displayName of a user id; empty if there is no such user
 * @param idByEmail of the user of an e-mail address, in lower case
 */
public record Users(
        String rootUserId,
        Function<String, Optional<String>> displayName,
        Function<String, Optional<String>> idByEmail) {
    /** The id that S3 shows for whoever did not sign the request; no user may have it. */
    public static final String ANONYMOUS = "65a011a29cdf8ec533ec3d1ccaae921c";

    boolean exists(String id) {
        return id.equals(ANONYMOUS) || displayName.apply(id).isPresent();
    }

    /** For a user who is gone, the id. */
    String nameOf(String id) {
        return displayName.apply(id).orElse(id);
    }
}
