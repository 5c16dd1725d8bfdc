package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.namespace.FewKeys;
import io.headgate.servers.RedisCluster;
import io.headgate.servers.RedisCluster.Node;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Clients of three gateways write, copy and read a few keys while ranges are split, moved and joined, a slot goes from master to master, and
 * masters hand over to their replicas. Whatever they were told must be what one namespace could have told them.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisLinearizabilityTest {
    private static final int LEAST_OPERATIONS = 300;

    private final long seed = Long.getLong("headgate.test.seed", System.nanoTime());

    @Test
    void what_clients_of_three_gateways_see_is_what_one_namespace_would_show() throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        FewKeys keys;
        try (RedisCluster cluster = RedisCluster.start("--cluster-node-timeout", "8000");
                RedisNamespace first = open(cluster);
                RedisNamespace second = open(cluster);
                RedisNamespace third = open(cluster);
                RedisNamespace mover = open(cluster);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            keys = new FewKeys(List.of(first, second, third), true, random);
            int slot = Writers.rangeSlots(cluster).getFirst();
            keys.work(() -> {
                AtomicBoolean over = new AtomicBoolean();
                Future<?> moving = threads.submit(() -> {
                    RandomMoves moves = new RandomMoves(mover, InstantSource.system(), RandomGenerator.getDefault());
                    while (!over.get()) {
                        moves.once();
                    }
                });
                awaitOperations(keys);
                move(cluster, slot);
                awaitOperations(keys);
                cluster.failOver(cluster.masterOf(slot));
                awaitOperations(keys);
                move(cluster, slot);
                awaitOperations(keys);
                over.set(true);
                moving.get();
            });
        }
        assertThat(keys.violations()).as("seed %d", seed).isEmpty();
    }

    private static RedisNamespace open(RedisCluster cluster) {
        return RedisNamespace.open(
                Writers.options(cluster, Duration.ofSeconds(60)), InstantSource.system(), RandomGenerator.of("Random"));
    }

    private static void awaitOperations(FewKeys keys) {
        long before = keys.operations();
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> keys.operations() >= before + LEAST_OPERATIONS);
    }

    /** One key at a time, so that operations meet the slot in two places. */
    private static void move(RedisCluster cluster, int slot) {
        Node from = cluster.masterOf(slot);
        Stream<Node> others =
                cluster.masters().stream().filter(master -> !master.id().equals(from.id()));
        cluster.beginMove(slot, others.findFirst().orElseThrow());
        while (cluster.moveKeys(slot, 1) > 0) {
            // there are more
        }
        cluster.finishMove(slot);
    }
}
