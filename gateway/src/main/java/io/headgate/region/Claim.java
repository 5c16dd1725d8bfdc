package io.headgate.region;

/** What came of a try to claim a name. */
public sealed interface Claim {
    /** The name is the caller's claim's. */
    record Made() implements Claim {}

    /** Another claim has the name. */
    record Taken(RegistryEntry by) implements Claim {}
}
