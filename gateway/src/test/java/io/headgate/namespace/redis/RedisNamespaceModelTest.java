package io.headgate.namespace.redis;

import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceModelTest;
import io.headgate.servers.RedisCluster;

/** The engine on a Redis Cluster against the model. */
final class RedisNamespaceModelTest extends NamespaceModelTest {
    RedisNamespaceModelTest() {
        super(1_500);
    }

    @Override
    protected Namespace open() {
        RedisCluster.shared().flush();
        return RedisNamespaceTest.openCluster(clock);
    }

    @Override
    protected Namespace reopen() {
        return RedisNamespaceTest.openCluster(clock);
    }

    @Override
    protected void checkInside() {
        // what is kept is compared with what the model keeps by its answers only
    }
}
