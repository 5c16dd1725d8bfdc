package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.WriteCondition;
import io.headgate.servers.RedisCluster;
import io.headgate.servers.RedisCluster.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Masters without replicas fail, each in a way of its own: what they have waits or fails, the rest is served, and it comes back by itself. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisOutagesTest {
    /**
     * Whose masters write to their files before they answer: with {@code everysec} they may put it off while the disk is slow, and one that
     * is killed then has lost what it answered for.
     */
    private final RedisCluster cluster =
            RedisCluster.startWithoutReplicas("--cluster-node-timeout", "2000", "--appendfsync", "always");

    private RedisNamespace namespace;
    private Node master;
    /** Has its range at the master. */
    private BucketName here;
    /** Has its range elsewhere. */
    private BucketName elsewhere;

    @BeforeEach
    void open() {
        namespace = open(Duration.ofSeconds(4));
        here = bucket(0);
        int slot = Writers.rangeSlots(cluster).getFirst();
        master = cluster.masterOf(slot);
        for (int number = 1; elsewhere == null; number++) {
            List<Integer> before = Writers.rangeSlots(cluster);
            BucketName candidate = bucket(number);
            List<Integer> after = new ArrayList<>(Writers.rangeSlots(cluster));
            before.forEach(after::remove);
            if (cluster.masterOf(after.getFirst()) != master) {
                elsewhere = candidate;
            }
        }
        put(namespace, here, "a");
        put(namespace, elsewhere, "a");
    }

    private RedisNamespace open(Duration timeout) {
        return RedisNamespace.open(
                Writers.options(cluster, timeout), InstantSource.system(), RandomGenerator.of("Random"));
    }

    private BucketName bucket(int number) {
        BucketName name = new BucketName("bucket-" + number);
        namespace.createBucket(new Bucket(name, "alice", "", Instant.now()));
        return name;
    }

    @AfterEach
    void close() {
        namespace.close();
        cluster.close();
    }

    private static void put(RedisNamespace namespace, BucketName bucket, String key) {
        PutObject put = Writers.emptyPut(bucket, key);
        assertThat(namespace.putObject(put)).isEqualTo(new Outcome.Done<>(put.version()));
    }

    private Outcome<ObjectVersion> current(BucketName bucket) {
        return namespace.currentVersion(bucket, new ObjectKey("a"));
    }

    @Test
    void when_memory_is_full_writes_are_refused_while_reads_and_deletes_go_on() {
        cluster.masters().forEach(node -> node.ask("CONFIG", "SET", "maxmemory", "1"));

        assertThatThrownBy(() -> put(namespace, here, "b"))
                .isInstanceOfSatisfying(
                        NamespaceException.class,
                        full -> assertThat(full.isFull()).isTrue())
                .hasMessageContaining("no memory left");
        assertThat(current(here)).isInstanceOf(Outcome.Done.class);
        assertThat(namespace.deleteObjects(
                        here, List.of(new DeleteObject(new ObjectKey("a"), WriteCondition.NONE)), Instant.now()))
                .containsExactly(new Outcome.Done<>(true));
        try (RedisNamespace another = open(Duration.ofSeconds(4))) {
            another.dueGarbage("disk-1", Instant.now(), 10);
            assertThat(another.currentVersion(elsewhere, new ObjectKey("a"))).isInstanceOf(Outcome.Done.class);
        }

        cluster.masters().forEach(node -> node.ask("CONFIG", "SET", "maxmemory", "0"));

        put(namespace, here, "b");
    }

    @Test
    void a_master_that_is_dead_or_hangs_takes_nothing_with_it_but_its_slots_until_it_is_back() throws Exception {
        cluster.kill(master);
        othersAreServedWhileThisOneIsGivenUp();
        cluster.startAgain(master);
        awaitService();

        cluster.pause(master);
        othersAreServedWhileThisOneIsGivenUp();
        cluster.resume(master);
        awaitService();
    }

    @Test
    void a_gateway_is_ready_as_long_as_any_master_answers_for_its_slots() {
        int fleet =
                Math.toIntExact((Long) java.util.Objects.requireNonNull(master.ask("CLUSTER", "KEYSLOT", "{fleet}")));
        Node ofFleet = cluster.masterOf(fleet);
        List<Node> all = List.copyOf(cluster.masters());
        cluster.kill(ofFleet);

        for (int i = 0; i < 10; i++) {
            assertThatCode(namespace::ping).doesNotThrowAnyException();
        }

        all.stream().filter(node -> node != ofFleet).forEach(cluster::kill);

        assertThatThrownBy(namespace::ping).isInstanceOf(NamespaceException.class);
    }

    private void othersAreServedWhileThisOneIsGivenUp() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> callers = new ArrayList<>();
            for (int caller = 0; caller < 100; caller++) {
                callers.add(threads.submit(() -> {
                    while (!over.get()) {
                        assertThatThrownBy(() -> current(here)).isInstanceOf(NamespaceException.class);
                        Thread.sleep(10);
                    }
                    return true;
                }));
            }
            try {
                Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                    put(namespace, elsewhere, "b");
                    assertThatThrownBy(() -> current(here)).hasMessageContaining("has not answered for a while");
                });
            } finally {
                over.set(true);
            }
            for (Future<?> caller : callers) {
                caller.get();
            }
        }
    }

    private void awaitService() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .ignoreExceptionsInstanceOf(NamespaceException.class)
                .until(() -> current(here) instanceof Outcome.Done);
    }

    @Test
    void what_a_master_does_not_do_for_a_while_is_done_when_it_does_it_again() throws Exception {
        try (RedisNamespace patient = open(Duration.ofSeconds(60));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(patient.currentVersion(here, new ObjectKey("a"))).isInstanceOf(Outcome.Done.class);

            master.ask("CONFIG", "SET", "min-replicas-to-write", "1");
            Future<?> withoutReplicas = threads.submit(() -> put(patient, here, "b"));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() ->
                            String.valueOf(master.ask("INFO", "errorstats")).contains("NOREPLICAS"));
            assertThat(withoutReplicas).isNotDone();
            master.ask("CONFIG", "SET", "min-replicas-to-write", "0");
            withoutReplicas.get();

            master.ask("CONFIG", "SET", "busy-reply-threshold", "50");
            Future<?> script = threads.submit(() -> master.ask("EVAL", "while true do end", "0"));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThatThrownBy(() -> master.ask("PING")).hasMessageStartingWith("BUSY"));
            Future<?> whileBusy = threads.submit(() -> put(patient, here, "c"));
            assertThat(whileBusy).isNotDone();
            master.ask("SCRIPT", "KILL");
            assertThatThrownBy(script::get).hasMessageContaining("killed");
            whileBusy.get();
        }
    }
}
