package io.headgate.namespace.redis;

import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketClaim;
import io.headgate.namespace.BucketContract;
import io.headgate.namespace.ListingContract;
import io.headgate.namespace.MultipartContract;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceModelTest;
import io.headgate.namespace.ObjectContract;
import io.headgate.servers.RedisCluster;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** A client cannot tell a bucket whose keys are hashed from any other. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class HashedBucketsTest {
    private static final int RANGES = 5;

    @BeforeEach
    void flush() {
        RedisCluster.shared().flush();
    }

    /** The engine, all of whose buckets are hashed. */
    private static Namespace openHashed(InstantSource clock) {
        Namespace engine = RedisNamespaceTest.openCluster(clock);
        return (Namespace) Proxy.newProxyInstance(
                Namespace.class.getClassLoader(), new Class<?>[] {Namespace.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("createBucket")) {
                        BucketClaim claim = engine.createHashedBucket((Bucket) arguments[0], RANGES);
                        return claim;
                    }
                    try {
                        return method.invoke(engine, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @Nested
    final class OfBuckets extends BucketContract {
        @Override
        protected Namespace open() {
            return openHashed(clock);
        }
    }

    @Nested
    final class OfObjects extends ObjectContract {
        @Override
        protected Namespace open() {
            return openHashed(clock);
        }
    }

    @Nested
    final class OfListings extends ListingContract {
        @Override
        protected Namespace open() {
            return openHashed(clock);
        }
    }

    @Nested
    final class OfMultipart extends MultipartContract {
        @Override
        protected Namespace open() {
            return openHashed(clock);
        }
    }

    @Nested
    final class OfRandomOperations extends NamespaceModelTest {
        private final RandomGenerator random = RandomGenerator.of("Random");

        private RedisNamespace mover;

        OfRandomOperations() {
            super(800);
        }

        @Override
        protected Namespace open() {
            mover = (RedisNamespace) RedisNamespaceTest.openCluster(clock);
            return openHashed(clock);
        }

        @Override
        protected Namespace reopen() {
            return openHashed(clock);
        }

        @Override
        protected void afterStep(Namespace engine) {
            if (random.nextInt(5) == 0) {
                new RandomMoves(mover, clock, random).once();
            }
        }

        @AfterEach
        void closeMover() {
            mover.close();
        }

        @Override
        protected void checkInside() {
            // what is kept is compared with what the model keeps by its answers only
        }
    }
}
