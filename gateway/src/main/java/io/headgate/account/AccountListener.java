package io.headgate.account;

/** Hears what the accounts do, for metrics and logs. Called by the threads that do it: must be quick, thread-safe and not throw. */
public interface AccountListener {
    /** Does nothing. */
    AccountListener NONE = new AccountListener() {};

    /** What was asked of an account. */
    enum Operation {
        PUT,
        GET,
        DELETE,
        LIST,
        PROBE
    }

    /** How it ended. */
    enum Result {
        OK,
        /** The account's fault. */
        FAULT,
        THROTTLED,
        MISSING,
        /** The caller's fault: the body failed, or the reader left before the end. */
        CALLER,
        /** Not asked: the breaker was open. */
        REJECTED
    }

    /**
     * Called once for each request to an account, when it has ended.
     *
     * @param accountNanos how long the account took, without the time that it waited for the body's bytes or the reader
     */
    default void operation(String account, Operation operation, Result result, long accountNanos) {}

    /** Called once for each change, by the thread that made it; two changes close together may be heard in either order. */
    default void breakerChanged(String account, CircuitBreaker.Status from, CircuitBreaker.Status to) {}
}
