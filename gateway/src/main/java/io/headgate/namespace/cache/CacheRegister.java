package io.headgate.namespace.cache;

import java.time.Duration;

/**
 * Keeps the one {@link CacheState} of a namespace, and changes it by compare-and-set: a change from another state than the one that is
 * there does nothing. All methods block, are thread-safe, and throw {@link io.headgate.namespace.NamespaceException} when there is no
 * answer.
 */
public interface CacheRegister extends AutoCloseable {
    CacheState read();

    /** Warming or on to stopping, in a new generation. The more often that happened lately, the later it can be switched on again. */
    void switchOff(long generation);

    /** Stopping to off. */
    void stopped(long generation);

    /** Off to warming, if no other gateway complains and it is not too early after the last time. */
    void warm(long generation, String gateway, String serverId, Duration lease);

    /** Warming to on. */
    void start(long generation);

    /** To stopping in a generation after {@code newestSeen}, if the one there is older: the register has lost changes. */
    void catchUp(long newestSeen);

    /** Keeps the cache off for a while because {@code gateway} cannot use it. */
    void complain(String gateway, Duration lasting);

    /** Takes the complaint back. */
    void withdraw(String gateway);

    @Override
    void close();
}
