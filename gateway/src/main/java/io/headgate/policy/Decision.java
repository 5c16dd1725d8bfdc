package io.headgate.policy;

/** What policies say about a request: an explicit denial wins over all that allow, whatever their order. */
public enum Decision {
    ALLOW,
    /** Denied explicitly. */
    DENY,
    /** No statement applies. */
    NONE
}
