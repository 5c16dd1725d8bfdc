package io.headgate.namespace.redis;

import io.headgate.namespace.NamespaceException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.AsyncExecutions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether the cluster is set up as a namespace needs it, by what each of its masters says. */
final class ClusterCheck {
    private static final int LEAST_VERSION = 7;
    private static final Pattern VERSION = Pattern.compile("(\\d+)(\\..*)?");
    /** A line of what the client says of each node that it has tried. */
    private static final Pattern DETAIL = Pattern.compile("\\[rediss?://(?:[^@\\]]*@)?([^?/\\]]+)[^\\]]*]: (.+)");

    private static final String[] SETTINGS = {"appendfsync", "cluster-require-full-coverage"};

    private final StatefulRedisClusterConnection<byte[], byte[]> connection;
    private final long deadlineNanos;

    /** What is said of a master, by the masters it is said of: mostly it is true of all. */
    private final Map<String, List<String>> obstacles = new LinkedHashMap<>();

    private final Map<String, List<String>> risks = new LinkedHashMap<>();

    private ClusterCheck(StatefulRedisClusterConnection<byte[], byte[]> connection, Duration patience) {
        this.connection = connection;
        this.deadlineNanos = System.nanoTime() + patience.toNanos();
    }

    /**
     * What was found, each in a line without an end.
     *
     * @param obstacles for which the cluster can keep no namespace
     * @param risks what may be lost, or could not be checked
     */
    record Findings(List<String> obstacles, List<String> risks) {}

    /** @param patience how long to wait for all masters; one that has not answered by then is a risk */
    static Findings of(StatefulRedisClusterConnection<byte[], byte[]> connection, Duration patience) {
        return new ClusterCheck(connection, patience).findings();
    }

    /** Why no node could be connected to, in one line without a password. */
    static NamespaceException unreachable(RedisOptions options, RedisException failed) {
        List<String> reasons = new ArrayList<>();
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (message.contains("cluster support disabled")) {
                return new NamespaceException(
                        "Redis at " + options + " is no cluster: it runs without cluster-enabled", failed);
            }
            DETAIL.matcher(message)
                    .results()
                    .map(detail -> detail.group(1) + ": " + detail.group(2))
                    .forEach(reasons::add);
        }
        return new NamespaceException(
                "Redis at " + options + " does not answer: "
                        + (reasons.isEmpty() ? failed.getMessage() : String.join("; ", reasons)),
                failed);
    }

    private Findings findings() {
        List<RedisClusterNode> masters = connection.getPartitions().stream()
                .filter(node -> node.is(NodeFlag.UPSTREAM) && !node.getSlots().isEmpty())
                .toList();
        Map<String, Map<String, String>> said =
                answers(connection.async().nodes(masters::contains).commands().info(), "could not be checked: ");
        said.replaceAll((_, info) -> lines(info.getOrDefault("", "")));
        said.forEach(this::checkInfo);
        Map<String, Map<String, String>> settings = answers(
                connection
                        .async()
                        .nodes(node -> masters.contains(node) && said.containsKey(name(node)))
                        .commands()
                        .configGet(SETTINGS),
                "did not say its " + String.join(" and ", SETTINGS) + ": ");
        settings.forEach(this::checkSettings);
        List<String> allRisks = new ArrayList<>(told(risks));
        int served = masters.stream().mapToInt(node -> node.getSlots().size()).sum();
        if (served < Slots.COUNT) {
            allRisks.add("%d of the cluster's %d slots have no master: what is in them cannot be read or written"
                    .formatted(Slots.COUNT - served, Slots.COUNT));
        }
        return new Findings(told(obstacles), allRisks);
    }

    private static String name(RedisClusterNode node) {
        return new RedisOptions.Node(node.getUri().getHost(), node.getUri().getPort()).toString();
    }

    /** The answers by the masters' names; texts have the key "". Of others it is a risk that they gave none. */
    private Map<String, Map<String, String>> answers(AsyncExecutions<?> asked, String risk) {
        Map<String, Map<String, String>> answers = new TreeMap<>();
        asked.asMap().forEach((node, answer) -> {
            try {
                answers.put(name(node), map(get(answer)));
            } catch (RedisException | CancellationException | TimeoutException | ExecutionException failed) {
                Throwable cause = failed.getCause() == null ? failed : failed.getCause();
                found(
                        risks,
                        risk + (cause instanceof TimeoutException ? "no answer in time" : cause.getMessage()),
                        name(node));
            }
        });
        return answers;
    }

    private Object get(CompletableFuture<?> answer) throws TimeoutException, ExecutionException {
        try {
            return answer.get(Math.max(1, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        }
    }

    private static Map<String, String> map(Object answer) {
        if (!(answer instanceof Map<?, ?> settings)) {
            return new HashMap<>(Map.of("", String.valueOf(answer)));
        }
        Map<String, String> map = new HashMap<>();
        settings.forEach((key, value) -> map.put(String.valueOf(key), String.valueOf(value)));
        return map;
    }

    private static Map<String, String> lines(String info) {
        Map<String, String> lines = new HashMap<>();
        info.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                lines.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return lines;
    }

    private void checkInfo(String master, Map<String, String> info) {
        String version = info.getOrDefault("redis_version", "unknown");
        Matcher parsed = VERSION.matcher(version);
        if (parsed.matches() && Integer.parseInt(parsed.group(1)) < LEAST_VERSION) {
            found(obstacles, "is of version " + version + "; 7.0 or later is needed", master);
        }
        String policy = info.getOrDefault("maxmemory_policy", "noeviction");
        if (!info.getOrDefault("maxmemory", "0").equals("0") && !policy.equals("noeviction")) {
            found(
                    obstacles,
                    "deletes metadata when its memory is full: maxmemory-policy is " + policy
                            + " and must be noeviction",
                    master);
        }
        if (info.getOrDefault("aof_enabled", "1").equals("0")) {
            found(risks, "loses what it holds when it restarts: appendonly is no", master);
        }
        if (info.getOrDefault("connected_slaves", "").equals("0")) {
            found(
                    risks,
                    "has no replica: while it is down what it holds cannot be read or written, and with its disk it is lost",
                    master);
        }
    }

    private void checkSettings(String master, Map<String, String> settings) {
        for (String setting : SETTINGS) {
            String value = settings.getOrDefault(setting, "");
            if (value.isEmpty()) {
                found(risks, "did not say its " + setting, master);
            }
        }
        if (settings.getOrDefault("appendfsync", "").equals("no")) {
            found(risks, "may lose the writes of half a minute with its machine: appendfsync is no", master);
        }
        if (settings.getOrDefault("cluster-require-full-coverage", "").equals("yes")) {
            found(
                    risks,
                    "stops when another master is lost with all its replicas: cluster-require-full-coverage is yes",
                    master);
        }
    }

    private static void found(Map<String, List<String>> among, String what, String master) {
        among.computeIfAbsent(what, _ -> new ArrayList<>()).add(master);
    }

    private static List<String> told(Map<String, List<String>> found) {
        return found.entrySet().stream()
                .map(one -> "Redis at "
                        + String.join(", ", one.getValue().stream().sorted().toList()) + " " + one.getKey())
                .toList();
    }
}
