package io.headgate.namespace.cache;

import static io.headgate.namespace.cache.CachedGateways.PATIENCE;
import static io.headgate.namespace.cache.CachedGateways.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.Objects;
import io.headgate.namespace.cache.CacheStatistics.LookUp;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.servers.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Two gateways over one PostgreSQL and one Redis, each with a wire to it of its own, on which anything may go wrong. */
@Execution(ExecutionMode.CONCURRENT)
final class CacheFaultsTest {
    private final PostgresOptions database = Postgres.fresh();
    private RedisServer redis;
    private Wire hereToRedis;
    private Wire thereToRedis;
    private CachedNamespace here;
    private CachedNamespace there;
    private Objects objects;

    @BeforeEach
    void open() throws IOException {
        redis = RedisServer.start();
        hereToRedis = Wire.to(redis.port());
        thereToRedis = Wire.to(redis.port());
        here = gateway(hereToRedis, Duration.ofMillis(400));
        there = gateway(thereToRedis, Duration.ofMillis(400));
        objects = Objects.in(here);
        on(here);
        on(there);
    }

    @AfterEach
    void close() throws IOException {
        here.close();
        there.close();
        hereToRedis.close();
        thereToRedis.close();
        redis.close();
    }

    private CachedNamespace gateway(Wire wire, Duration lease) {
        return CachedGateways.open(database, CachedGateways.at(wire.port()), settings(lease), InstantSource.system());
    }

    private static CacheSettings settings(Duration lease) {
        return settings(lease, Duration.ofMillis(500), Duration.ofSeconds(2));
    }

    /** For who must not give up on Redis, however slow the machine is. */
    private static CacheSettings patient(Duration lease) {
        return settings(lease, PATIENCE, PATIENCE);
    }

    private static CacheSettings settings(Duration lease, Duration readTimeout, Duration writeTimeout) {
        return new CacheSettings(
                UUID.randomUUID().toString(),
                lease,
                Duration.ofMinutes(10),
                readTimeout,
                writeTimeout,
                Duration.ofMillis(100));
    }

    /** Writes an object here and looks it up there until the answer comes from the cache. */
    private void cached(String key, String etag) {
        objects.put(here, key, etag);
        hits(there, key, etag);
    }

    private void hits(CachedNamespace gateway, String key, String etag) {
        answers(
                gateway,
                LookUp.HIT,
                () -> assertThat(objects.etag(gateway, key)).isEqualTo(etag));
    }

    /** Looks up again and again, until the answer is of that kind. */
    private static void answers(CachedNamespace gateway, LookUp kind, Runnable lookUp) {
        await().atMost(PATIENCE).until(() -> {
            long before = gateway.statistics().lookUps(kind);
            lookUp.run();
            return gateway.statistics().lookUps(kind) > before;
        });
    }

