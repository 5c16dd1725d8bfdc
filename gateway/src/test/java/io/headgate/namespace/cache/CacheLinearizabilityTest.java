package io.headgate.namespace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.ETag;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.WriteCondition;
import io.headgate.namespace.cache.CacheStatistics.LookUp;
import io.headgate.namespace.cache.History.Action;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.servers.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
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
    private static final int CLIENTS_OF_EACH = 3;

    /** After so many operations another key is used, so that each history stays short. */
    private static final int OPERATIONS_OF_KEY = 150;

    private static final Duration STATEMENT = Duration.ofSeconds(2);
    private static final Duration LONGEST_WRITE = Duration.ofMillis(2_500);
    private static final int ROUNDS = 4;

    private final long seed = Long.getLong("headgate.test.seed", System.nanoTime());
    private final PostgresOptions database = Postgres.fresh();
    private final List<Wire> wires = new ArrayList<>();
    private final List<Namespace> gateways = new ArrayList<>();
    private final Map<String, Queue<History.Operation>> histories = new ConcurrentHashMap<>();
    /** What each of the few keys is called now. */
    private final List<AtomicInteger> names = List.of(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());

    private final AtomicInteger values = new AtomicInteger();
    private Objects objects;

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
            objects = Objects.in(gateways.getFirst());
            for (Namespace gateway : gateways) {
                CachedGateways.on((CachedNamespace) gateway);
            }
            SplittableRandom random = new SplittableRandom(seed);
            work(random, () -> {
                for (int round = 0; round < ROUNDS; round++) {
                    disturb(random);
                    CachedGateways.on((CachedNamespace) gateways.getFirst());
                    // Some time in which the cache is used.
                    LockSupport.parkNanos(300_000_000);
                }
            });
            close();
        }
        assertThat(violations()).as("seed %d", seed).isEmpty();
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
            objects = Objects.in(cached);
            CachedGateways.on(cached);
            for (int round = 1; round <= 10 && violations().isEmpty(); round++) {
                long wanted = 500L * round;
                work(new SplittableRandom(seed + round), () -> {
                    while (operations() < wanted) {
                        LockSupport.parkNanos(1_000_000);
                    }
                });
            }
            close();
        }
        assertThat(violations()).isNotEmpty();
    }

    private long operations() {
        return histories.values().stream().mapToLong(Queue::size).sum();
    }

    private interface Disturbance {
        void run() throws Exception;
    }

    /** Lets the clients work until the disturbance is over. */
    private void work(SplittableRandom random, Disturbance disturbance) throws Exception {
        AtomicInteger over = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> clients = new ArrayList<>();
            for (int g = 0; g < gateways.size(); g++) {
                for (int c = 0; c < CLIENTS_OF_EACH; c++) {
                    Namespace gateway = gateways.get(g);
                    String name = "gateway-" + g + "." + c;
                    SplittableRandom own = random.split();
                    clients.add(threads.submit(() -> {
                        while (over.get() == 0) {
                            one(gateway, name, own);
                        }
                    }));
                }
            }
            try {
                disturbance.run();
            } finally {
                over.set(1);
            }
            for (Future<?> client : clients) {
                client.get();
            }
        }
    }

    private void one(Namespace gateway, String client, SplittableRandom random) {
        int number = random.nextInt(names.size());
        int turn = names.get(number).get();
        String key = "key-" + number + "-" + turn;
        Queue<History.Operation> history = histories.computeIfAbsent(key, k -> new ConcurrentLinkedQueue<>());
        if (history.size() >= OPERATIONS_OF_KEY) {
            names.get(number).compareAndSet(turn, turn + 1);
            return;
        }
        Action plan = plan(random, history);
        long called = System.nanoTime();
        try {
            Action told = perform(gateway, key, plan);
            history.add(new History.Operation(client, told, called, System.nanoTime()));
        } catch (NamespaceException unknown) {
            if (!(plan instanceof Action.Read)) {
                history.add(new History.Operation(client, new Action.Unknown(plan), called, 0));
                names.get(number).compareAndSet(turn, turn + 1); // lest the possibilities become too many
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** What to do; the answers in it mean nothing yet. */
    private Action plan(SplittableRandom random, Queue<History.Operation> history) {
        String fresh = "v" + values.incrementAndGet();
        return switch (random.nextInt(10)) {
            case 0 -> new Action.Put(fresh);
            case 1 -> new Action.Delete(false);
            case 2 -> new Action.PutNew(fresh, false);
            case 3 -> new Action.Replace(lastSeen(history).orElse(fresh), fresh, false);
            default -> new Action.Read(null);
        };
    }

    private static Optional<String> lastSeen(Queue<History.Operation> history) {
        return history.stream()
                .map(History.Operation::action)
                .<String>mapMulti((action, into) -> {
                    switch (action) {
                        case Action.Read(String found) when found != null -> into.accept(found);
                        case Action.Put(String value) -> into.accept(value);
                        default -> {
                            // tells of no value
                        }
                    }
                })
                .reduce((earlier, later) -> later);
    }

    private Action perform(Namespace gateway, String key, Action plan) {
        return switch (plan) {
            case Action.Read _ -> new Action.Read(objects.etag(gateway, key));
            case Action.Put(String value) -> {
                objects.put(gateway, key, value);
                yield plan;
            }
            case Action.Delete _ -> new Action.Delete(objects.delete(gateway, key));
            case Action.PutNew(String value, boolean answer) ->
                new Action.PutNew(value, done(objects.put(gateway, key, value, new WriteCondition.Absent())));
            case Action.Replace(String expected, String value, boolean answer) ->
                new Action.Replace(
                        expected,
                        value,
                        done(objects.put(gateway, key, value, new WriteCondition.Matches(Set.of(new ETag(expected))))));
            case Action.Unknown _ -> throw new IllegalArgumentException("no plan: " + plan);
        };
    }

    private static boolean done(Outcome<ObjectVersion> outcome) {
        return switch (outcome) {
            case Outcome.Done<ObjectVersion> _ -> true;
            case Outcome.Refused<ObjectVersion>(Refusal reason, String detail)
            when reason == Refusal.PRECONDITION_FAILED || reason == Refusal.NO_SUCH_KEY -> false;
            case Outcome.Refused<ObjectVersion> other -> throw new AssertionError("refused: " + other);
        };
    }

    private List<String> violations() {
        List<String> violations = new ArrayList<>();
        histories.forEach((key, operations) ->
                new History(List.copyOf(operations)).violation().ifPresent(why -> violations.add(key + ": " + why)));
        return violations;
    }
}
