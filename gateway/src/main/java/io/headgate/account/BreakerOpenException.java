package io.headgate.account;

import java.io.IOException;

/**
 * The account was not asked, because its circuit breaker is open: a write goes to another account, a read is answered 503 with the
 * advice to come back. Not a fault of the account, so it counts nowhere.
 */
public final class BreakerOpenException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String account;

    BreakerOpenException(String account) {
        super("The circuit breaker of account " + account + " is open");
        this.account = account;
    }

    /** The account's name. */
    public String account() {
        return account;
    }
}