    @Test
    void a_look_up_of_what_is_cached_asks_redis_once_and_postgres_never() throws IOException {
        cached("a", "1");
        try (Wire toPostgres = Wire.to(Postgres.port(database));
                CachedNamespace apart = CachedGateways.open(
                        Postgres.through(database, toPostgres.port()),
                        CachedGateways.at(thereToRedis.port()),
                        patient(Duration.ofMinutes(2)),
                        InstantSource.system())) {
            // The lease is the one that the gateways have agreed on, so let them agree on a long one.
            there.close();
            here.close();
            renew(apart);
            objects.put(apart, "a", "2");
            hits(apart, "a", "2");
            answers(
                    apart,
                    LookUp.NEGATIVE_HIT,
                    () -> assertThat(objects.etag(apart, "nothing")).isNull());
            answers(
                    apart,
                    LookUp.HIT,
                    () -> assertThat(apart.bucket(Objects.BUCKET)).isPresent());

            toPostgres.cut();
            long asked = apart.statistics().steps(CacheStatistics.Step.READ);
            assertThat(objects.etag(apart, "a")).isEqualTo("2");
            assertThat(objects.etag(apart, "nothing")).isNull();
            assertThat(apart.bucket(Objects.BUCKET)).isPresent();
            assertThat(apart.statistics().steps(CacheStatistics.Step.READ)).isEqualTo(asked + 3);
            assertThatThrownBy(() -> objects.etag(apart, "b")).isInstanceOf(NamespaceException.class);
            assertThatThrownBy(() -> objects.put(apart, "b", "3")).isInstanceOf(NamespaceException.class);
            assertThatThrownBy(() -> objects.put(apart, "a", "3")).isInstanceOf(NamespaceException.class);
            assertThat(objects.etag(apart, "a")).isEqualTo("2");

            toPostgres.restore();
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                objects.put(apart, "a", "4");
                return true;
            });
            assertThat(objects.etag(apart, "a")).isEqualTo("4");
        }
    }

    /** Ends the generation, so that the next begins with the lease that the only gateway left wants. */
    private void renew(CachedNamespace only) {
        long before = only.statistics().generation();
        thereToRedis.cut();
        objects.put(only, "any", "1");
        thereToRedis.restore();
        await().atMost(PATIENCE)
                .until(() -> only.statistics().isOn() && only.statistics().generation() > before);
    }

    @Test
    void a_redis_that_does_not_answer_one_gateway_makes_nobody_read_what_is_old() {
        cached("a", "1");
        thereToRedis.hold();

        objects.put(there, "a", "2");

        assertThat(objects.etag(here, "a")).isEqualTo("2");
        assertThat(objects.etag(there, "a")).isEqualTo("2");
        assertThat(there.statistics().switchOffs()).isPositive();
        thereToRedis.restore();
        hits(here, "a", "2");
        hits(there, "a", "2");
    }

    @Test
    void a_gateway_that_is_cut_off_from_redis_keeps_the_cache_off_while_it_is() {
        cached("a", "1");
        thereToRedis.cut();

        objects.delete(there, "a");

        assertThat(objects.etag(here, "a")).isNull();
        objects.put(here, "a", "2");
        assertThat(objects.etag(there, "a")).isEqualTo("2");
        assertThat(here.statistics().isOn()).isFalse();
        thereToRedis.restore();
        hits(here, "a", "2");
        hits(there, "a", "2");
    }

    @Test
    void a_reader_that_is_cut_off_from_redis_asks_postgres() {
        cached("a", "1");
        thereToRedis.cut();
        await().atMost(PATIENCE).until(() -> {
            objects.etag(there, "a");
            return there.statistics().lookUps(LookUp.UNREACHABLE) > 0;
        });

        objects.put(here, "a", "2");

        assertThat(objects.etag(there, "a")).isEqualTo("2");
        thereToRedis.restore();
        hits(there, "a", "2");
    }

    @Test
    void a_full_redis_fails_no_write_and_is_used_again_when_it_has_room() {
        cached("a", "1");
        redis.tell("CONFIG SET maxmemory 1");

        objects.put(here, "a", "2");

        assertThat(objects.etag(there, "a")).isEqualTo("2");
        redis.tell("CONFIG SET maxmemory 0");
        hits(there, "a", "2");
    }

    @Test
    void a_redis_that_comes_back_with_old_data_is_not_believed() {
        cached("a", "1");
        assertThat(redis.tell("SAVE")).isEqualTo("+OK");
        cached("a", "2");
        redis.kill();
        redis.startAgain();
        assertThat(redis.tell("DBSIZE")).isNotEqualTo(":0");

        assertThat(objects.etag(here, "a")).isEqualTo("2");
        assertThat(objects.etag(there, "a")).isEqualTo("2");
        hits(here, "a", "2");
        hits(there, "a", "2");
        cached("a", "3");
    }

    @Test
    void a_redis_that_comes_back_empty_is_filled_anew() {
        cached("a", "1");
        redis.kill();
        objects.put(here, "a", "2");
        assertThat(objects.etag(there, "a")).isEqualTo("2");
        redis.startAgain();

        hits(there, "a", "2");
        cached("a", "3");
    }

    @Test
    void a_redis_whose_policy_could_evict_marks_is_not_used() {
        cached("a", "1");
        redis.tell("CONFIG SET maxmemory-policy allkeys-random");
        await().atMost(PATIENCE)
                .until(() -> !here.statistics().isOn() && !there.statistics().isOn());

        objects.put(here, "a", "2");

        assertThat(objects.etag(there, "a")).isEqualTo("2");
        redis.tell("CONFIG SET maxmemory-policy allkeys-lru");
        hits(there, "a", "2");
    }

    @Test
    void a_mark_that_was_evicted_leaves_no_old_entry() {
        cached("a", "1");
        redis.tell("CONFIG SET maxmemory-policy allkeys-lru");
        redis.tell("FLUSHALL");

        objects.put(here, "a", "2");

        hits(there, "a", "2");
    }

    @Test
    void a_redis_that_has_forgotten_the_scripts_is_given_them_again() {
        cached("a", "1");
        redis.tell("SCRIPT FLUSH");

        objects.put(here, "a", "2");

        assertThat(objects.etag(there, "a")).isEqualTo("2");
        cached("a", "3");
    }

    @Test
    void a_gateway_without_a_cache_switches_it_off_while_it_runs() {
        cached("a", "1");
        try (CachedNamespace without =
                CachedGateways.open(database, null, settings(Duration.ofSeconds(1)), InstantSource.system())) {
            objects.put(without, "a", "2");

            assertThat(objects.etag(here, "a")).isEqualTo("2");
            assertThat(objects.etag(there, "a")).isEqualTo("2");
            assertThat(here.statistics().isOn()).isFalse();
        }
        hits(there, "a", "2");
    }
}
