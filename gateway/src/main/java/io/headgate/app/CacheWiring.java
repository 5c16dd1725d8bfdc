package io.headgate.app;

import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HeadgateConfig.CacheConfig;
import io.headgate.app.config.RedisUrl;
import io.headgate.app.config.Secret;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.cache.CacheRegister;
import io.headgate.namespace.cache.CacheSettings;
import io.headgate.namespace.cache.CachedNamespace;
import io.headgate.namespace.cache.RedisAddress;
import io.headgate.namespace.postgres.PostgresCacheRegister;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.postgres.PostgresOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Opens the shared namespace with its part in the cache, which every gateway has, with a Redis or without. */
final class CacheWiring {
    /** The first pause after the cache was switched off; doubled each further time in a row. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** What the driver adds to the time of a statement before it gives up on the connection. */
    private static final Duration NETWORK_MARGIN = Duration.ofSeconds(5);

    /** For a gateway without a cache, which never makes use of them. */
    private static final Duration UNUSED = Duration.ofSeconds(1);

    private CacheWiring() {}

    static Namespace cached(HeadgateConfig config, PostgresOptions options, InstantSource clock) {
        Namespace namespace = PostgresNamespace.open(options, clock);
        try {
            CacheSettings settings = settings(config, options);
            CacheRegister register = PostgresCacheRegister.open(options, clock, settings.longestWrite(), RETRY);
            return CachedNamespace.open(
                    namespace,
                    register,
                    address(config),
                    settings,
                    () -> ThreadLocalRandom.current().nextLong(),
                    clock);
        } catch (RuntimeException failed) {
            namespace.close();
            throw failed;
        }
    }

    /** A write waits for its turn, then for its transaction, which may be tried again until its time is over and then once more. */
    private static Duration longestWrite(PostgresOptions options) {
        return options.timeout()
                .multipliedBy(3)
                .plus(options.statementTimeout().plus(NETWORK_MARGIN).multipliedBy(2));
    }

    private static CacheSettings settings(HeadgateConfig config, PostgresOptions options) {
        String id = UUID.randomUUID().toString();
        Duration longestWrite = longestWrite(options);
        return config.namespace()
                .cache()
                .map(cache -> new CacheSettings(
                        id, cache.lease(), cache.lifetime(), cache.timeout(), cache.writeTimeout(), longestWrite))
                .orElseGet(() -> new CacheSettings(id, UNUSED, UNUSED, UNUSED, UNUSED, longestWrite));
    }

    private static @Nullable RedisAddress address(HeadgateConfig config) {
        if (config.namespace().cache().isEmpty()) {
            return null;
        }
        CacheConfig cache = config.namespace().cache().get();
        RedisUrl url = cache.url();
        return new RedisAddress(
                url.host(),
                url.port(),
                url.tls(),
                url.user().orElse(null),
                url.password().map(Secret::reveal).orElse(null),
                url.database());
    }
}
