package io.headgate.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.servers.RedisCluster.Node;
import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What other tests take for granted of the cluster that they run on. */
@Execution(ExecutionMode.CONCURRENT)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisClusterTest {
    private static final int SLOT = SlotHash.getSlot("{a}");

    @Test
    void eachSlotIsServedByOneMasterWhichRefersTheOthersClientsToItself() {
        try (RedisCluster cluster = RedisCluster.start()) { // not the shared one, on which others work meanwhile
            Node master = cluster.masterOf(SLOT);

            master.ask("SET", "{a}", "\u00ff\r\n");

            assertThat(master.ask("GET", "{a}")).isEqualTo("\u00ff\r\n");
            assertThat(cluster.masters()).hasSize(3).contains(master);
            assertThat(cluster.masters().stream().filter(node -> node != master))
                    .allSatisfy(other -> assertThatThrownBy(() -> other.ask("GET", "{a}"))
                            .isInstanceOf(RedisError.class)
                            .hasMessage("MOVED " + SLOT + " " + master));
            assertThat(cluster.masters())
                    .allSatisfy(each -> assertThat(cluster.replicasOf(each)).hasSize(1));
            assertThat(cluster.url()).startsWith("redis://127.0.0.1:").contains(master.toString());
            assertThat(cluster.usedMemoryBytes()).isGreaterThan(Long.parseLong(master.info("memory", "used_memory")));

            cluster.flush();

            assertThat(master.ask("DBSIZE")).isEqualTo(0L);
        }
    }

    @Test
    void aReplicaTakesOverFromAMasterThatIsKilledAndGivesBackWhatItWasGiven() {
        try (RedisCluster cluster = RedisCluster.start("--cluster-node-timeout", "4000")) {
            Node first = cluster.masterOf(SLOT);
            first.ask("SET", "{a}", "before");

            Node second = cluster.failOverByKilling(first);

            assertThat(second).isNotSameAs(first).isSameAs(cluster.masterOf(SLOT));
            assertThat(second.ask("GET", "{a}")).isEqualTo("before");
            assertThat(cluster.masters()).hasSize(3);
            second.ask("SET", "{a}", "after");

            cluster.startAgain(first);
            cluster.awaitSettled();

            assertThat(cluster.replicasOf(second)).containsExactly(first);
            assertThat(cluster.failOver(second)).isSameAs(first);
            assertThat(cluster.masterOf(SLOT)).isSameAs(first);
            assertThat(first.ask("GET", "{a}")).isEqualTo("after");
        }
    }

    @Test
    void aSlotMovesStepByStepToAMasterThatCameLaterAndStaysThereWhenThatIsKilled() {
        try (RedisCluster cluster = RedisCluster.startWithoutReplicas("--cluster-node-timeout", "30000")) {
            Node from = cluster.masterOf(SLOT);
            for (String key : List.of("{a}1", "{a}2", "{a}3")) {
                from.ask("SET", key, "value of " + key);
            }
            Node to = cluster.addMaster();
            assertThat(cluster.masters()).hasSize(4).contains(to);

            cluster.beginMove(SLOT, to);
            assertThat(cluster.moveKeys(SLOT, 2)).isEqualTo(2);

            assertThat(to.ask("CLUSTER", "COUNTKEYSINSLOT", Integer.toString(SLOT)))
                    .isEqualTo(2L);
            assertThatThrownBy(() -> from.ask("GET", "{a}0")).hasMessage("ASK " + SLOT + " " + to);
            assertThatThrownBy(() -> cluster.finishMove(SLOT)).isInstanceOf(IllegalStateException.class);
            assertThat(cluster.masterOf(SLOT)).isSameAs(from);

            assertThat(cluster.moveKeys(SLOT, 2)).isEqualTo(1);
            assertThat(cluster.moveKeys(SLOT, 2)).isZero();
            cluster.finishMove(SLOT);

            assertThat(cluster.masterOf(SLOT)).isSameAs(to);
            assertThat(to.ask("GET", "{a}1")).isEqualTo("value of {a}1");
            assertThatThrownBy(() -> from.ask("GET", "{a}1")).hasMessage("MOVED " + SLOT + " " + to);

            // the append-only file is with the system once a write is answered, which a kill of the process leaves
            // alone
            cluster.kill(to);
            assertThat(to.running()).isFalse();
            cluster.startAgain(to);
            cluster.awaitSettled();
            assertThat(cluster.masterOf(SLOT)).isSameAs(to);
            assertThat(to.ask("GET", "{a}3")).isEqualTo("value of {a}3");
        }
    }

    @Test
    void aMasterThatHangsIsHeldForFailedUntilItGoesOn() {
        try (RedisCluster cluster = RedisCluster.startWithoutReplicas("--cluster-node-timeout", "1000")) {
            Node master = cluster.masterOf(SLOT);
            String library = "#!lua name=one\nredis.register_function('one', function() return 1 end)";
            assertThat(master.ask("FUNCTION", "LOAD", library)).isEqualTo("one");

            cluster.pause(master);
            cluster.awaitSettled();
            assertThat(cluster.masters()).hasSize(2).doesNotContain(master);

            cluster.resume(master);
            cluster.awaitSettled();
            assertThat(cluster.masters()).hasSize(3);
            assertThat(master.ask("FCALL", "one", "0")).isEqualTo(1L);

            cluster.flushFunctions();
            assertThatThrownBy(() -> master.ask("FCALL", "one", "0")).hasMessage("ERR Function not found");
        }
    }
}
