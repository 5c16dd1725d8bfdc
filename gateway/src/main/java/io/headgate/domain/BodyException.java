package io.headgate.domain;

import java.io.IOException;

/**
 * The source of the bytes failed, not their destination: the client hung up, was too slow, or sent bytes that do not match
 * their checksum or signature. A blob store lets it pass unchanged, so that the client's fault never counts as the account's.
 */
public class BodyException extends IOException {
    private static final long serialVersionUID = 1L;

    public BodyException(String message) {
        super(message);
    }

    public BodyException(String message, Throwable cause) {
        super(message, cause);
    }
}
