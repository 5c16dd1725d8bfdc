package io.headgate.namespace.cache;

import io.headgate.namespace.BucketContract;
import io.headgate.namespace.MoveContract;
import io.headgate.namespace.MultipartContract;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectContract;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.servers.RedisServer;
import java.sql.SQLException;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** The contracts that a cache could break, kept by the shared engine behind one that is on; the model's test looks at all methods. */
final class CachedNamespaceTest {
    private static final PostgresOptions OPTIONS = Postgres.fresh();

    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static Namespace emptied(InstantSource clock) throws SQLException {
        Postgres.empty(OPTIONS);
        redis.tell("FLUSHALL");
        return cached(clock);
    }

    private static Namespace cached(InstantSource clock) {
        return CachedGateways.on(
                CachedGateways.open(OPTIONS, CachedGateways.at(redis.port()), CachedGateways.settings(), clock));
    }

    @Nested
    final class Buckets extends BucketContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return cached(clock);
        }
    }

    @Nested
    final class Objects extends ObjectContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return cached(clock);
        }
    }

    @Nested
    final class Multipart extends MultipartContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return cached(clock);
        }
    }

    @Nested
    final class Moves extends MoveContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return cached(clock);
        }
    }
}
