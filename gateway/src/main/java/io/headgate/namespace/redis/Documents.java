package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.codec.Codec;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * What all gateways of a namespace know together and change seldom: texts by name, in one slot, each changed by compare and swap, so that
 * the rules stand here and not in scripts. Thread-safe.
 */
final class Documents {
    private static final byte[] KEY = SlotKeys.named("F", "fleet");
    private static final int MOST_TRIES = 1_000;

    private final Cluster cluster;
    private final RandomGenerator random;

    Documents(Cluster cluster, RandomGenerator random) {
        this.cluster = cluster;
        this.random = random;
    }

    /** Empty if there is none. */
    String get(String name) {
        byte[] text = cluster.command(redis -> redis.hget(KEY, name.getBytes(UTF_8)));
        return text == null ? "" : new String(text, UTF_8);
    }

    /** All whose names begin so, by the rest of their names. */
    Map<String, String> all(String prefix) {
        Map<byte[], byte[]> all = cluster.command(redis -> redis.hgetall(KEY));
        if (all == null) {
            throw Codec.corrupt();
        }
        Map<String, String> found = new HashMap<>();
        all.forEach((name, text) -> {
            String whole = new String(name, UTF_8);
            if (whole.startsWith(prefix)) {
                found.put(whole.substring(prefix.length()), new String(text, UTF_8));
            }
        });
        return found;
    }

    /** Puts there what the change makes of what is there, both empty for nothing; returns it. */
    String change(String name, UnaryOperator<String> change) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            String now = get(name);
            String then = change.apply(now);
            if (then.equals(now) || swap(name, now, then)) {
                return then;
            }
        }
        throw new NamespaceException("what the gateways share changes all the time");
    }

    /** Whether it was {@code now}. */
    boolean swap(String name, String now, String then) {
        byte[] swapped = cluster.one(
                Script.SWAP,
                new byte[][] {KEY, SlotKeys.ofOperation(KEY, random)},
                name.getBytes(UTF_8),
                now.getBytes(UTF_8),
                then.getBytes(UTF_8));
        return swapped != null && swapped[0] == '1';
    }

    Cluster.Dated dated(String name) {
        return cluster.dated(KEY, name);
    }
}
