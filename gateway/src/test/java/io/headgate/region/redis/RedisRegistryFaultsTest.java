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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** A cluster whose nodes fail. */
@Timeout(180)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisRegistryFaultsTest {
    private static final int SLOT = SlotHash.getSlot("{headgate-registry}");

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
    void a_change_that_no_replica_has_is_not_acknowledged_and_one_that_has_been_is_not_lost_with_its_master() {
        try (RedisCluster cluster = RedisCluster.start();
                Registry registry = RedisRegistry.open(options(cluster))) {
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
