package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.app.config.ConfigLoader;
import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HeadgateConfig.Credentials;
import io.headgate.app.config.Secret;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DataDirectoryTest {
    @TempDir
    private Path parent;

    private final Random random = new Random(1);

    private Path directory() {
        return parent.resolve("made/here");
    }

    private static HeadgateConfig config(Map<String, String> environment) throws Exception {
        return ConfigLoader.load(Optional.empty(), environment, List.of());
    }

    @Test
    void root_credentials_are_made_once_and_kept_private() throws Exception {
        DataDirectory.Root made;
        try (DataDirectory data = DataDirectory.open(directory())) {
            made = data.rootCredentials(config(Map.of()), random);
        }
        try (DataDirectory data = DataDirectory.open(directory())) {
            DataDirectory.Root kept = data.rootCredentials(config(Map.of()), random);

            assertThat(made.made()).isTrue();
            assertThat(kept).isEqualTo(new DataDirectory.Root(made.credentials(), false));
            assertThat(made.credentials().accessKey()).matches("[A-Z]{20}");
            assertThat(made.credentials().secretKey().reveal()).matches("[A-Za-z0-9]{40}");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.rootCredentialsFile())))
                    .isEqualTo("rw-------");
            assertThat(directory()).isDirectoryNotContaining("glob:**.new");
        }
    }

    @Test
    void configured_credentials_and_token_are_taken_and_nothing_is_written() throws Exception {
        Map<String, String> environment = Map.of(
                "HEADGATE_ROOT_ACCESS_KEY", "ROOT",
                "HEADGATE_ROOT_SECRET_KEY", "root-secret",
                "HEADGATE_ADMIN_TOKEN", "a-token-of-sixteen-or-more");
        try (DataDirectory data = DataDirectory.open(directory())) {
            assertThat(data.rootCredentials(config(environment), random))
                    .isEqualTo(new DataDirectory.Root(new Credentials("ROOT", new Secret("root-secret")), false));
            assertThat(data.adminToken(config(environment), random))
                    .isEqualTo(new Secret("a-token-of-sixteen-or-more"));
            assertThat(directory()).isDirectoryNotContaining("glob:**/{root-credentials,admin-token}");
        }
    }

    @Test
    void the_admin_token_is_made_once_and_kept_private() throws Exception {
        try (DataDirectory data = DataDirectory.open(directory())) {
            Secret made = data.adminToken(config(Map.of()), random);

            assertThat(made.reveal()).matches("[A-Za-z0-9_-]{43}");
            assertThat(data.adminToken(config(Map.of()), random)).isEqualTo(made);
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(DataDirectory.adminTokenFile(directory()))))
                    .isEqualTo("rw-------");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw----r--", "rw-r-----", "rw--w----", "rw-rw-rw-"})
    void a_secret_that_others_can_read_or_change_is_refused(String permissions) throws Exception {
        try (DataDirectory data = DataDirectory.open(directory())) {
            data.rootCredentials(config(Map.of()), random);
            Files.setPosixFilePermissions(data.rootCredentialsFile(), PosixFilePermissions.fromString(permissions));

            assertThatThrownBy(() -> data.rootCredentials(config(Map.of()), random))
                    .isInstanceOf(StartException.class)
                    .hasMessage(data.rootCredentialsFile() + " can be read or changed by others than its owner (it has "
                            + permissions + "): make it private with chmod 600");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "access_key=A\n", "secret_key=A\naccess_key=B\n", "access_key=A\nsecret_key=B\nmore=C\n"})
    void credentials_that_make_no_sense_are_refused_without_being_shown(String text) throws Exception {
        try (DataDirectory data = DataDirectory.open(directory())) {
            data.rootCredentials(config(Map.of()), random);
            Files.writeString(data.rootCredentialsFile(), text);

            assertThatThrownBy(() -> data.rootCredentials(config(Map.of()), random))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("does not hold a line access_key=...");
        }
    }

    @Test
    void one_directory_serves_one_gateway_at_a_time() throws Exception {
        try (DataDirectory held = DataDirectory.open(directory())) {
            assertThatThrownBy(() -> DataDirectory.open(directory()))
                    .isInstanceOf(StartException.class)
                    .hasMessage("another headgate holds the data directory " + held.path());
        }
        DataDirectory.open(directory()).close();
    }

    @Test
    void a_directory_that_cannot_be_made_or_written_is_an_error_in_a_line() throws Exception {
        Path file = Files.createFile(parent.resolve("file"));
        assertThatThrownBy(() -> DataDirectory.open(file))
                .isInstanceOf(StartException.class)
                .hasMessage("the data directory " + file + " is a file");
        assertThatThrownBy(() -> DataDirectory.open(file.resolve("below")))
                .isInstanceOf(StartException.class)
                .hasMessageStartingWith("the data directory " + file.resolve("below") + " cannot be made");
        Files.createDirectories(parent.resolve("taken/lock"));
        assertThatThrownBy(() -> DataDirectory.open(parent.resolve("taken")))
                .isInstanceOf(StartException.class)
                .hasMessageStartingWith("the data directory " + parent.resolve("taken") + " cannot be written");
    }
}
