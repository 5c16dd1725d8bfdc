package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.app.config.ConfigLoader;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway whose namespace is in PostgreSQL. */
final class PostgresGatewayTest {
    private static final Pattern ADMIN = Pattern.compile("admin on (http://127.0.0.1:\\d+)");

    @TempDir
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();

    /** A configuration of environment variables alone, which leaves nothing to the data directory. */
    private void configure(String url) {
        environment.put("HEADGATE_NAMESPACE_ENGINE", "postgres");
        environment.put("HEADGATE_NAMESPACE_URL", url);
        environment.put("HEADGATE_NAMESPACE_CONNECT_TIMEOUT", "500ms");
        environment.put("HEADGATE_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_DATA_DIR", directory.resolve("data").toString());
        environment.put("HEADGATE_ROOT_ACCESS_KEY", "root");
        environment.put("HEADGATE_ROOT_SECRET_KEY", "root-secret");
        environment.put("HEADGATE_ADMIN_TOKEN", "0123456789abcdef");
        environment.put("HEADGATE_ACCESS_LOG_DESTINATION", "off");
        environment.put(
                "STORAGE_SHARDS",
                "[{\"name\": \"disk-1\", \"type\": \"local\", \"path\": \"" + directory.resolve("disk-1") + "\"}]");
    }

    private Serve start() throws Exception {
        return Serve.start(ConfigLoader.load(Optional.empty(), environment, List.of()));
    }

    private static String get(String url) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    @Test
    void it_serves_and_says_so_without_a_data_directory() throws Exception {
        PostgresOptions database = Postgres.fresh();
        configure("postgresql://postgres:any@" + database.hosts() + "/" + database.database());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Serve serve = start()) {
            serve.announce(new PrintStream(out, true, StandardCharsets.UTF_8));
            Matcher admin = ADMIN.matcher(out.toString(StandardCharsets.UTF_8));
            assertThat(admin.find()).isTrue();

            assertThat(get(admin.group(1) + "/readyz")).contains("\"ready\":true");
            assertThat(get(admin.group(1) + "/metrics"))
                    .contains("headgate_namespace_call_seconds_count{call=\"ping\"}");
        }
        assertThat(directory.resolve("data")).doesNotExist();
    }

    @Test
    void it_does_not_start_without_its_database_and_says_why_without_the_password() {
        configure("postgresql://headgate:hush-hush@127.0.0.1:1/meta");

        assertThatThrownBy(this::start)
                .isInstanceOf(StartException.class)
                .hasMessageStartingWith("the namespace's database cannot be reached: ")
                .hasMessageContaining("127.0.0.1:1")
                .hasMessageNotContaining("hush");
    }

    @Test
    void a_host_of_its_database_that_is_not_known_is_named() {
        configure("postgresql://headgate:hush-hush@no-such-host.invalid/meta");

        assertThatThrownBy(this::start)
                .isInstanceOf(StartException.class)
                .hasMessageContaining("(the host no-such-host.invalid is not known)")
                .hasMessageNotContaining("hush");
    }
}
