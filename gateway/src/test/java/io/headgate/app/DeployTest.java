package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.headgate.app.config.ConfigLoader;
import io.headgate.app.config.HeadgateConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files in {@code deploy}: they are read by who reads them, and agree with each other and with what the gateway does. */
final class DeployTest {
    private static final Path DEPLOY = Path.of("../deploy");
    private static final Map<String, String> LABELS = Map.of("app.kubernetes.io/name", "headgate");
    private static final Pattern EXAMPLE = Pattern.compile("^([A-Z0-9_]+)=(.+)$");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z0-9_]+):\\?[^}]*}");

    @TempDir
    private Path directory;

    // Reading YAML

    private static Object yaml(Path file) throws IOException {
        return new Load(LoadSettings.builder().setLabel(file.toString()).build())
                .loadFromString(Files.readString(file));
    }

    /** What stands at a path of names and, in lists, numbers. */
    private static Object at(Object node, Object... path) {
        Object here = node;
        for (Object step : path) {
            Object next = switch (here) {
                case Map<?, ?> map -> map.get(step);
                case List<?> list -> list.get((Integer) step);
                default -> throw new AssertionError("no " + step + " in " + here);
            };
            assertThat(next).as("%s in %s", step, here).isNotNull();
            here = next;
        }
        return here;
    }

    private static String text(Object node, Object... path) {
        return at(node, path).toString();
    }

    private static List<?> list(Object node, Object... path) {
        return (List<?>) at(node, path);
    }

    private static Map<?, ?> map(Object node, Object... path) {
        return (Map<?, ?>) at(node, path);
    }

    // Compose

    private static Map<String, String> exampleEnvironment() throws IOException {
        Map<String, String> variables = new HashMap<>();
        for (String line : Files.readAllLines(DEPLOY.resolve("compose/example.env"))) {
            Matcher variable = EXAMPLE.matcher(line);
            if (variable.matches()) {
                variables.put(variable.group(1), variable.group(2));
            }
        }
        return variables;
    }

    private static String substituted(String value, Map<String, String> variables) {
        return VARIABLE.matcher(value).replaceAll(found -> {
            assertThat(variables).as("example.env").containsKey(found.group(1));
            return Matcher.quoteReplacement(variables.get(found.group(1)));
        });
    }

    @Test
    void the_gateways_of_compose_are_configured_so_that_they_start_without_a_data_directory() throws Exception {
        Object compose = yaml(DEPLOY.resolve("compose/compose.yaml"));
        for (String name : List.of("gateway-1", "gateway-2", "gateway-3")) {
            Object gateway = at(compose, "services", name);
            assertThat(list(gateway, "volumes").getFirst()).isEqualTo("./headgate.yaml:/etc/headgate/headgate.yaml:ro");
            assertThat(text(gateway, "environment", "HEADGATE_CONFIG")).isEqualTo("/etc/headgate/headgate.yaml");
            Map<String, String> environment = new TreeMap<>(containerEnvironment());
            map(gateway, "environment")
                    .forEach((key, value) -> environment.put(key.toString(), resolved(value.toString())));

            HeadgateConfig config =
                    ConfigLoader.load(Optional.of(DEPLOY.resolve("compose/headgate.yaml")), environment, List.of());

            assertThat(config.listen().port()).isEqualTo(9000);
            assertThat(config.adminListen().toString()).isEqualTo("0.0.0.0:9001");
            assertThat(config.namespace().engine()).isEqualTo(HeadgateConfig.Engine.POSTGRES);
            assertThat(config.accounts()).hasSize(2);
            assertThat(DataDirectory.isNeeded(config)).isFalse();
            assertThat(ConfigLoader.unknownVariables(environment)).isEmpty();
            assertThat(seconds(text(gateway, "stop_grace_period")))
                    .isGreaterThan(config.http().drainTimeout().plusSeconds(5));
        }
    }

    private static String resolved(String value) {
        try {
            return substituted(value, exampleEnvironment());
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static Duration seconds(String text) {
        return Duration.parse("PT" + text);
    }

    /** What the container sets. */
    private static Map<String, String> containerEnvironment() throws IOException {
        Map<String, String> environment = new HashMap<>();
        Matcher variable = Pattern.compile("(HEADGATE_[A-Z_]+)=(\\S+)")
                .matcher(Files.readString(DEPLOY.resolve("container/Containerfile")));
        while (variable.find()) {
            environment.put(variable.group(1), variable.group(2));
        }
        assertThat(environment).containsKeys("HEADGATE_DATA_DIR", "HEADGATE_LISTEN", "HEADGATE_ADMIN_LISTEN");
        return environment;
    }

    @Test
    void the_services_that_compose_names_are_there() throws Exception {
        Object compose = yaml(DEPLOY.resolve("compose/compose.yaml"));
        Map<?, ?> services = map(compose, "services");
        for (Object service : services.values()) {
            Object needed = ((Map<?, ?>) service).get("depends_on");
            Stream<?> names = needed instanceof Map<?, ?> conditions
                    ? conditions.keySet().stream()
                    : needed == null ? Stream.empty() : ((List<?>) needed).stream();
            assertThat(names)
                    .allSatisfy(name -> assertThat(services.containsKey(name))
                            .as("%s", name)
                            .isTrue());
        }
        for (Map.Entry<?, ?> needed :
                map(compose, "services", "gateway-1", "depends_on").entrySet()) {
            if (text(needed.getValue(), "condition").equals("service_healthy")) {
                assertThat(map(services.get(needed.getKey()), "healthcheck")).isNotEmpty();
            }
        }
        String config = Files.readString(DEPLOY.resolve("compose/headgate.yaml"));
        assertThat(config).contains("@postgres:5432/headgate", "redis://redis:6379", "http://azurite:10000/account1");
        assertThat(services.keySet().stream().map(Object::toString)).contains("postgres", "redis", "azurite");
        String accounts = text(services.get("azurite"), "environment", "AZURITE_ACCOUNTS");
        assertThat(accounts).startsWith("account1:${AZ1_KEY").contains(";account2:${AZ2_KEY");
    }

    @Test
    void the_load_balancer_asks_each_gateway_of_compose_whether_it_is_ready() throws Exception {
        String haproxy = Files.readString(DEPLOY.resolve("compose/haproxy.cfg"));
        for (String name : List.of("gateway-1", "gateway-2", "gateway-3")) {
            assertThat(haproxy).contains("server " + name + " " + name + ":9000\n");
        }
        assertThat(haproxy).contains("uri /readyz", "check port 9001", "http-check expect status 200");
    }

    @Test
    void haproxy_takes_its_configuration() throws Exception {
        Path program = Path.of("/usr/sbin/haproxy");
        assumeThat(program).as("HAProxy is installed").isExecutable();
        Path out = directory.resolve("out");
        Process check = new ProcessBuilder(
                        program.toString(),
                        "-c",
                        "-f",
                        DEPLOY.resolve("compose/haproxy.cfg").toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertThat(check.waitFor()).as(Files.readString(out)).isZero();
    }

    // Kubernetes

    private static Map<String, Object> manifests() throws IOException {
        Map<String, Object> byKind = new LinkedHashMap<>();
        Path folder = DEPLOY.resolve("kubernetes");
        List<Object> files = new ArrayList<>(list(yaml(folder.resolve("kustomization.yaml")), "resources"));
        files.add("secret.example.yaml");
        for (Object file : files) {
            Object manifest = yaml(folder.resolve(file.toString()));
            assertThat(text(manifest, "apiVersion")).isNotEmpty();
            assertThat(text(manifest, "metadata", "name")).isEqualTo("headgate");
            byKind.put(text(manifest, "kind"), manifest);
        }
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all)
                    .as("all files are resources, but for the list of them")
                    .hasSize(byKind.size() + 1);
        }
        return byKind;
    }

    @Test
    void all_that_selects_gateways_selects_the_pods_of_the_deployment() throws Exception {
        Map<String, Object> manifests = manifests();
        Object deployment = manifests.get("Deployment");
        assertThat(at(deployment, "spec", "template", "metadata", "labels")).isEqualTo(LABELS);
        assertThat(at(deployment, "spec", "selector", "matchLabels")).isEqualTo(LABELS);
        assertThat(at(manifests.get("Service"), "spec", "selector")).isEqualTo(LABELS);
        assertThat(at(manifests.get("PodDisruptionBudget"), "spec", "selector", "matchLabels"))
                .isEqualTo(LABELS);
        assertThat(at(manifests.get("NetworkPolicy"), "spec", "podSelector", "matchLabels"))
                .isEqualTo(LABELS);
        assertThat(at(deployment, "spec", "template", "spec", "serviceAccountName"))
                .isEqualTo("headgate");

        List<String> ports = list(container(deployment), "ports").stream()
                .map(port -> text(port, "name"))
                .toList();
        assertThat(ports).containsExactly("s3", "admin");
        assertThat(text(manifests.get("Service"), "spec", "ports", 0, "targetPort"))
                .isEqualTo("s3");
        assertThat(text(manifests.get("NetworkPolicy"), "spec", "ingress", 1, "ports", 0, "port"))
                .isEqualTo("admin");
    }

    private static Object container(Object deployment) {
        return at(deployment, "spec", "template", "spec", "containers", 0);
    }

    @Test
    void a_pod_gets_the_configuration_and_every_secret_that_this_names() throws Exception {
        Map<String, Object> manifests = manifests();
        Object container = container(manifests.get("Deployment"));
        Map<?, ?> secrets = map(manifests.get("Secret"), "stringData");
        Map<String, String> environment = new HashMap<>(containerEnvironment());
        for (Object variable : list(container, "env")) {
            Object value = ((Map<?, ?>) variable).get("value");
            if (value == null) {
                assertThat(text(variable, "valueFrom", "secretKeyRef", "name")).isEqualTo("headgate");
                value = secrets.get(at(variable, "valueFrom", "secretKeyRef", "key"));
                assertThat(value).as("%s", variable).isNotNull();
            }
            environment.put(text(variable, "name"), value.toString());
        }
        assertThat(environment).containsEntry("HEADGATE_CONFIG", "/etc/headgate/headgate.yaml");
        Path file = directory.resolve("headgate.yaml");
        Files.writeString(file, text(manifests.get("ConfigMap"), "data", "headgate.yaml"));

        HeadgateConfig config = ConfigLoader.load(Optional.of(file), environment, List.of());

        assertThat(config.namespace().engine()).isEqualTo(HeadgateConfig.Engine.POSTGRES);
        assertThat(config.accounts()).hasSize(2);
        assertThat(DataDirectory.isNeeded(config)).isFalse();
        assertThat(ConfigLoader.unknownVariables(environment)).isEmpty();
        assertThat(config.listen().port()).isEqualTo(at(container, "ports", 0, "containerPort"));
        assertThat(config.adminListen().port()).isEqualTo(at(container, "ports", 1, "containerPort"));
    }

    @Test
    void a_pod_that_goes_has_the_time_to_end_its_requests_and_no_rights_that_it_does_not_need() throws Exception {
        Map<String, Object> manifests = manifests();
        Object pod = at(manifests.get("Deployment"), "spec", "template", "spec");
        Object container = container(manifests.get("Deployment"));
        int waits = Integer.parseInt(text(container, "lifecycle", "preStop", "exec", "command", 1));
        int drains = 30;
        assertThat(text(manifests.get("ConfigMap"), "data", "headgate.yaml"))
                .contains("drain_timeout: " + drains + "s");
        assertThat((Integer) at(pod, "terminationGracePeriodSeconds")).isGreaterThanOrEqualTo(waits + drains + 5);
        assertThat(text(container, "readinessProbe", "httpGet", "path")).isEqualTo("/readyz");
        for (String probe : List.of("livenessProbe", "startupProbe")) {
            assertThat(text(container, probe, "httpGet", "path")).isEqualTo("/healthz");
            assertThat(text(container, probe, "httpGet", "port")).isEqualTo("admin");
        }
        assertThat(at(manifests.get("Deployment"), "spec", "strategy", "rollingUpdate", "maxUnavailable"))
                .isEqualTo(0);

        assertThat(at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
        assertThat(Files.readString(DEPLOY.resolve("container/Containerfile")))
                .contains("USER " + at(pod, "securityContext", "runAsUser") + ":");
        assertThat(at(container, "securityContext", "readOnlyRootFilesystem")).isEqualTo(true);
        assertThat(at(container, "securityContext", "allowPrivilegeEscalation")).isEqualTo(false);
        assertThat(at(container, "securityContext", "capabilities", "drop")).isEqualTo(List.of("ALL"));
        assertThat(text(container, "resources", "limits", "memory")).isEqualTo("2Gi");
        List<String> volumes = list(pod, "volumes").stream()
                .map(volume -> text(volume, "name"))
                .toList();
        assertThat(list(container, "volumeMounts").stream().map(mount -> text(mount, "name")))
                .containsExactlyElementsOf(volumes);
    }
}
