package io.headgate.namespace;

import java.time.Instant;
import java.util.Optional;

/**
 * An account that was added at run time.
 *
 * @param definition what the gateways open it by, in a form that is theirs. May hold secrets, so it is not shown
 * @param removingSince when its removal was asked for, if it was
 */
public record AddedAccount(String name, String definition, Instant addedAt, Optional<Instant> removingSince) {
    /** How many there may be. */
    public static final int MAX = 1_000;

    @Override
    public String toString() {
        return name;
    }
}
