package io.headgate.namespace.cache;

import java.time.Duration;

/**
 * What all gateways agree on about the cache.
 *
 * @param generation part of every key, so that nothing of an earlier one is ever read; grows whenever the cache is switched off
 * @param serverId the process whose data are of this generation; of no meaning while the cache is off
 * @param lease how long a gateway may act on this after it began to read it
 * @param longestWrite after so long no write that any gateway has begun can take effect any more
 */
public record CacheState(long generation, Phase phase, String serverId, Duration lease, Duration longestWrite) {
    /** In the order in which they follow each other, again and again. */
    public enum Phase {
        /** Nobody reads from the cache, and writes need not tell it. */
        OFF,
        /** Writes tell the cache, but there may be some under way that did not: nobody reads from it yet. */
        WARMING,
        /** Reads are answered from it. */
        ON,
        /** Switched off, but there may be gateways that have not heard of it: no write is acknowledged yet. */
        STOPPING
    }

    /** Whether writes must tell the cache. */
    boolean isToBeTold() {
        return phase == Phase.WARMING || phase == Phase.ON;
    }
}
