package io.headgate.region.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.BucketName;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import io.headgate.region.Claim;
import io.headgate.region.Registry;
import io.headgate.region.RegistryContract;
import io.headgate.region.RegistryEntry;
import io.headgate.region.RegistryException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
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
import org.junit.jupiter.api.io.TempDir;

final class SqliteRegistryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RegistryEntry PHOTOS = new RegistryEntry(
            new BucketName("photos"), "alice", "north", Instant.EPOCH, "claim-1", RegistryEntry.State.CLAIMED);

    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("registry.db");
    }

    private void tell(Path database, String... statements) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Nested
    final class OfAnyEngine extends RegistryContract {
        @Override
        protected Registry open() {
            return SqlRegistry.sqlite(file(), PATIENCE);
        }
    }

    @Test
    void what_was_claimed_is_there_after_it_was_closed_and_for_nobody_else_to_read() throws Exception {
        try (Registry registry = SqlRegistry.sqlite(file(), PATIENCE)) {
            registry.claim(PHOTOS);
        }
        try (Registry registry = SqlRegistry.sqlite(file(), PATIENCE)) {
            assertThat(registry.find(PHOTOS.name())).contains(PHOTOS);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }

    @Test
    void gateways_that_start_at_once_make_one_registry() throws Exception {
        List<Callable<Claim>> starts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            RegistryEntry claim = new RegistryEntry(
                    PHOTOS.name(), "alice", "north", Instant.EPOCH, "claim-" + i, RegistryEntry.State.CLAIMED);
            starts.add(() -> {
                try (Registry registry = SqlRegistry.sqlite(file(), PATIENCE)) {
                    return registry.claim(claim);
                }
            });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Claim> claims = new ArrayList<>();
            for (Future<Claim> claim : threads.invokeAll(starts)) {
                claims.add(claim.get());
            }
            assertThat(claims).filteredOn(claim -> claim instanceof Claim.Made).hasSize(1);
        }
    }

    @Test
    void it_fails_while_another_process_holds_up_all_writers_and_goes_on_after_that() throws Exception {
        try (Registry registry = SqlRegistry.sqlite(file(), Duration.ofMillis(100));
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            assertThatThrownBy(() -> registry.claim(PHOTOS)).isInstanceOf(RegistryException.class);
            assertThat(registry.find(PHOTOS.name())).as("reads go on").isEmpty();

            statement.execute("COMMIT");
            assertThat(registry.claim(PHOTOS)).isEqualTo(new Claim.Made());
        }
    }

    @Test
    void a_registry_of_a_newer_version_is_refused_and_left_alone() throws Exception {
        SqlRegistry.sqlite(file(), PATIENCE).close();
        tell(file(), "UPDATE registry_schema SET version = 9");

        assertThatThrownBy(() -> SqlRegistry.sqlite(file(), PATIENCE))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("newer Headgate")
                .hasMessageContaining("version 9");
    }

    @Test
    void another_database_is_refused() throws Exception {
        Path namespace = directory.resolve("namespace.db");
        SqliteNamespace.open(namespace, InstantSource.system(), SqliteOptions.defaults())
                .close();

        assertThatThrownBy(() -> SqlRegistry.sqlite(namespace, PATIENCE))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("not a registry");
    }

    @Test
    void who_asks_after_the_end_is_told() {
        Registry registry = SqlRegistry.sqlite(file(), PATIENCE);
        registry.close();

        assertThatThrownBy(() -> registry.find(PHOTOS.name()))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("closed");
    }
}
