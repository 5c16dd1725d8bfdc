package io.headgate.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.app.config.HeadgateConfig.PeerTls;
import io.headgate.app.config.HeadgateConfig.RegionConfig;
import io.headgate.app.config.HeadgateConfig.RegionsConfig;
import io.headgate.app.config.HeadgateConfig.RegistryPlace;
import io.headgate.app.config.HeadgateConfig.WrongRegion;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RegionsReaderTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();

    private HeadgateConfig load(String yaml) throws Exception {
        Path file = directory.resolve("headgate.yaml");
        Files.writeString(file, yaml);
        return ConfigLoader.load(Optional.of(file), environment, List.of());
    }

    private RegionsConfig regions(String yaml) throws Exception {
        return load(yaml).regions().orElseThrow();
    }

    private AbstractThrowableAssert<?, ?> assertError(String yaml) {
        return assertThatThrownBy(() -> load(yaml)).isInstanceOf(ConfigException.class);
    }

    @Test
    void there_is_one_region_unless_more_are_named() throws Exception {
        assertThat(load("region: eu-west-1\n").regions()).isEmpty();
    }

    @Test
    void each_region_has_a_name_gateways_and_a_secret() throws Exception {
        RegionsConfig regions = regions("""
                region: eu-west-1
                regions:
                  - {name: eu-west-1}
                  - {name: us-east-1, gateways: "http://10.0.0.1:9002, http://10.0.0.2:9002", endpoint: "https://us.example.com"}
                  - {name: ap-south-1, gateways: "http://10.2.0.1:9002", secret: %s}
                peers: {listen: "10.1.0.1:9002", secret: %s}
                """.formatted(SECRET.repeat(2), SECRET));

        assertThat(regions.listen()).isEqualTo(new HostPort("10.1.0.1", 9002));
        assertThat(regions.wrongRegion()).isEqualTo(WrongRegion.FORWARD);
        assertThat(regions.tls()).isEmpty();
        assertThat(regions.regions())
                .extracting(RegionConfig::name)
                .containsExactly("eu-west-1", "us-east-1", "ap-south-1");
        RegionConfig us = regions.regions().get(1);
        assertThat(us.gateways())
                .containsExactly(URI.create("http://10.0.0.1:9002"), URI.create("http://10.0.0.2:9002"));
        assertThat(us.endpoint()).contains(URI.create("https://us.example.com"));
        assertThat(us.secret().orElseThrow().reveal()).isEqualTo(SECRET);
        assertThat(regions.regions().get(2).secret().orElseThrow().reveal()).isEqualTo(SECRET.repeat(2));
    }

    @Test
    void the_environment_names_regions_too() throws Exception {
        environment.put("HEADGATE_REGIONS", "[{\"name\": \"us-east-1\"}]");
        environment.put("HEADGATE_PEERS_SECRET", SECRET);

        assertThat(regions("").regions()).extracting(RegionConfig::name).containsExactly("us-east-1");
        assertThat(ConfigLoader.unknownVariables(environment)).isEmpty();
    }

    @Test
    void the_registry_is_a_file_a_database_or_redis() throws Exception {
        String yaml = "regions: [{name: us-east-1}]\ndata_dir: /srv/headgate\n";

        assertThat(regions(yaml).registry()).isEqualTo(new RegistryPlace.File(Path.of("/srv/headgate/registry.db")));
        assertThat(regions(yaml + "registry: {url: \"file:/srv/names.db\"}\n").registry())
                .isEqualTo(new RegistryPlace.File(Path.of("/srv/names.db")));
        assertThat(regions(yaml + "registry: {url: \"postgresql://u:p@db:5432/names\"}\n")
                        .registry())
                .isInstanceOf(RegistryPlace.Database.class);
        assertThat(regions(yaml + "registry: {url: \"redis://a:6379,b:6379\"}\n")
                        .registry())
                .isInstanceOf(RegistryPlace.Redis.class);
        assertError(yaml + "registry: {url: \"mysql://db/names\"}\n")
                .hasMessageContaining("registry.url")
                .hasMessageContaining("is no postgresql://, redis:// or file: URL");
    }

    @Test
    void tls_needs_a_certificate_a_key_and_an_authority() throws Exception {
        String yaml = """
                regions:
                  - {name: us-east-1}
                  - {name: eu-west-1, gateways: "%s://10.0.0.1:9002"}
                """;
        String tls = "peers: {secret: " + SECRET + ", certificate: /c.pem, key: /k.pem, ca: /ca.pem}\n";

        assertThat(regions(yaml.formatted("https") + tls).tls())
                .contains(new PeerTls(Path.of("/c.pem"), Path.of("/k.pem"), Path.of("/ca.pem")));
        assertError(yaml.formatted("http") + tls).hasMessageContaining("does not begin with https://");
        assertError(yaml.formatted("https") + "peers: {secret: " + SECRET + "}\n")
                .hasMessageContaining("for which peers.certificate is needed");
        assertError(yaml.formatted("https") + "peers: {secret: " + SECRET + ", certificate: /c.pem}\n")
                .hasMessageContaining("all or none of the keys certificate, key and ca");
    }

    @Test
    void what_does_not_fit_together_is_an_error() {
        assertError("regions: [{name: eu-west-1, secret: " + SECRET + "}]\n")
                .hasMessageContaining("\"us-east-1\" is not among regions");
        assertError("regions: [{name: us-east-1}, {name: us-east-1}]\n").hasMessageContaining("is taken by");
        assertError("regions: [{name: us-east-1}, {name: eu-west-1}]\n")
                .hasMessageContaining("is missing, and so is peers.secret");
        assertError("peers: {secret: " + SECRET + "}\n").hasMessageContaining("is set without regions");
        assertError("regions: [{name: us-east-1}]\npeers: {secret: short}\n").hasMessageContaining("characters");
        assertError("regions: [{name: us-east-1}, {name: e, gateways: \"http://h:1/path\", secret: " + SECRET + "}]\n")
                .hasMessageContaining("has a URL with a path");
    }

    @Test
    void to_redirect_every_region_needs_an_endpoint() throws Exception {
        String yaml = "peers: {secret: " + SECRET + ", wrong_region: redirect}\nregions:\n  - {name: us-east-1}\n";

        assertError(yaml + "  - {name: eu-west-1}\n")
                .hasMessageContaining("is needed for peers.wrong_region: redirect");
        assertThat(regions(yaml + "  - {name: eu-west-1, endpoint: \"https://eu.example.com\"}\n")
                        .wrongRegion())
                .isEqualTo(WrongRegion.REDIRECT);
    }
}
