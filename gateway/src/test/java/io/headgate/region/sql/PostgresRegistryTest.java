package io.headgate.region.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.domain.BucketName;
import io.headgate.namespace.cache.Wire;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.region.Claim;
import io.headgate.region.Registry;
import io.headgate.region.RegistryContract;
import io.headgate.region.RegistryEntry;
import io.headgate.region.RegistryException;
import io.headgate.servers.PostgresServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class PostgresRegistryTest {
    private static final RegistryEntry PHOTOS = new RegistryEntry(
            new BucketName("photos"), "alice", "north", Instant.EPOCH, "claim-1", RegistryEntry.State.CLAIMED);

    @TempDir
    Path directory;

    private static PostgresRegistryOptions options(int port, String database) {
        return PostgresRegistryOptions.defaults("127.0.0.1:" + port, database, "postgres");
    }

    private static PostgresRegistryOptions fresh() {
        return options(PostgresServer.port(), PostgresServer.freshDatabase());
    }

    @Nested
    final class OfAnyEngine extends RegistryContract {
        /** Of all tests, which do not meet. */
        private static final PostgresRegistryOptions DATABASE = fresh();

        @Override
        protected Registry open() {
            return SqlRegistry.postgres(DATABASE);
        }
    }

    @Test
    void gateways_that_start_at_once_make_one_registry() throws Exception {
        PostgresRegistryOptions database = fresh();
        List<Callable<Claim>> starts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            RegistryEntry claim = new RegistryEntry(
                    PHOTOS.name(), "alice", "north", Instant.EPOCH, "claim-" + i, RegistryEntry.State.CLAIMED);
            starts.add(() -> {
                try (Registry registry = SqlRegistry.postgres(database)) {
                    return registry.claim(claim);
                }
            });
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Claim> claims = new ArrayList<>();
            for (Future<Claim> claim : threads.invokeAll(starts)) {
                claims.add(claim.get());
            }
            assertThat(claims).filteredOn(claim -> claim instanceof Claim.Made).hasSize(1);
        }
    }

    @Test
    void it_may_share_the_database_of_a_namespace() {
        PostgresRegistryOptions database = fresh();
        PostgresOptions same = PostgresOptions.defaults(database.hosts(), database.database(), database.user());
        try (Registry registry = SqlRegistry.postgres(database);
                PostgresNamespace namespace = PostgresNamespace.open(same, InstantSource.system())) {
            assertThat(registry.claim(PHOTOS)).isEqualTo(new Claim.Made());
            assertThat(namespace.bucket(PHOTOS.name())).isEmpty();
        }
        try (Registry registry = SqlRegistry.postgres(database)) {
            assertThat(registry.find(PHOTOS.name())).contains(PHOTOS);
        }
    }

    @Test
    void a_registry_of_a_newer_version_is_refused() throws Exception {
        PostgresRegistryOptions database = fresh();
        SqlRegistry.postgres(database).close();
        try (Connection connection = PostgresServer.connect(PostgresServer.port(), database.database());
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE registry_schema SET version = 9");
        }

        assertThatThrownBy(() -> SqlRegistry.postgres(database))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("newer Headgate")
                .hasMessageContaining("version 9");
    }

    @Test
    void one_that_cannot_be_reached_is_looked_at_when_it_can() throws Exception {
        PostgresRegistryOptions database = fresh();
        SqlRegistry.postgres(database).close();
        try (Wire wire = Wire.to(PostgresServer.port())) {
            wire.cut();
            try (Registry registry = SqlRegistry.postgres(options(wire.port(), database.database()))) {
                assertThatThrownBy(() -> registry.find(PHOTOS.name())).isInstanceOf(RegistryException.class);
                try (Connection connection = PostgresServer.connect(PostgresServer.port(), database.database());
                        Statement statement = connection.createStatement()) {
                    statement.execute("UPDATE registry_schema SET version = 9");
                    wire.restore();
                    await().atMost(Duration.ofSeconds(60))
                            .untilAsserted(() -> assertThatThrownBy(() -> registry.claim(PHOTOS))
                                    .isInstanceOf(RegistryException.class)
                                    .hasMessageContaining("newer Headgate"));
                    statement.execute("UPDATE registry_schema SET version = 1");
                }
                await().atMost(Duration.ofSeconds(60))
                        .ignoreExceptions()
                        .untilAsserted(() -> assertThat(registry.claim(PHOTOS)).isEqualTo(new Claim.Made()));
            }
        }
    }

    @Test
    void pages_are_read_by_the_indexes() throws Exception {
        PostgresRegistryOptions database = fresh();
        try (Registry registry = SqlRegistry.postgres(database);
                Connection connection = PostgresServer.connect(PostgresServer.port(), database.database());
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO registry_bucket SELECT 'bucket' || i, 'owner' || i % 100, 'r' || i % 3, 0, 'c', 1"
                            + " FROM generate_series(1, 20000) i");
            statement.execute("ANALYZE registry_bucket");
            assertThat(registry.ofOwner("owner7", "", "", 5)).hasSize(5);
            assertThat(plan(statement, "owner = 'owner7' AND live = 1 AND name > 'bucket5' ORDER BY name LIMIT 5"))
                    .contains("registry_bucket_owner")
                    .doesNotContain("Sort");
            assertThat(plan(statement, "region = 'r1' AND name > 'bucket5' ORDER BY name LIMIT 5"))
                    .doesNotContain("Sort");
        }
    }

    private static String plan(Statement statement, String where) throws Exception {
        StringBuilder plan = new StringBuilder();
        try (ResultSet rows = statement.executeQuery("EXPLAIN SELECT * FROM registry_bucket WHERE " + where)) {
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }

    @Test
    void it_fails_while_the_database_is_down_and_comes_back_by_itself() throws Exception {
        int port = freePort();
        EmbeddedPostgres server = server(port);
        PostgresRegistryOptions database = options(port, "postgres")
                .withTimeouts(Duration.ofSeconds(20), Duration.ofMillis(500), Duration.ofSeconds(5));
        try (Registry registry = SqlRegistry.postgres(database)) {
            registry.claim(PHOTOS);
            server.close();
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(() -> registry.find(PHOTOS.name())).isInstanceOf(RegistryException.class);
                assertThatThrownBy(() -> registry.confirm(PHOTOS.name(), PHOTOS.claimId()))
                        .isInstanceOf(RegistryException.class);
            }

            server = server(port);
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptions()
                    .untilAsserted(
                            () -> assertThat(registry.find(PHOTOS.name())).contains(PHOTOS));
            assertThat(registry.confirm(PHOTOS.name(), PHOTOS.claimId())).isTrue();
        } finally {
            server.close();
        }
    }

    /** Connections that were idle have broken; nobody need hear of it. */
    @Test
    void connections_that_the_server_has_ended_are_replaced() throws Exception {
        PostgresRegistryOptions database = fresh();
        try (Registry registry = SqlRegistry.postgres(database);
                Connection connection = PostgresServer.connect(PostgresServer.port(), database.database());
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 5; i++) {
                registry.claim(PHOTOS);
                statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND application_name = 'headgate registry'");
                assertThat(registry.find(PHOTOS.name())).contains(PHOTOS);
            }
        }
    }

    @Test
    void a_password_is_not_told() {
        assertThat(options(5432, "headgate").withPassword("s3cret").toString()).doesNotContain("s3cret");
    }

    private EmbeddedPostgres server(int port) throws IOException {
        System.setProperty("org.slf4j.simpleLogger.log.io.zonky", "warn");
        return EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("pg"))
                .setCleanDataDirectory(false)
                .setPort(port)
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
