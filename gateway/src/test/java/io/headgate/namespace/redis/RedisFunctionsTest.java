package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import io.headgate.servers.RedisCluster;
import io.headgate.servers.RedisCluster.Node;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Masters have the functions that gateways call, and none that nobody calls any more. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RedisFunctionsTest {
    private static final RedisCluster CLUSTER = RedisCluster.shared();
    private static final Bucket BUCKET =
            new Bucket(new BucketName("photos"), "alice", "", Instant.ofEpochSecond(1_700_000_000));

    @BeforeEach
    void flush() {
        CLUSTER.flush();
    }

    @Test
    void a_gateway_that_starts_gives_the_functions_to_all_masters_and_removes_those_of_other_versions() {
        CLUSTER.flushFunctions();
        String other = "headgate_000000000000";
        for (Node master : CLUSTER.masters()) {
            load(master, other);
            load(master, "somebodys");
        }

        try (Namespace namespace = RedisNamespaceTest.openCluster(InstantSource.system())) {
            assertThat(CLUSTER.masters())
                    .allSatisfy(master -> assertThat(libraries(master))
                            .contains("somebodys", Library.NAME)
                            .doesNotContain(other));

            namespace.createBucket(BUCKET);

            assertThat(namespace.bucket(BUCKET.name())).contains(BUCKET);
        }
    }

    @Test
    void a_gateway_whose_functions_another_version_removed_loads_them_again() {
        try (Namespace namespace = RedisNamespaceTest.openCluster(InstantSource.system())) {
            namespace.createBucket(BUCKET);
            CLUSTER.masters().forEach(master -> master.ask("FUNCTION", "DELETE", Library.NAME));

            assertThat(namespace.bucket(BUCKET.name())).contains(BUCKET);
        }
    }

    private static void load(Node master, String library) {
        master.ask(
                "FUNCTION",
                "LOAD",
                "#!lua name=" + library + "\nredis.register_function('" + library + "', function() return 1 end)");
    }

    private static Set<String> libraries(Node master) {
        Set<String> names = new TreeSet<>();
        if (master.ask("FUNCTION", "LIST") instanceof List<?> libraries) {
            libraries.forEach(library -> names.add(String.valueOf(((List<?>) library).get(1))));
        }
        return names;
    }
}
