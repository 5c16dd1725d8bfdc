package io.headgate.servers;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What one node of a Redis Cluster believes of all nodes, by their ids.
 *
 * @param own the id of the node that believes it
 */
record ClusterView(String own, Map<String, Row> rows) {

    /** What decides who serves what. */
    record Role(boolean master, String masterId, BitSet slots) {}

    record Row(Set<String> flags, Role role, long epoch, boolean connected) {}

    /** Reads the answer to CLUSTER NODES: id, address, flags, master, ping, pong, epoch, link, slots and moves of slots. */
    static ClusterView parse(String nodes) {
        Map<String, Row> rows = new HashMap<>();
        String own = "";
        for (String line : nodes.lines().toList()) {
            String[] fields = line.split(" ");
            Set<String> flags = Set.of(fields[2].split(","));
            BitSet slots = new BitSet();
            for (int index = 8; index < fields.length; index++) {
                addSlots(fields[index], slots);
            }
            Role role = new Role(flags.contains("master"), fields[3], slots);
            rows.put(fields[0], new Row(flags, role, Long.parseLong(fields[6]), fields[7].equals("connected")));
            if (flags.contains("myself")) {
                own = fields[0];
            }
        }
        return new ClusterView(own, rows);
    }

    private static void addSlots(String field, BitSet slots) {
        if (field.startsWith("[")) {
            return; // a slot on its way, which is still with its owner
        }
        int dash = field.indexOf('-');
        int first = Integer.parseInt(dash < 0 ? field : field.substring(0, dash));
        int last = dash < 0 ? first : Integer.parseInt(field.substring(dash + 1));
        slots.set(first, last + 1);
    }

    Row ownRow() {
        return rows.get(own);
    }

    BitSet slotsOf(String id) {
        Row row = rows.get(id);
        return row == null ? new BitSet() : row.role().slots();
    }

    /** Introduced, and thought to be alive. */
    boolean reaches(String id) {
        Row row = rows.get(id);
        return row != null
                && (row.connected() || row.flags().contains("myself"))
                && Stream.of("fail", "fail?", "handshake", "noaddr").noneMatch(row.flags()::contains);
    }

    /** The masters have agreed on it. */
    boolean holdsForFailed(String id) {
        Row row = rows.get(id);
        return row != null && row.flags().contains("fail");
    }

    /** Who serves what, without what else differs between nodes that agree. */
    Map<String, Role> roles() {
        Map<String, Role> roles = new HashMap<>();
        rows.forEach((id, row) -> roles.put(id, row.role()));
        return roles;
    }
}
