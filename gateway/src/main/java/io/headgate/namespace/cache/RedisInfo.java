package io.headgate.namespace.cache;

import java.util.HashMap;
import java.util.Map;

/**
 * What a Redis process says of itself.
 *
 * @param id of the process and of its data: another one after a restart, and after it was a replica for a time
 */
record RedisInfo(String id, boolean isMaster, boolean isCluster, String evictionPolicy) {
    /** Reads the answer to INFO. */
    static RedisInfo parse(String text) {
        Map<String, String> said = new HashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                said.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return new RedisInfo(
                said.getOrDefault("run_id", "") + "/" + said.getOrDefault("master_replid", ""),
                "master".equals(said.getOrDefault("role", "master")),
                "cluster".equals(said.getOrDefault("redis_mode", "standalone")),
                said.getOrDefault("maxmemory_policy", "unknown"));
    }
}
