package io.headgate.namespace;

import java.time.Duration;

/** What became of the wish to remove an account. */
public enum AccountRemoval {
    /** No account of that name was added at run time. */
    UNKNOWN,
    /** It is not draining, so it may take blobs at any time. */
    NOT_DRAINING,
    /** Blobs live there, or copies are being made, or garbage waits to be deleted that is not to be forgotten. */
    NOT_EMPTY,
    /** Its garbage is being forgotten, in steps: the next may be taken at once. */
    FORGETTING,
    /** It goes as soon as no write can be under way that began when a gateway might still have chosen it. */
    PENDING,
    /** It is gone. */
    REMOVED;

    /** For so long after the wish, gateways may take the account for one that is not draining. */
    public static final Duration SETTLE = Duration.ofSeconds(10);
}
