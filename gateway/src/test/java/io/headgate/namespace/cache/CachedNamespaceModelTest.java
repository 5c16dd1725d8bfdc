package io.headgate.namespace.cache;

import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceModelTest;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.servers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The shared engine behind a cache against the model. */
final class CachedNamespaceModelTest extends NamespaceModelTest {
    private static RedisServer redis;

    private final PostgresOptions options = Postgres.fresh();

    CachedNamespaceModelTest() {
        super(1_500);
    }

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    protected Namespace open() {
        return CachedGateways.on(
                CachedGateways.open(options, CachedGateways.at(redis.port()), CachedGateways.settings(), clock));
    }

    @Override
    protected Namespace reopen() {
        return open();
    }

    @Override
    protected void checkInside() {
        // The engine's own test looks at its tables.
    }
}
