package io.headgate.namespace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.namespace.FewKeys;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.cache.CacheStatistics.LookUp;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.servers.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Clients of three gateways write and read a few keys while the wires to Redis and PostgreSQL are cut, held and delayed. Whatever they were
 * told must be what one namespace without any cache could have told them.
 */
@Execution(ExecutionMode.CONCURRENT)
final class CacheLinearizabilityTest {
    private static final int GATEWAYS = 3;
    private static final Duration STATEMENT = Duration.ofSeconds(2);
    private static final Duration LONGEST_WRITE = Duration.ofMillis(2_500);
    private static final int ROUNDS = 4;

    private final long seed = Long.getLong("headgate.test.seed", System.nanoTime());
    private final PostgresOptions database = Postgres.fresh();
    private final List<Wire> wires = new ArrayList<>();
    private final List<Namespace> gateways = new ArrayList<>();
    private FewKeys keys;

    private CachedNamespace open(PostgresOptions through, int redis, Duration longestWrite) {
        CacheSettings settings = new CacheSettings(
                UUID.randomUUID().toString(),
                Duration.ofMillis(300),
                Duration.ofMinutes(10),
                Duration.ofMillis(100),
                Duration.ofMillis(300),
                longestWrite);
        return CachedGateways.open(
                through.withTimeouts(Duration.ofSeconds(2), Duration.ofMillis(500), STATEMENT, STATEMENT),
                CachedGateways.at(redis),
                settings,
                InstantSource.system());
    }

    private Wire wire(int port) throws IOException {
        Wire wire = Wire.to(port);
        wires.add(wire);
        return wire;
    }

    private void close() throws IOException {
        for (Wire wire : wires) {
            wire.restore();
        }
        gateways.forEach(Namespace::close);
        for (Wire wire : wires) {
            wire.close();
        }
    }

    @Test
    void what_clients_of_three_gateways_see_is_what_one_namespace_would_show() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            for (int i = 0; i < GATEWAYS; i++) {
                Wire toPostgres = wire(Postgres.port(database));
                Wire toRedis = wire(redis.port());
                gateways.add(open(Postgres.through(database, toPostgres.port()), toRedis.port(), LONGEST_WRITE));
            }
            SplittableRandom random = new SplittableRandom(seed);
            keys = new FewKeys(gateways, false, random);
            for (Namespace gateway : gateways) {
                CachedGateways.on((CachedNamespace) gateway);
            }
            keys.work(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    disturb(random);
                    CachedGateways.on((CachedNamespace) gateways.getFirst());
                    // Some time in which the cache is used.
                    LockSupport.parkNanos(300_000_000);
                }
            });
            close();
        }
        assertThat(keys.violations()).as("seed %d", seed).isEmpty();
        assertThat(hits()).isPositive();
    }

    /** One wire after the other is cut, held or delayed, and restored. */
    private void disturb(SplittableRandom random) {
        for (int i = 0; i < 4; i++) {
            Wire wire = wires.get(random.nextInt(wires.size()));
            switch (random.nextInt(3)) {
                case 0 -> wire.cut();
                case 1 -> wire.hold();
                default -> wire.delay(random.nextLong(1, 60));
            }
            LockSupport.parkNanos(random.nextLong(50_000_000, 400_000_000));
            wire.restore();
        }
    }

    private long hits() {
        return gateways.stream()
                .map(gateway -> ((CachedNamespace) gateway).statistics())
                .mapToLong(of -> of.lookUps(LookUp.HIT) + of.lookUps(LookUp.NEGATIVE_HIT))
                .sum();
    }

    @Test
    void a_gateway_that_does_not_tell_the_cache_of_its_writes_is_found_out() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            CachedNamespace cached = open(database, redis.port(), Duration.ofMillis(1));
            gateways.add(cached);
            gateways.add(PostgresNamespace.open(database, InstantSource.system()));
            keys = new FewKeys(gateways, false, new SplittableRandom(seed));
            CachedGateways.on(cached);
            for (int round = 1; round <= 10 && keys.violations().isEmpty(); round++) {
                long wanted = 500L * round;
                keys.work(() -> {
                    while (keys.operations() < wanted) {
                        LockSupport.parkNanos(1_000_000);
                    }
                });
            }
            close();
        }
        assertThat(keys.violations()).isNotEmpty();
    }
}
