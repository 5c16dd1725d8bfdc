package io.headgate.region.redis;

import io.headgate.region.Registry;
import io.headgate.region.RegistryContract;
import io.headgate.servers.RedisCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** The slot of a cluster whose changes wait for a replica. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisClusterRegistryTest extends RegistryContract {
    @AfterEach
    void flush() {
        RedisCluster.shared().flush();
    }

    @Override
    protected Registry open() {
        return RedisRegistry.open(RedisRegistryFaultsTest.options(RedisCluster.shared()));
    }
}
