package io.headgate.namespace.cache;

import java.time.Duration;

/**
 * How the cache is used.
 *
 * @param gateway the id of this run of the gateway
 * @param lease how long a gateway acts on what it knows of the cache's state without asking again
 * @param lifetime how long an entry stays
 * @param readTimeout how long a read waits for Redis before it asks the namespace instead
 * @param writeTimeout how long a write waits for Redis before the cache is switched off for all
 * @param longestWrite after so long no write that this gateway has begun can take effect any more
 */
public record CacheSettings(
        String gateway,
        Duration lease,
        Duration lifetime,
        Duration readTimeout,
        Duration writeTimeout,
        Duration longestWrite) {}
