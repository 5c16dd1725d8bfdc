package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.servers.RedisCluster;
import io.headgate.servers.RedisCluster.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A master is killed whose replica has not heard of its last writes. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisDurabilityTest {
    private static final BucketName BUCKET = new BucketName("photos");

    @Test
    void a_write_that_waits_for_a_replica_outlives_its_master_and_one_that_does_not_may_not() throws Exception {
        try (RedisCluster cluster = RedisCluster.start("--cluster-node-timeout", "4000");
                RedisNamespace careful = open(Writers.options(cluster, Duration.ofSeconds(90)));
                RedisNamespace careless =
                        open(Writers.options(cluster, Duration.ofSeconds(90)).withReplicas(0));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            careful.createBucket(new Bucket(BUCKET, "alice", "", Instant.now()));
            put(careful, "before");
            put(careless, "before, carelessly");
            cluster.awaitSettled();
            int slot = Writers.rangeSlots(cluster).getFirst();
            Node master = cluster.masterOf(slot);
            Node replica = cluster.replicasOf(master).getFirst();

            cluster.pause(replica);
            master.ask("CLIENT", "KILL", "TYPE", "replica"); // what is written now does not get into its buffers
            put(careless, "lost");
            Future<?> waiting = threads.submit(() -> put(careful, "kept"));
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> knows(careless, "kept"));
            assertThat(waiting).isNotDone();

            cluster.kill(master);
            cluster.resume(replica);
            assertThat(cluster.masterOf(slot)).isEqualTo(replica);
            assertThat(waiting).isNotDone();
            cluster.startAgain(master); // as the replica that writes wait for
            waiting.get();

            assertThat(knows(careful, "kept")).isTrue();
            assertThat(knows(careful, "before")).isTrue();
            assertThat(knows(careful, "before, carelessly")).isTrue();
            assertThat(knows(careful, "lost")).isFalse();
        }
    }

    private static RedisNamespace open(RedisOptions options) {
        return RedisNamespace.open(options, InstantSource.system(), RandomGenerator.of("Random"));
    }

    private static void put(RedisNamespace namespace, String key) {
        assertThat(namespace.putObject(Writers.emptyPut(BUCKET, key))).isInstanceOf(Outcome.Done.class);
    }

    private static boolean knows(RedisNamespace namespace, String key) {
        return switch (namespace.currentVersion(BUCKET, new ObjectKey(key))) {
            case Outcome.Done<ObjectVersion> _ -> true;
            case Outcome.Refused<ObjectVersion>(Refusal reason, String _) -> {
                assertThat(reason).isEqualTo(Refusal.NO_SUCH_KEY);
                yield false;
            }
        };
    }
}
