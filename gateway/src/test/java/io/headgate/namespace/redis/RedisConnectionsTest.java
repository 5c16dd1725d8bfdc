package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.Outcome;
import io.headgate.servers.RedisCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** What becomes of connections, and of what is known of the nodes, when something fails. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisConnectionsTest {
    private static final RedisCluster CLUSTER = RedisCluster.shared();
    private static final String USER = "someone";
    private static final String PASSWORD = "secret";
    private static final Bucket BUCKET = new Bucket(new BucketName("photos"), "alice", "", Instant.EPOCH);
    private static final Pattern ASKED = Pattern.compile("cmdstat_hello:calls=(\\d+)");

    @BeforeEach
    void flush() {
        CLUSTER.flush();
        atMasters("ACL", "SETUSER", USER, "reset", "on", ">" + PASSWORD, "~*", "+@all");
    }

    @AfterEach
    void close() {
        atMasters("ACL", "DELUSER", USER);
    }

    private static void atMasters(String... command) {
        CLUSTER.masters().forEach(master -> master.ask(command));
    }

    private static RedisOptions options() {
        List<RedisOptions.Node> nodes = CLUSTER.masters().stream()
                .map(node -> new RedisOptions.Node("127.0.0.1", node.port()))
                .toList();
        return new RedisOptions(nodes, false, USER, PASSWORD, Duration.ofSeconds(30), 1);
    }

    private static RedisNamespace open(RedisOptions options) {
        return RedisNamespace.open(options, InstantSource.system(), RandomGenerator.of("Random"));
    }

    private static long connections() {
        return CLUSTER.masters().stream()
                .flatMap(master -> String.valueOf(master.ask("CLIENT", "LIST")).lines())
                .filter(line -> line.contains(" user=" + USER + " "))
                .count();
    }

    /** How often the masters have been asked who serves what, each time over connections that introduce themselves; these tests do not. */
    private static long asked() {
        return CLUSTER.masters().stream()
                .flatMap(master -> ASKED.matcher(String.valueOf(master.ask("INFO", "commandstats")))
                        .results())
                .mapToLong(match -> Long.parseLong(match.group(1)))
                .sum();
    }

    /** Soon after it has asked, a gateway does not ask again: so what makes it ask is done again. */
    private static void awaitToBeAsked(long before, Runnable occasion) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            occasion.run();
            return asked() > before;
        });
    }

    @Test
    void a_connection_that_a_node_does_not_introduce_itself_on_is_closed() {
        try (RedisNamespace namespace = open(options().withReplicas(1))) {
            namespace.createBucket(BUCKET);
            atMasters("ACL", "SETUSER", USER, "-info");
            atMasters("CLIENT", "KILL", "USER", USER);

            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> namespace.bucket(BUCKET.name())).isInstanceOf(NamespaceException.class);
            }

            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> connections() == 0);
            atMasters("ACL", "SETUSER", USER, "+info");
            assertThat(namespace.bucket(BUCKET.name())).contains(BUCKET);
        }
    }

    @Test
    void a_namespace_that_is_closed_makes_no_connections_any_more() {
        RedisNamespace namespace = open(options());
        namespace.createBucket(BUCKET);
        namespace.close();

        assertThatThrownBy(() -> namespace.bucket(BUCKET.name()))
                .isInstanceOf(NamespaceException.class)
                .hasMessageContaining("the connections to Redis are closed");
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> connections() == 0);
    }

    @Test
    void whoever_misses_the_functions_asks_again_who_serves_what() {
        try (RedisNamespace namespace = open(options())) {
            namespace.createBucket(BUCKET);
            long before = asked();

            awaitToBeAsked(before, () -> {
                atMasters("FUNCTION", "FLUSH");
                assertThat(namespace.bucket(BUCKET.name())).contains(BUCKET);
            });
        }
    }

    @Test
    void whoever_is_not_told_that_replicas_have_it_asks_again_who_serves_what() {
        RedisOptions wanting = options().withReplicas(2); // of which there is one
        try (RedisNamespace namespace = open(options());
                RedisNamespace vain = open(new RedisOptions(
                        wanting.nodes(),
                        false,
                        USER,
                        PASSWORD,
                        Duration.ofMillis(500),
                        1,
                        wanting.ranges(),
                        wanting.replicas(),
                        Duration.ofMillis(100)))) {
            namespace.createBucket(BUCKET);
            long before = asked();

            long severalTimes = before + 4L * CLUSTER.masters().size();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                assertThatThrownBy(() -> vain.putObject(Writers.emptyPut(BUCKET.name(), "a")))
                        .isInstanceOf(NamespaceException.class);
                return asked() > severalTimes;
            });
        }
    }

    @Test
    void whoever_is_sent_to_another_node_for_once_asks_again_who_serves_what() {
        try (RedisNamespace namespace = open(options())) {
            namespace.createBucket(BUCKET);
            int slot = Math.toIntExact((Long) java.util.Objects.requireNonNull(
                    CLUSTER.masters().getFirst().ask("CLUSTER", "KEYSLOT", "{photos}")));
            RedisCluster.Node from = CLUSTER.masterOf(slot);
            RedisCluster.Node to = CLUSTER.masters().stream()
                    .filter(master -> master != from)
                    .findFirst()
                    .orElseThrow();
            CLUSTER.beginMove(slot, to);
            try {
                long before = asked();
                assertThat(namespace.putObject(Writers.emptyPut(BUCKET.name(), "a")))
                        .isInstanceOf(Outcome.Done.class);
                CLUSTER.moveKeys(slot, 100);

                awaitToBeAsked(before, () -> {
                    assertThat(namespace.bucket(BUCKET.name())).contains(BUCKET);
                    assertThat(namespace.currentVersion(BUCKET.name(), new ObjectKey("a")))
                            .isInstanceOf(Outcome.Done.class);
                });
            } finally {
                CLUSTER.moveKeys(slot, 100);
                CLUSTER.finishMove(slot);
                CLUSTER.move(slot, from);
            }
        }
    }

    @Test
    void of_many_questions_none_goes_on_when_one_has_failed() {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        try (Cluster cluster = new Cluster(options())) {
            assertThatThrownBy(() -> cluster.each(List.of(1, 2), number -> {
                        try {
                            if (number == 1) {
                                begun.countDown();
                                never.await();
                            } else {
                                begun.await();
                            }
                        } catch (InterruptedException stopped) {
                            interrupted.set(true);
                        }
                        throw new NamespaceException("the outage of " + number);
                    }))
                    .isInstanceOf(NamespaceException.class)
                    .hasMessage("the outage of 2");
        }
        assertThat(interrupted).isTrue();
    }
}
