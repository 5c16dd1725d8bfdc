package io.headgate.namespace.cache;

import static org.awaitility.Awaitility.await;

import io.headgate.namespace.Namespace;
import io.headgate.namespace.postgres.PostgresCacheRegister;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.postgres.PostgresOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Opens namespaces over PostgreSQL with a cache, as gateways do, only more impatiently. */
final class CachedGateways {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration RETRY = Duration.ofMillis(20);

    private CachedGateways() {}

    /** Settings for tests in which no write takes long. */
    static CacheSettings settings() {
        return new CacheSettings(
                UUID.randomUUID().toString(),
                Duration.ofSeconds(1),
                Duration.ofMinutes(10),
                Duration.ofSeconds(2),
                Duration.ofSeconds(5),
                Duration.ofMillis(1));
    }

    static RedisAddress at(int port) {
        return new RedisAddress("127.0.0.1", port, false, null, null, 0);
    }

    static CachedNamespace open(
            PostgresOptions database, @Nullable RedisAddress redis, CacheSettings settings, InstantSource clock) {
        Namespace namespace = PostgresNamespace.open(database, clock);
        return CachedNamespace.open(
                namespace,
                PostgresCacheRegister.open(database, clock, settings.longestWrite(), RETRY),
                redis,
                settings,
                () -> ThreadLocalRandom.current().nextLong(),
                InstantSource.system());
    }

    static <N extends CachedNamespace> N on(N cached) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> cached.statistics().isOn());
        return cached;
    }
}
