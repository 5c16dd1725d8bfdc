package io.headgate.namespace.redis;

import io.headgate.namespace.AddedAccountContract;
import io.headgate.namespace.AuditContract;
import io.headgate.namespace.BucketContract;
import io.headgate.namespace.GarbageContract;
import io.headgate.namespace.ListingContract;
import io.headgate.namespace.MoveContract;
import io.headgate.namespace.MultipartContract;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceSuite;
import io.headgate.namespace.ObjectContract;
import io.headgate.namespace.ObjectVersion;
import io.headgate.servers.RedisCluster;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** The contracts, kept by the engine on a Redis Cluster. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisNamespaceTest {
    private static final RedisCluster CLUSTER = RedisCluster.shared();

    @BeforeEach
    void flush() {
        CLUSTER.flush();
    }

    static Namespace openCluster(InstantSource clock) {
        return RedisNamespace.open(options(), clock, RandomGenerator.of("Random"));
    }

    static RedisOptions options() {
        List<RedisOptions.Node> nodes = CLUSTER.masters().stream()
                .map(node -> new RedisOptions.Node("127.0.0.1", node.port()))
                .toList();
        return new RedisOptions(nodes, false, null, null, Duration.ofSeconds(30), NamespaceSuite.MIN_PART_BYTES);
    }

    @Nested
    final class OfBuckets extends BucketContract {
        @Override
        protected Namespace open() {
            return openCluster(clock);
        }
    }

    @Nested
    final class OfObjects extends ObjectContract {
        @Override
        protected Namespace open() {
            return openCluster(clock);
        }
    }

    @Nested
    final class OfListings extends ListingContract {
        @Override
        protected Namespace open() {
            return openCluster(clock);
        }
    }

    @Nested
    final class OfMultipart extends MultipartContract {
        @Override
        protected Namespace open() {
            return openCluster(clock);
        }
    }

    @Nested
    final class OfGarbage extends GarbageContract {
        @Override
        protected Namespace open() {
            return openCluster(clock);
        }
    }

    @Nested
    final class OfMoves extends MoveContract {
        @Override
        protected Namespace open() {
            return openCluster(clock);
        }
    }

    @Nested
    final class OfAudits extends AuditContract {
        @Override
        protected Namespace open() {
            return openCluster(clock);
        }

        @Override
        protected void miscount(ObjectVersion version, int more) {
            try (Damage damage = new Damage(options(), clock)) {
                damage.miscount(version, more);
            }
        }
    }

    @Nested
    final class OfAddedAccounts extends AddedAccountContract {
        @Override
        protected Namespace open() {
            return openCluster(clock);
        }
    }
}
