package io.headgate.servers;

import static io.headgate.servers.RedisProcess.await;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis Cluster on this machine: three masters, with a replica each if wanted, of the redis-server on the PATH, which must be
 * of version 7 or later. Its nodes can be killed, started again and paused, fail over, and give slots to each other step by step.
 * Methods wait for what they cause unless they say otherwise, and may be called by several threads.
 */
public final class RedisCluster implements AutoCloseable {
    public static final int SLOTS = 16_384;

    private static final int MASTERS = 3;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(6);

    /** Later settings win. */
    private static final List<String> DEFAULTS = List.of(
            "--cluster-enabled", "yes",
            "--cluster-config-file", "nodes.conf",
            "--cluster-node-timeout", "2000",
            "--cluster-require-full-coverage", "no",
            "--appendonly", "yes",
            "--appendfsync", "everysec",
            "--repl-diskless-sync", "yes",
            "--repl-diskless-sync-delay", "0");

    private final List<String> settings;
    private final List<Node> nodes = new CopyOnWriteArrayList<>();
    private final Map<Integer, Move> moves = new ConcurrentHashMap<>();

    private record Move(Node from, Node to) {}

    private RedisCluster(List<String> settings) {
        this.settings = settings;
    }

    /** One server of the cluster. */
    public static final class Node {
        private final RedisProcess process;
        private final String id;

        private Node(RedisProcess process) {
            this.process = process;
            this.id = process.text("CLUSTER", "MYID");
        }

        /** On 127.0.0.1. */
        public int port() {
            return process.port();
        }

        /** By which the nodes know it, for as long as it lives. */
        public String id() {
            return id;
        }

        /** Neither killed nor paused. */
        public boolean running() {
            return process.running() && !process.paused();
        }

        /**
         * Sends a command to this node, whichever the key.
         *
         * @param words their characters are bytes
         * @return a String, a Long, a List of such, or null
         * @throws RedisError if that is the answer
         * @throws java.io.UncheckedIOException if none comes
         */
        public @Nullable Object ask(String... words) {
            return process.ask(words);
        }

        /**
         * A line of INFO.
         *
         * @param section such as {@code memory}
         * @param field such as {@code used_memory}
         */
        public String info(String section, String field) {
            return line(section, field).orElseThrow(() -> new IllegalArgumentException(section + " has no " + field));
        }

        private Optional<String> line(String section, String field) {
            return process.text("INFO", section)
                    .lines()
                    .filter(line -> line.startsWith(field + ":"))
                    .map(line -> line.substring(field.length() + 1))
                    .findFirst();
        }

        private ClusterView view() {
            return ClusterView.parse(process.text("CLUSTER", "NODES"));
        }

        private ClusterView.Row row() {
            return view().ownRow();
        }

        private boolean master() {
            return row().role().master();
        }

        /** host:port */
        @Override
        public String toString() {
            return process.toString();
        }
    }

    private static final class Shared {
        /** A machine that stalls must not make masters fail over under tests that do not expect it. */
        static final RedisCluster CLUSTER = create(true, "--cluster-node-timeout", "30000");
    }

    /** The one for all tests of this JVM that leave it whole: they write and flush. It lives as long as the JVM. */
    public static RedisCluster shared() {
        return Shared.CLUSTER;
    }

    /**
     * Three masters with a replica each, all of which serve, agree and are in step.
     *
     * @param settings such as {@code --cluster-node-timeout} (2,000 unless given) and its value
     */
    public static RedisCluster start(String... settings) {
        return create(true, settings);
    }

    /** As {@link #start}, without replicas: the slots of a master that is killed are served by nobody. */
    public static RedisCluster startWithoutReplicas(String... settings) {
        return create(false, settings);
    }

