package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.app.config.ConfigLoader;
import io.headgate.app.config.HostPort;
import io.headgate.cli.ExitCode;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MainTest {
    private static final Pattern READY =
            Pattern.compile("headgate ready: S3 on (http://127.0.0.1:(\\d+)), admin on (http://127.0.0.1:(\\d+))\n");

    @TempDir
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private ExitCode run(String... arguments) {
        return new Main(environment, print(out), print(err), directory.resolve("none.jar")).run(List.of(arguments));
    }

    private static PrintStream print(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private Path data() {
        return directory.resolve("data");
    }

    /** A gateway on free ports; every file of it is in the test's directory. */
    private Serve start() throws Exception {
        List<ConfigLoader.Flag> flags = new ArrayList<>();
        flags.add(new ConfigLoader.Flag("--data", "data_dir", data().toString()));
        flags.add(new ConfigLoader.Flag("--listen", "listen", "127.0.0.1:0"));
        flags.add(new ConfigLoader.Flag("--admin-listen", "admin_listen", "127.0.0.1:0"));
        Serve serve = Serve.start(ConfigLoader.load(Optional.empty(), environment, flags));
        serve.announce(print(out));
        return serve;
    }

    private String readyUrl(int group) {
        Matcher matcher = READY.matcher(out());
        assertThat(matcher.find()).as(out()).isTrue();
        return matcher.group(group);
    }

    private static HttpResponse<String> get(String url) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void a_gateway_without_configuration_serves_and_says_so_in_a_line() throws Exception {
        try (Serve serve = start()) {
            assertThat(serve).isNotNull();
            assertThat(out().lines().toList().getLast()).startsWith("headgate ready");
            assertThat(get(readyUrl(3) + "/readyz").body()).isEqualTo("{\"ready\":true,\"reasons\":[]}\n");
            assertThat(get(readyUrl(1) + "/").body()).contains("<Code>AccessDenied</Code>");
        }
        assertThat(Files.readAllLines(data().resolve("access.log")))
                .singleElement()
                .asString()
                .contains("\"operation\":\"ListBuckets\"", "\"status\":403", "\"error\":\"AccessDenied\"");
    }

    @Test
    void a_termination_signal_stops_the_process_in_order() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "serve",
                        "--data=" + data(),
                        "--listen=127.0.0.1:0",
                        "--admin-listen=127.0.0.1:0")
                .redirectError(directory.resolve("err").toFile())
                .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            while (line != null && !line.startsWith("headgate ready")) {
                line = lines.readLine();
            }
            assertThat(line).as("standard error: %s", directory.resolve("err")).isNotNull();
            process.destroy();

            assertThat(process.waitFor()).isEqualTo(ExitCode.OK.status());
        } finally {
            process.destroyForcibly();
        }
        assertThat(directory.resolve("err")).hasContent("");
        start().close();
    }

    @Test
    void root_credentials_are_printed_at_the_first_start_alone() throws Exception {
        start().close();
        List<String> kept = Files.readAllLines(data().resolve("root-credentials"));

        assertThat(out())
                .contains(
                        "  access key  " + kept.get(0).substring("access_key=".length()) + "\n",
                        "  secret key  " + kept.get(1).substring("secret_key=".length()) + "\n");
        out.reset();
        start().close();
        assertThat(out().lines()).singleElement().asString().startsWith("headgate ready");
    }

    @Test
    void requests_are_counted_in_the_metrics() throws Exception {
        try (Serve serve = start()) {
            assertThat(serve).isNotNull();
            get(readyUrl(1) + "/bucket/key");

            assertThat(get(readyUrl(3) + "/metrics").body())
                    .contains(
                            "headgate_requests_total{operation=\"GetObject\",status=\"4xx\"} 1.0",
                            "headgate_request_errors_total{code=\"NoSuchBucket\",operation=\"GetObject\"} 1.0",
                            "headgate_access_log_dropped_total 0.0");
        }
    }

    @Test
    void every_metric_of_a_gateway_at_work_is_in_the_reference() throws Exception {
        String reference = Files.readString(Path.of("../docs/operations.md"));
        try (Serve serve = start()) {
            assertThat(serve).isNotNull();
            get(readyUrl(1) + "/bucket/key");

            String metrics = get(readyUrl(3) + "/metrics").body();
            assertThat(metrics.lines()
                            .filter(line -> line.startsWith("# TYPE headgate_"))
                            .map(line -> line.split(" ")[2]))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(reference).contains("`" + name));
        }
    }

    @Test
    void admin_commands_ask_the_gateway_with_the_token_from_its_data_directory() throws Exception {
        try (Serve serve = start()) {
            assertThat(serve).isNotNull();
            String admin = "127.0.0.1:" + readyUrl(4);
            out.reset();

            assertThat(run("admin", "accounts", "list", "--data", data().toString(), "--admin-listen", admin))
                    .isEqualTo(ExitCode.OK);
            assertThat(out().lines().map(line -> line.split(" ")[0]))
                    .containsExactly("NAME", "disk-1", "disk-2", "disk-3");
            out.reset();
            assertThat(run("admin", "accounts", "list", "--json", "--data", data().toString(), "--admin-listen", admin))
                    .isEqualTo(ExitCode.OK);
            assertThat(out()).startsWith("{\"accounts\":[{\"name\":\"disk-1\"");
            out.reset();
            assertThat(run(
                            "admin",
                            "accounts",
                            "drain",
                            "disk-2",
                            "--data",
                            data().toString(),
                            "--admin-listen",
                            admin))
                    .isEqualTo(ExitCode.OK);
            assertThat(out()).isEqualTo("NAME    STATE\ndisk-2  draining\n");
            out.reset();
            assertThat(run("admin", "accounts", "list", "--data", data().toString(), "--admin-listen", admin))
                    .isEqualTo(ExitCode.OK);
            assertThat(out()).contains("DRAINING  BLOBS LEFT").contains("reached");
            out.reset();
            assertThat(run(
                            "admin",
                            "accounts",
                            "undrain",
                            "disk-2",
                            "--data",
                            data().toString(),
                            "--admin-listen",
                            admin))
                    .isEqualTo(ExitCode.OK);
            assertThat(out()).isEqualTo("NAME    STATE\ndisk-2  ok\n");
            out.reset();
            assertThat(run("admin", "buckets", "show", "nothing", "--data", data().toString(), "--admin-listen", admin))
                    .isEqualTo(ExitCode.FAILED);
            assertThat(err()).isEqualTo("headgate: no such bucket: nothing\n");
            assertThat(out()).isEmpty();
            err.reset();
            environment.put("HEADGATE_ADMIN_TOKEN", "not-the-token-of-the-gateway");
            assertThat(run("admin", "accounts", "list", "--admin-listen", admin))
                    .isEqualTo(ExitCode.FAILED);
            assertThat(err()).isEqualTo("headgate: the admin API needs the gateway's admin token\n");
        }
    }

    @Test
    void an_admin_command_without_a_gateway_says_where_it_looked() throws Exception {
        start().close();

        assertThat(run("admin", "accounts", "list", "--data", data().toString(), "--admin-listen", "127.0.0.1:1"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err()).isEqualTo("headgate: no gateway answers at http://127.0.0.1:1\n");
        err.reset();
        assertThat(run(
                        "admin",
                        "accounts",
                        "list",
                        "--data",
                        directory.resolve("other").toString()))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err()).startsWith("headgate: there is no admin token in " + directory.resolve("other/admin-token"));
    }

    @Test
    void a_second_gateway_on_one_data_directory_is_refused() throws Exception {
        try (Serve serve = start()) {
            assertThat(serve).isNotNull();
            assertThat(run("serve", "--data", data().toString(), "--listen", "127.0.0.1:0"))
                    .isEqualTo(ExitCode.FAILED);
            assertThat(err()).isEqualTo("headgate: another headgate holds the data directory " + data() + "\n");
        }
    }

    @Test
    void an_address_in_use_is_named_and_everything_is_closed_again() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            for (List<String> listen : List.of(
                    List.of("--listen", address, "--admin-listen", "127.0.0.1:0"),
                    List.of("--admin-listen", address, "--listen", "127.0.0.1:0"))) {
                err.reset();
                List<String> words = new ArrayList<>(List.of("serve", "--data", data().toString()));
                words.addAll(listen);

                assertThat(run(words.toArray(String[]::new))).isEqualTo(ExitCode.FAILED);
                assertThat(err())
                        .startsWith(
                                "headgate: " + listen.getFirst().substring(2).replace('-', '_') + ": cannot listen on "
                                        + address + ": ");
                assertThat(err().lines()).hasSize(1);
            }
        }
        start().close();
    }

    @Test
    void a_database_that_is_none_stops_the_start_in_a_line() throws Exception {
        Files.createDirectories(data());
        Files.writeString(
                data().resolve("namespace.db"),
                "This is no database, and long enough to be told from one. ".repeat(100));

        assertThat(run("serve", "--data", data().toString(), "--listen", "127.0.0.1:0"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err()).startsWith("headgate: ");
        assertThat(err().lines()).hasSize(1);
        assertThat(out()).isEmpty();
    }

    @Test
    void a_secret_file_that_others_can_read_stops_the_start() throws Exception {
        start().close();
        Files.setPosixFilePermissions(data().resolve("admin-token"), PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(run("serve", "--data", data().toString(), "--listen", "127.0.0.1:0"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err()).contains("admin-token can be read or changed by others");
    }

    @Test
    void a_wrong_configuration_stops_the_start_with_a_status_of_its_own() throws Exception {
        Path file = Files.writeString(directory.resolve("h.yaml"), "listen: 127.0.0.1:0\nlisen: x\n");

        assertThat(run("serve", "--config", file.toString())).isEqualTo(ExitCode.CONFIGURATION);
        assertThat(err()).isEqualTo("headgate: " + file + ":2: lisen: is not a known key\n");
        err.reset();
        environment.put("HEADGATE_CONFIG", file.toString());
        assertThat(run("serve")).isEqualTo(ExitCode.CONFIGURATION);
        err.reset();
        assertThat(run("serve", "--config", directory.resolve("none").toString()))
                .isEqualTo(ExitCode.CONFIGURATION);
        assertThat(err()).isEqualTo("headgate: " + directory.resolve("none") + ": no such file\n");
        err.reset();
        environment.clear();
        assertThat(run("serve", "--listen", "nowhere")).isEqualTo(ExitCode.CONFIGURATION);
        assertThat(err()).startsWith("headgate: --listen: \"nowhere\" is not HOST:PORT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "srve", "serve --port 1"})
    void a_wrong_command_line_is_told_in_a_line(String line) {
        assertThat(run(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(ExitCode.USAGE);
        assertThat(err()).startsWith("headgate: ");
        assertThat(err().lines()).hasSize(1);
    }

    @Test
    void an_account_of_a_file_that_is_not_there_is_not_added() throws Exception {
        try (Serve serve = start()) {
            environment.put("HEADGATE_ADMIN_LISTEN", readyUrl(3).substring("http://".length()));

            assertThat(run("admin", "accounts", "add", "--data", data().toString(), "none.yaml"))
                    .isEqualTo(ExitCode.FAILED);
            assertThat(err()).startsWith("headgate: none.yaml cannot be read: ").contains("NoSuchFile");
        }
    }

    @Test
    void a_command_of_a_later_build_says_that_it_is_not_there_yet() {
        assertThat(run("admin", "users", "list")).isEqualTo(ExitCode.NOT_IMPLEMENTED);
        assertThat(err()).isEqualTo("headgate: admin users list is not implemented yet\n");
    }

    @Test
    void help_and_version_go_to_standard_output() {
        assertThat(run("--help")).isEqualTo(ExitCode.OK);
        assertThat(out()).startsWith("Usage: headgate");
        out.reset();
        assertThat(run("--version")).isEqualTo(ExitCode.OK);
        assertThat(out()).startsWith("headgate ");
        assertThat(err()).isEmpty();
    }

    @Test
    void benchmarks_that_are_not_built_are_said_to_be_missing() {
        assertThat(run("bench", "degrade")).isEqualTo(ExitCode.FAILED);
        assertThat(err())
                .startsWith("headgate: the benchmarks are not built: there is no " + directory.resolve("none.jar"));
    }

    @Test
    void a_gateway_on_every_address_is_asked_on_the_loopback_one() {
        assertThat(Main.endpoint(new HostPort("0.0.0.0", 1)).toString()).isEqualTo("http://127.0.0.1:1");
        assertThat(Main.endpoint(new HostPort("::", 1)).toString()).isEqualTo("http://[::1]:1");
        assertThat(Main.endpoint(new HostPort("gateway", 1)).toString()).isEqualTo("http://gateway:1");
    }
}
