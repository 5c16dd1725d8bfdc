package io.headgate.namespace.redis;

import io.headgate.namespace.codec.Codec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Accounts by numbers, which take two bytes in each record; a name keeps its number for ever. Thread-safe. */
final class AccountNumbers {
    /** Of no account: somebody else knows. */
    static final int NONE = 0;

    private static final int MOST = 0xFFFF;
    private static final byte[] KEY = SlotKeys.named("A", "accounts");

    private final Cluster cluster;
    private final Map<String, Integer> numbers = new ConcurrentHashMap<>();
    private final Map<Integer, String> names = new ConcurrentHashMap<>();

    AccountNumbers(Cluster cluster) {
        this.cluster = cluster;
    }

    /** The number of an account, which is given one if it has none. */
    int number(String name) {
        Integer known = numbers.get(name);
        if (known != null) {
            return known;
        }
        byte[] answer = cluster.one(Script.ACCOUNT_NUMBER, new byte[][] {KEY}, name.getBytes(StandardCharsets.UTF_8));
        int number = Integer.parseInt(new String(answer, StandardCharsets.US_ASCII));
        if (number > MOST) {
            throw new IllegalStateException("more accounts than have numbers");
        }
        numbers.put(name, number);
        names.put(number, name);
        return number;
    }

    String name(int number) {
        String known = names.get(number);
        return known == null ? all().getOrDefault(number, "") : known;
    }

    /** The names of all accounts that have numbers. */
    Map<Integer, String> all() {
        Map<byte[], byte[]> found = cluster.command(redis -> redis.hgetall(KEY));
        if (found == null) {
            throw Codec.corrupt();
        }
        found.forEach((name, number) -> {
            String text = new String(name, StandardCharsets.UTF_8);
            int value = Integer.parseInt(new String(number, StandardCharsets.US_ASCII));
            numbers.put(text, value);
            names.put(value, text);
        });
        return Map.copyOf(names);
    }

    static byte[] bytes(int number) {
        return ByteBuffer.allocate(2).putShort((short) number).array();
    }
}