    private static RedisCluster create(boolean replicas, String... settings) {
        List<String> all = new ArrayList<>(DEFAULTS);
        all.addAll(List.of(settings));
        RedisCluster cluster = new RedisCluster(all);
        try {
            cluster.launch(replicas ? 2 * MASTERS : MASTERS);
            cluster.introduce();
            cluster.replicate();
            cluster.awaitSettled();
            return cluster;
        } catch (RuntimeException failed) {
            cluster.close();
            throw failed;
        }
    }

    private void launch(int count) {
        try (ExecutorService starters = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<RedisProcess>> started = new ArrayList<>();
            for (int index = 0; index < count; index++) {
                started.add(starters.submit(() -> RedisProcess.start(RedisProcess.newest(), settings)));
            }
            for (Future<RedisProcess> process : started) {
                nodes.add(new Node(process.get()));
            }
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** Gives each fresh master its third of the slots, and makes all nodes known to each other. */
    private void introduce() {
        for (int index = 0; index < nodes.size(); index++) {
            nodes.get(index).ask("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(index + 1));
        }
        for (int index = 0; index < MASTERS; index++) {
            List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            for (int slot = SLOTS * index / MASTERS; slot < SLOTS * (index + 1) / MASTERS; slot++) {
                command.add(Integer.toString(slot));
            }
            nodes.get(index).ask(command.toArray(new String[0]));
        }
        nodes.forEach(this::meetOthers);
        awaitAcquaintance();
    }

    /** Those that are not among the first three replicate these; to meet again tells the others at once, where gossip takes seconds. */
    private void replicate() {
        for (int index = MASTERS; index < nodes.size(); index++) {
            Node replica = nodes.get(index);
            replica.ask("CLUSTER", "REPLICATE", nodes.get(index - MASTERS).id());
            meetOthers(replica);
        }
    }

    /** A handshake that a stalled machine let time out is begun again. */
    private void awaitAcquaintance() {
        long[] lastNanos = {System.nanoTime()};
        await("the nodes to know each other", () -> {
            if (nodes.stream().allMatch(this::knowsAll)) {
                return true;
            }
            if (System.nanoTime() - lastNanos[0] > RETRY_NANOS) {
                lastNanos[0] = System.nanoTime();
                nodes.forEach(this::meetOthers);
            }
            return false;
        });
    }

    private boolean knowsAll(Node node) {
        ClusterView view = node.view();
        return nodes.stream().allMatch(other -> view.reaches(other.id()));
    }

    private void meetOthers(Node node) {
        for (Node other : nodes) {
            if (other != node) {
                node.ask("CLUSTER", "MEET", "127.0.0.1", Integer.toString(other.port()));
            }
        }
    }

    /** The address for clients: {@code redis://127.0.0.1:p1,127.0.0.1:p2,127.0.0.1:p3}, which are the masters of the beginning. */
    public String url() {
        return nodes.stream().limit(MASTERS).map(Node::toString).collect(Collectors.joining(",", "redis://", ""));
    }

    /** All, in the order in which they came: masters, replicas, masters that were added. */
    public List<Node> nodes() {
        return List.copyOf(nodes);
    }

    private List<Node> running() {
        return nodes.stream().filter(Node::running).toList();
    }

    /** Those that run and take themselves for masters, with slots or without. */
    public List<Node> masters() {
        return running().stream().filter(Node::master).toList();
    }

    /** Those that run and take themselves for replicas of that node. */
    public List<Node> replicasOf(Node master) {
        return running().stream()
                .filter(node -> node.row().role().masterId().equals(master.id()))
                .toList();
    }

    /** Who serves the slot; waits for somebody to do. */
    public Node masterOf(int slot) {
        List<Node> found = new ArrayList<>();
        await("a master of slot " + slot, () -> {
            server(slot).ifPresent(found::add);
            return !found.isEmpty();
        });
        return found.getFirst();
    }

    /** An old master that has not heard of its successor yet has the lower epoch. */
    private Optional<Node> server(int slot) {
        Map<Node, Long> epochs = new HashMap<>();
        for (Node node : running()) {
            ClusterView.Row row = node.row();
            if (row.role().master() && row.role().slots().get(slot)) {
                epochs.put(node, row.epoch());
            }
        }
        return epochs.entrySet().stream()
                .max(Comparator.comparingLong(Map.Entry::getValue))
                .map(Map.Entry::getKey);
    }

    /** At once, with no chance to save anything. Does not wait for what the other nodes make of it. */
    public void kill(Node node) {
        node.process.kill();
    }

    /** After {@link #kill}, on the same port with what was saved. Does not wait for it to find its place: {@link #awaitSettled}. */
    public void startAgain(Node node) {
        node.process.startAgain();
    }

    /** It keeps its connections and does nothing from here on. Does not wait for what the other nodes make of it. */
    public void pause(Node node) {
        node.process.pause();
    }

    /** After {@link #pause}. */
    public void resume(Node node) {
        node.process.resume();
    }

    /**
     * A replica takes over from a master, which is told to let it and becomes its replica: no write is lost. Redis lets a master have
     * one successor in twice the node timeout, in either way, so that a node which has become master again in this time is waited for.
     *
     * @return the new master
     * @throws IllegalStateException if the master has no replica
     */
    public Node failOver(Node master) {
        awaitSettled();
        Node replica = replicaOf(master);
        long[] lastNanos = {System.nanoTime() - RETRY_NANOS};
        await(replica + " to take over from " + master, () -> {
            if (replica.master()) {
                return true;
            }
            if (System.nanoTime() - lastNanos[0] >= RETRY_NANOS) {
                lastNanos[0] = System.nanoTime(); // Redis gives up after five seconds
                replica.ask("CLUSTER", "FAILOVER");
            }
            return false;
        });
        awaitSettled();
        return replica;
    }

    /**
     * Kills a master and waits for a replica to be promoted, which takes the others a node timeout and one or two seconds. What was
     * written before the call has reached the replica.
     *
     * @return the new master
     * @throws IllegalStateException if the master has no replica
     */
    public Node failOverByKilling(Node master) {
        awaitSettled();
        Node replica = replicaOf(master);
        kill(master);
        await(replica + " to be promoted after " + master, () -> replica.master());
        awaitSettled();
        return replica;
    }

    private Node replicaOf(Node master) {
        return replicasOf(master).stream()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(master + " has no replica"));
    }

    /**
     * Announces that a slot is to move, after which its master still answers for the keys that it has, and refers clients to the other
     * for the rest. The announcement is lost when either master is killed or fails over; it can be made again.
     */
    public void beginMove(int slot, Node to) {
        Node from = masterOf(slot);
        moves.put(slot, new Move(from, to));
        to.ask("CLUSTER", "SETSLOT", Integer.toString(slot), "IMPORTING", from.id());
        from.ask("CLUSTER", "SETSLOT", Integer.toString(slot), "MIGRATING", to.id());
    }

    /**
     * Moves keys of a slot whose move has begun.
     *
     * @param count at most so many
     * @return how many were moved, 0 if none is left
     */
    public int moveKeys(int slot, int count) {
        Move move = moveOf(slot);
        Object keys = move.from().ask("CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), Integer.toString(count));
        if (!(keys instanceof List<?> list) || list.isEmpty()) {
            return 0;
        }
        // REPLACE: a kill in the middle can leave a key with both, and the one that it moves from has been answering
        // for it
        List<String> command = new ArrayList<>(List.of("MIGRATE", "127.0.0.1"));
        command.addAll(List.of(Integer.toString(move.to().port()), "", "0", "60000", "REPLACE", "KEYS"));
        list.forEach(key -> command.add(String.valueOf(key)));
        move.from().ask(command.toArray(new String[0]));
        return list.size();
    }

    /** Gives the slot to the other master, which must have all its keys by now. */
    public void finishMove(int slot) {
        Move move = moveOf(slot);
        if (!Long.valueOf(0).equals(move.from().ask("CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot)))) {
            throw new IllegalStateException("Slot " + slot + " has keys left at " + move.from());
        }
        move.to()
                .ask(
                        "CLUSTER",
                        "SETSLOT",
                        Integer.toString(slot),
                        "NODE",
                        move.to().id());
        move.from()
                .ask(
                        "CLUSTER",
                        "SETSLOT",
                        Integer.toString(slot),
                        "NODE",
                        move.to().id());
        moves.remove(slot);
        String owner = move.to().id();
        await(
                "all to know who has slot " + slot,
                () -> running().stream()
                        .allMatch(node -> node.view().slotsOf(owner).get(slot)));
    }

    private Move moveOf(int slot) {
        Move move = moves.get(slot);
        if (move == null) {
            throw new IllegalStateException("No move of slot " + slot + " has begun");
        }
        return move;
    }

    /** All steps of a move. */
    public void move(int slot, Node to) {
        beginMove(slot, to);
        int moved;
        do {
            moved = moveKeys(slot, 100);
        } while (moved > 0);
        finishMove(slot);
    }

    /** A master without slots or replicas joins. */
    public Node addMaster() {
        Node fresh = new Node(RedisProcess.start(RedisProcess.newest(), settings));
        nodes.add(fresh);
        meetOthers(fresh);
        awaitAcquaintance();
        awaitSettled();
        return fresh;
    }

    /** Removes all keys. */
    public void flush() {
        masters().forEach(master -> master.ask("FLUSHALL"));
    }

    /** All masters forget the functions that they were given, and tell their replicas. */
    public void flushFunctions() {
        masters().forEach(node -> node.ask("FUNCTION", "FLUSH"));
    }

    /** What the masters hold in memory, which replicas hold again. */
    public long usedMemoryBytes() {
        return masters().stream()
                .mapToLong(master -> Long.parseLong(master.info("memory", "used_memory")))
                .sum();
    }

    /**
     * Waits until all running nodes agree on who serves what, reach each other, hold the others for failed, accept commands, and the
     * replicas have what was written before. It does not come to that while most masters with slots are killed or paused.
     */
    public void awaitSettled() {
        await(
                "the nodes to agree and be in step",
                this::settled,
                () -> running().stream()
                        .map(node -> "\n" + node + " believes:\n" + node.ask("CLUSTER", "NODES"))
                        .collect(Collectors.joining()));
    }

    private boolean settled() {
        Map<String, ClusterView.Role> roles = null;
        for (Node node : running()) {
            ClusterView view = node.view();
            if (!agrees(view) || (roles != null && !roles.equals(view.roles())) || !inStep(node, view)) {
                return false;
            }
            roles = view.roles();
        }
        return true;
    }

    private boolean agrees(ClusterView view) {
        return view.rows().size() == nodes.size()
                && nodes.stream()
                        .allMatch(node -> node.running() ? view.reaches(node.id()) : view.holdsForFailed(node.id()));
    }

    /** A link that is up is not enough: the first writes over it may wait for the replica's acknowledgement of what it loaded. */
    private boolean inStep(Node node, ClusterView view) {
        if (!String.valueOf(node.ask("CLUSTER", "INFO")).contains("cluster_state:ok")) {
            return false;
        }
        ClusterView.Role role = view.ownRow().role();
        return role.master()
                || nodes.stream()
                        .filter(other -> other.id().equals(role.masterId()) && other.running())
                        .anyMatch(master -> follows(node, master));
    }

    private static boolean follows(Node replica, Node master) {
        long written = Long.parseLong(master.info("replication", "master_repl_offset"));
        return replica.line("replication", "master_link_status").equals(Optional.of("up"))
                && replica.line("replication", "slave_repl_offset")
                        .filter(read -> Long.parseLong(read) >= written)
                        .isPresent();
    }

    /** Kills all nodes and removes what they saved. */
    @Override
    public void close() {
        nodes.forEach(node -> node.process.remove());
    }
}
