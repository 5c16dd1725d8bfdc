package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The steps of the container's build, without a container engine, and what they make: it starts, is well, and stops when it is told to. */
@DisabledIfSystemProperty(named = "headgate.conformance.url", matches = ".+", disabledReason = "starts its own gateway")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
final class ContainerTest {
    private static final Path SCRIPTS =
            Path.of("../deploy/container").toAbsolutePath().normalize();

    @TempDir
    Path directory;

    private Path root() {
        return directory.resolve("headgate");
    }

    private String run(String... command) throws Exception {
        Path out = directory.resolve("out");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        int status = process.waitFor();
        String printed = Files.readString(out);
        assertThat(status).as("%s: %s", List.of(command), printed).isZero();
        return printed;
    }

    private static String script(String name) {
        return SCRIPTS.resolve(name).toString();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void the_steps_of_the_build_make_an_application_that_starts_is_well_and_stops() throws Exception {
        String containerfile = Files.readString(SCRIPTS.resolve("Containerfile"));
        assertThat(containerfile)
                .contains(
                        "deploy/container/make-runtime ",
                        "deploy/container/install-application gateway/target deploy/container /opt/headgate",
                        "RUN /opt/headgate/bin/make-class-cache",
                        "CMD [\"/opt/headgate/bin/healthcheck\"]",
                        "ENTRYPOINT [\"/opt/headgate/bin/headgate\"]\nCMD [\"serve\"]",
                        "\nUSER 10001:10001\n");
        Path target = ChildGateway.jar().getParent();
        run(script("make-runtime"), System.getProperty("java.home"), root() + "/runtime");
        run(script("install-application"), target.toString(), SCRIPTS.toString(), root().toString());
        run(root() + "/bin/make-class-cache");
        assertThat(Files.size(root().resolve("headgate.aot"))).isPositive();
        assertThat(run(root() + "/bin/headgate", "--version")).startsWith("headgate ");

        int admin = freePort();
        ProcessBuilder builder = new ProcessBuilder(root() + "/bin/headgate", "serve")
                .redirectError(directory.resolve("err").toFile());
        builder.environment().put("HEADGATE_DATA_DIR", directory.resolve("data").toString());
        builder.environment().put("HEADGATE_LISTEN", "127.0.0.1:0");
        builder.environment().put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:" + admin);
        Process gateway = builder.start();
        try (BufferedReader out = gateway.inputReader()) {
            List<String> lines = new ArrayList<>();
            String line = out.readLine();
            while (line != null && !line.startsWith("headgate ready")) {
                lines.add(line);
                line = out.readLine();
            }
            assertThat(line)
                    .as("%s %s", lines, Files.readString(directory.resolve("err")))
                    .isNotNull();
            assertThat(healthcheck(admin)).isZero();

            gateway.destroy();
            assertThat(gateway.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(gateway.exitValue()).isZero();
            assertThat(healthcheck(admin)).isNotZero();
        } finally {
            gateway.destroyForcibly();
        }
    }

    private int healthcheck(int admin) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(root() + "/bin/healthcheck")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("health").toFile());
        builder.environment().put("HEADGATE_ADMIN_LISTEN", "0.0.0.0:" + admin);
        return builder.start().waitFor();
    }
}
