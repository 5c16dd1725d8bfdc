package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.namespace.NamespaceException;
import io.headgate.servers.RedisCluster;
import io.headgate.servers.RedisServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** What is said of real clusters that are set up well, badly, and wrongly. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class ClusterCheckTest {
    private static final String USER = "limited";
    private static final String PASSWORD = "of-the-test";

    private static ClusterCheck.Findings check(RedisURI.Builder uri) {
        try (RedisClusterClient client = RedisClusterClient.create(uri.build())) {
            return ClusterCheck.of(client.connect(ByteArrayCodec.INSTANCE), Duration.ofMinutes(1));
        }
    }

    private static RedisURI.Builder uri(int port) {
        return RedisURI.builder().withHost("127.0.0.1").withPort(port).withTimeout(Duration.ofMinutes(1));
    }

    private static ClusterCheck.Findings check(RedisCluster cluster) {
        return check(uri(cluster.masters().getFirst().port()));
    }

    private static void open(int port) {
        open(port, null, null);
    }

    private static void open(int port, @Nullable String user, @Nullable String password) {
        RedisOptions options = new RedisOptions(
                List.of(new RedisOptions.Node("127.0.0.1", port)), false, user, password, Duration.ofSeconds(30), 1);
        RedisNamespace.open(options, InstantSource.system(), RandomGenerator.getDefault())
                .close();
    }

    private static String all(RedisCluster cluster) {
        return "Redis at "
                + cluster.masters().stream()
                        .map(RedisCluster.Node::toString)
                        .sorted()
                        .collect(Collectors.joining(", "))
                + " ";
    }

    @Test
    void of_a_cluster_with_replicas_and_append_only_files_nothing_is_said() {
        assertThat(check(RedisCluster.shared())).isEqualTo(new ClusterCheck.Findings(List.of(), List.of()));
    }

    @Test
    void what_is_at_risk_is_told_with_the_masters_that_it_is_said_of() {
        try (RedisCluster cluster = RedisCluster.startWithoutReplicas(
                "--appendonly", "no", "--appendfsync", "no", "--cluster-require-full-coverage", "yes")) {
            String all = all(cluster);
            String coverage =
                    "stops when another master is lost with all its replicas: cluster-require-full-coverage is yes";
            String fsync = "may lose the writes of half a minute with its machine: appendfsync is no";
            String append = "loses what it holds when it restarts: appendonly is no";
            String replica =
                    "has no replica: while it is down what it holds cannot be read or written, and with its disk it is lost";
            assertThat(check(cluster).obstacles()).isEmpty();
            assertThat(check(cluster).risks())
                    .containsExactlyInAnyOrder(all + append, all + replica, all + fsync, all + coverage);
            open(cluster.masters().getFirst().port());

            cluster.masters()
                    .forEach(master -> master.ask(
                            "ACL", "SETUSER", USER, "on", ">" + PASSWORD, "allkeys", "allcommands", "-config"));
            RedisURI.Builder limited = uri(cluster.masters().getFirst().port()).withAuthentication(USER, PASSWORD);
            assertThat(check(limited).risks())
                    .hasSize(3)
                    .contains(all + append, all + replica)
                    .anySatisfy(risk -> assertThat(risk)
                            .startsWith(all + "did not say its appendfsync and cluster-require-full-coverage: NOPERM"));
            open(cluster.masters().getFirst().port(), USER, PASSWORD);

            RedisCluster.Node killed = cluster.masters().getLast();
            cluster.kill(killed);
            assertThat(check(uri(cluster.masters().getFirst().port())).risks())
                    .anySatisfy(risk -> assertThat(risk).startsWith("Redis at " + killed + " could not be checked: "));
        }
    }

    @Test
    void a_master_that_may_evict_metadata_is_an_obstacle_once_its_memory_is_bounded() {
        try (RedisCluster cluster = RedisCluster.startWithoutReplicas("--maxmemory-policy", "allkeys-lru")) {
            assertThat(check(cluster).obstacles()).isEmpty();

            RedisCluster.Node bounded = cluster.masters().getLast();
            bounded.ask("CONFIG", "SET", "maxmemory", "100mb");
            String evicts = "Redis at " + bounded
                    + " deletes metadata when its memory is full: maxmemory-policy is allkeys-lru and must be noeviction";
            assertThat(check(cluster).obstacles()).containsExactly(evicts);
            assertThatThrownBy(() -> open(bounded.port()))
                    .isInstanceOf(NamespaceException.class)
                    .hasMessage(evicts);
        }
    }

    @Test
    void an_older_version_is_an_obstacle_and_slots_without_a_master_are_a_risk() {
        try (RedisServer server = RedisServer.start("--cluster-enabled", "yes")) {
            assertThat(server.tell("CLUSTER ADDSLOTS "
                            + IntStream.range(0, 100)
                                    .mapToObj(Integer::toString)
                                    .collect(Collectors.joining(" "))))
                    .isEqualTo("+OK");

            assertThat(check(uri(server.port())).risks())
                    .contains(
                            "16284 of the cluster's 16384 slots have no master: what is in them cannot be read or written");
            assertThatThrownBy(() -> open(server.port()))
                    .isInstanceOf(NamespaceException.class)
                    .hasMessageMatching("Redis at 127.0.0.1:" + server.port()
                            + " is of version 6\\.\\d+\\.\\d+; 7.0 or later is needed");
        }
    }

    @Test
    void a_server_that_is_no_cluster_is_said_to_be_none() {
        try (RedisServer server = RedisServer.start()) {
            assertThatThrownBy(() -> open(server.port()))
                    .isInstanceOf(NamespaceException.class)
                    .hasMessage("Redis at redis://127.0.0.1:" + server.port()
                            + " is no cluster: it runs without cluster-enabled");
        }
    }
}
