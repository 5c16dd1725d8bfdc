package io.headgate.namespace.redis;

import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceModelTest;
import io.headgate.servers.RedisCluster;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** The engine on a Redis Cluster against the model, while the ranges of its buckets are split, moved and joined. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisNamespaceModelTest extends NamespaceModelTest {
    private final RandomGenerator random = RandomGenerator.of("Random");

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
    protected void afterStep(Namespace engine) {
        if (random.nextInt(3) == 0) {
            new RandomMoves((RedisNamespace) engine, clock, random).once();
        }
    }

    @Override
    protected void checkInside() {
        // what is kept is compared with what the model keeps by its answers only
    }
}
