package io.headgate.namespace.cache;

import org.jspecify.annotations.Nullable;

/** Where Redis is, and how it lets the gateway in. {@code toString} shows no password. */
public record RedisAddress(
        String host,
        int port,
        boolean tls,
        @Nullable String user,
        @Nullable String password,
        int database) {
    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://") + host + ":" + port + "/" + database;
    }
}
