package io.headgate.namespace.redis;

import io.headgate.servers.RedisCluster;
import io.headgate.servers.RedisCluster.Node;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Clients write, overwrite and delete while slots move, masters hand over or die and functions are forgotten: they see nothing of it. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisFaultsTest {
    private final RedisCluster cluster = RedisCluster.start("--cluster-node-timeout", "8000");
    private final Writers writers = new Writers(cluster);

    @AfterEach
    void close() {
        writers.close();
        cluster.close();
    }

    @Test
    void an_operator_moves_the_slot_of_a_range_while_clients_write() throws Exception {
        int slot = Writers.rangeSlots(cluster).getFirst();
        writers.whileWriting(() -> {
            for (int round = 0; round < 2; round++) {
                Node from = cluster.masterOf(slot);
                Node to = cluster.masters().stream()
                        .filter(master -> !master.id().equals(from.id()))
                        .findFirst()
                        .orElseThrow();
                cluster.beginMove(slot, to);
                while (cluster.moveKeys(slot, 1) > 0) {
                    // one key at a time, so that scripts meet a slot in two places
                }
                cluster.finishMove(slot);
                writers.awaitWrites();
            }
        });
    }

    @Test
    void the_master_of_a_range_hands_over_while_clients_write() throws Exception {
        int slot = Writers.rangeSlots(cluster).getFirst();
        writers.whileWriting(() -> {
            cluster.failOver(cluster.masterOf(slot));
            writers.awaitWrites();
        });
    }

    @Test
    void the_master_of_a_range_is_killed_while_clients_write() throws Exception {
        int slot = Writers.rangeSlots(cluster).getFirst();
        writers.whileWriting(() -> {
            Node master = cluster.masterOf(slot);
            cluster.kill(master);
            cluster.masterOf(slot);
            cluster.startAgain(master); // as the replica that writes wait for
            writers.awaitWrites();
        });
    }

    @Test
    void functions_are_forgotten_while_clients_write() throws Exception {
        writers.whileWriting(() -> {
            for (int round = 0; round < 3; round++) {
                cluster.flushFunctions();
                writers.awaitWrites();
            }
        });
    }
}
