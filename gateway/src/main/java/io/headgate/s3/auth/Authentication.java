package io.headgate.s3.auth;

/** Who sent a request. */
public sealed interface Authentication {
    /** The request carries no signature; its body is framed in the way that {@code payload} says. */
    record Anonymous(Payload payload) implements Authentication {}

    /** The request's head is signed by the credential's holder; the body is yet to be checked, in the way that {@code payload} says. */
    record Verified(Credential credential, Payload payload) implements Authentication {}
}
