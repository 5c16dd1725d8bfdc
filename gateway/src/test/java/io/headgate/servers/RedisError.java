package io.headgate.servers;

/** A Redis answered a command with an error; the message is what it said, such as {@code MOVED 5 127.0.0.1:7001}. */
public final class RedisError extends RuntimeException {
    private static final long serialVersionUID = 1;

    RedisError(String said) {
        super(said);
    }
}
