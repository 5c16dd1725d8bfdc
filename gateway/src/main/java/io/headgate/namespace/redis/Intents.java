package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.namespace.Intent;
import io.headgate.namespace.codec.Codec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * The intents of all gateways, in one slot. One that is taken is told to every slot before the sweep hears of it, so that no write under it
 * commits any more, wherever it goes. Thread-safe.
 */
final class Intents {
    private static final byte[] KEY = SlotKeys.named("I", "intents");
    private static final byte[][] KEYS = {KEY};
    private static final byte[] LAST = {'#'};
    /** Longer than any write may be under way. */
    private static final Duration REMEMBERED = Duration.ofDays(1);

    private final Cluster cluster;
    private final RandomGenerator random;
    private final Map<Long, Instant> expiries = new ConcurrentHashMap<>();

    Intents(Cluster cluster, RandomGenerator random) {
        this.cluster = cluster;
        this.random = random;
    }

    private static String digits(Instant instant) {
        return String.format(Locale.ROOT, "%015d", instant.toEpochMilli());
    }

    private static byte[] ascii(String text) {
        return text.getBytes(US_ASCII);
    }

    Intent open(String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt) {
        String value = "s" + digits(expiresAt) + digits(openedAt) + digits(lastStampAt) + gateway;
        byte[] id = cluster.one(
                Script.INTENT_OPEN, new byte[][] {KEY, SlotKeys.ofOperation(KEY, random)}, value.getBytes(UTF_8));
        if (id == null) {
            throw Codec.corrupt();
        }
        Intent intent = read(new String(id, US_ASCII), value);
        expiries.put(intent.id(), intent.expiresAt());
        return intent;
    }

    /** Records an intent that was opened elsewhere. */
    void restore(long id, String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt, boolean taken) {
        String value = (taken ? "t" : "s") + digits(expiresAt) + digits(openedAt) + digits(lastStampAt) + gateway;
        cluster.command(redis -> redis.hset(KEY, Script.number(id), value.getBytes(UTF_8)));
        byte[] last = cluster.command(redis -> redis.hget(KEY, LAST));
        if (last == null || Long.parseLong(new String(last, US_ASCII)) < id) {
            cluster.command(redis -> redis.hset(KEY, LAST, Script.number(id)));
        }
    }

    private static Intent read(String id, String value) {
        return new Intent(
                Long.parseLong(id),
                value.substring(46),
                instant(value.substring(16, 31)),
                instant(value.substring(31, 46)),
                instant(value.substring(1, 16)));
    }

    private static Instant instant(String digits) {
        return Instant.ofEpochMilli(Long.parseLong(digits));
    }

    List<Long> renew(Collection<Long> ids, Instant expiresAt) {
        byte[][] arguments = new byte[1 + ids.size()][];
        arguments[0] = ascii(digits(expiresAt));
        int at = 1;
        for (Long id : ids) {
            arguments[at++] = Script.number(id);
        }
        List<Long> standing = new ArrayList<>();
        for (byte[] id : cluster.many(Script.INTENTS_RENEW, KEYS, arguments)) {
            standing.add(Long.parseLong(new String(id, US_ASCII)));
        }
        Instant expiry = Instant.ofEpochMilli(expiresAt.toEpochMilli());
        standing.forEach(id -> expiries.put(id, expiry));
        ids.stream().filter(id -> !standing.contains(id)).forEach(expiries::remove);
        return standing;
    }

    void close(Collection<Long> ids) {
        if (ids.isEmpty()) {
            return;
        }
        byte[][] fields = ids.stream().map(id -> Script.number(id)).toArray(byte[][]::new);
        cluster.command(redis -> redis.hdel(KEY, fields));
        ids.forEach(expiries::remove);
    }

    List<Intent> takeExpired(Instant now, int limit) {
        List<byte[]> answer =
                cluster.many(Script.INTENTS_TAKE, KEYS, Script.number(now.toEpochMilli()), Script.number(limit));
        List<Intent> taken = new ArrayList<>();
        for (int i = 0; i < answer.size(); i += 2) {
            taken.add(read(new String(answer.get(i), US_ASCII), new String(answer.get(i + 1), UTF_8)));
        }
        if (!taken.isEmpty()) {
            byte[][] ids =
                    taken.stream().map(intent -> Script.number(intent.id())).toArray(byte[][]::new);
            cluster.each(IntStream.range(0, Slots.COUNT).boxed().toList(), slot -> {
                byte[] key = SlotKeys.key(slot, "t");
                cluster.command(redis -> redis.sadd(key, ids));
                cluster.command(redis -> redis.expire(key, REMEMBERED));
                return true;
            });
            taken.forEach(intent -> expiries.remove(intent.id()));
        }
        return taken;
    }

    List<Intent> standing() {
        return find(value -> value[0] == 's');
    }

    /** Also those that were taken and are not closed yet. */
    List<Intent> all() {
        return find(_ -> true);
    }

    private List<Intent> find(Predicate<byte[]> which) {
        Map<byte[], byte[]> all = cluster.command(redis -> redis.hgetall(KEY));
        List<Intent> found = new ArrayList<>();
        if (all != null) {
            all.forEach((id, value) -> {
                if (id[0] != '#' && which.test(value)) {
                    found.add(read(new String(id, US_ASCII), new String(value, UTF_8)));
                }
            });
        }
        found.sort(Comparator.comparingLong(Intent::id));
        return found;
    }

    /** Whether the intent stands as far as this gateway knows; a slot knows whether it was taken. */
    boolean isStanding(long id, Instant now) {
        Instant expiry = expiries.get(id);
        if (expiry == null) {
            byte[] value = cluster.command(redis -> redis.hget(KEY, Script.number(id)));
            if (value == null || value[0] != 's') {
                return false;
            }
            expiry = read(Long.toString(id), new String(value, UTF_8)).expiresAt();
        }
        return now.isBefore(expiry);
    }
}
