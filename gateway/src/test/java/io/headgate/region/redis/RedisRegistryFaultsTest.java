package io.headgate.region.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.BucketName;
import io.headgate.region.Claim;
import io.headgate.region.Registry;
import io.headgate.region.RegistryEntry;
import io.headgate.region.RegistryException;
import io.headgate.servers.RedisCluster;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** A cluster whose nodes fail. */
@Timeout(180)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisRegistryFaultsTest {
    private static final int SLOT = SlotHash.getSlot("{headgate-registry}");

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    static RedisRegistryOptions options(RedisCluster cluster) {
        return new RedisRegistryOptions(
                cluster.masters().stream()
                        .map(node -> new RedisRegistryOptions.Node("127.0.0.1", node.port()))
                        .toList(),
                false,
                null,
                null,
                Duration.ofSeconds(60),
                Duration.ofSeconds(1));
    }

    private static RegistryEntry claim(String name) {
        return new RegistryEntry(
                new BucketName(name), "alice", "north", Instant.EPOCH, "claim-1", RegistryEntry.State.CLAIMED);
    }

    @Test
    void a_change_waits_while_the_slot_goes_to_another_node() throws Exception {
        try (Registry registry = RedisRegistry.open(options(cluster));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            RedisCluster.Node from = cluster.masterOf(SLOT);
            RedisCluster.Node to = cluster.masters().stream()
                    .filter(node -> node != from)
                    .findFirst()
                    .orElseThrow();
            RegistryEntry first = claim("first-of-the-move");
            RegistryEntry second = claim("second-of-the-move");
            registry.claim(first);

            cluster.beginMove(SLOT, to);
            while (cluster.moveKeys(SLOT, 1) > 0) {
                // one after the other
            }
            Future<Claim> waiting = threads.submit(() -> registry.claim(second));
            cluster.finishMove(SLOT);

            assertThat(waiting.get()).isEqualTo(new Claim.Made());
            assertThat(registry.find(first.name())).contains(first);
            assertThat(registry.find(second.name())).contains(second);
        }
    }

    @Test
    void a_change_that_no_replica_has_is_not_acknowledged_and_one_that_has_been_is_not_lost_with_its_master() {
        try (Registry registry = RedisRegistry.open(options(cluster))) {
            RedisCluster.Node master = cluster.masterOf(SLOT);
            RedisCluster.Node replica = cluster.replicasOf(master).getFirst();
            cluster.pause(replica);
            RegistryEntry first = claim("first");
            assertThatThrownBy(() -> registry.claim(first))
                    .isInstanceOf(RegistryException.class)
                    .hasMessageContaining("no replica");

            cluster.resume(replica);
            assertThat(registry.claim(first)).as("sent again").isEqualTo(new Claim.Made());
            cluster.failOverByKilling(master);

            assertThat(registry.find(first.name())).contains(first);
            assertThat(registry.confirm(first.name(), first.claimId())).isTrue();
            assertThat(registry.claim(claim("second"))).isEqualTo(new Claim.Made());
        }
    }
}
