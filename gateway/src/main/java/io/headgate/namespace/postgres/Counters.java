package io.headgate.namespace.postgres;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction adds to the sums of buckets and accounts. Rows are written in one order everywhere, so that two transactions never
 * wait for each other in a circle.
 */
final class Counters {
    private static final String ADD_TO_BUCKETS = """
            INSERT INTO bucket_usage AS u (bucket, slot, objects, bytes)
            SELECT bucket, ?, objects, bytes FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS d (bucket, objects, bytes)
            ORDER BY bucket
            ON CONFLICT (bucket, slot) DO UPDATE SET objects = u.objects + excluded.objects, bytes = u.bytes + excluded.bytes""";

    /** The rows are given, and those of blobs whose references change, read in {@code changed}. */
    static final String ADD_TO_ACCOUNTS = """
            INSERT INTO account_usage AS u (account, slot, blobs, live_bytes, garbage_blobs, garbage_bytes)
            SELECT account, ?, sum(blobs), sum(live), sum(garbage), sum(dead) FROM (
              SELECT * FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
                AS d (account, blobs, live, garbage, dead)
              UNION ALL SELECT account, blobs, live, garbage, dead FROM changed) AS d (account, blobs, live, garbage, dead)
            GROUP BY account ORDER BY account
            ON CONFLICT (account, slot) DO UPDATE SET
              blobs = u.blobs + excluded.blobs, live_bytes = u.live_bytes + excluded.live_bytes,
              garbage_blobs = u.garbage_blobs + excluded.garbage_blobs,
              garbage_bytes = u.garbage_bytes + excluded.garbage_bytes""";

    private static final String NONE_CHANGED = """
            WITH changed (account, blobs, live, garbage, dead) AS
              (SELECT ''::text, 0::bigint, 0::bigint, 0::bigint, 0::bigint WHERE false)
            """;

    private final int slot;
    private final Map<Long, long[]> buckets = new TreeMap<>();
    private final Map<String, long[]> accounts = new TreeMap<>();

    Counters(int slot) {
        this.slot = slot;
    }

    int slot() {
        return slot;
    }

    void addToBucket(long bucket, long objects, long bytes) {
        long[] delta = buckets.computeIfAbsent(bucket, key -> new long[2]);
        delta[0] += objects;
        delta[1] += bytes;
    }

    void addLive(String account, long blobs, long bytes) {
        long[] delta = accounts.computeIfAbsent(account, key -> new long[4]);
        delta[0] += blobs;
        delta[1] += bytes;
    }

    void addGarbage(String account, long blobs, long bytes) {
        long[] delta = accounts.computeIfAbsent(account, key -> new long[4]);
        delta[2] += blobs;
        delta[3] += bytes;
    }

    /** Adds the statements that write what was counted, which is forgotten here then. */
    void addTo(Pipeline pipeline) {
        if (!accounts.isEmpty()) {
            addAccountsTo(pipeline, NONE_CHANGED);
        }
        if (!buckets.isEmpty()) {
            Column ids = Column.bigint();
            Column objects = Column.bigint();
            Column bytes = Column.bigint();
            buckets.forEach((bucket, delta) -> {
                ids.add(bucket);
                objects.add(delta[0]);
                bytes.add(delta[1]);
            });
            buckets.clear();
            pipeline.update(ADD_TO_BUCKETS, slot, ids, objects, bytes);
        }
    }

    /**
     * Adds the statement that writes the accounts' sums, which are forgotten here then.
     *
     * @param with defines {@code changed}
     * @param arguments of {@code with}
     */
    void addAccountsTo(Pipeline pipeline, String with, @Nullable Object... arguments) {
        Column names = Column.text();
        Column[] sums = {Column.bigint(), Column.bigint(), Column.bigint(), Column.bigint()};
        accounts.forEach((account, delta) -> {
            names.add(account);
            for (int i = 0; i < sums.length; i++) {
                sums[i].add(delta[i]);
            }
        });
        accounts.clear();
        @Nullable Object[] bound = new @Nullable Object[arguments.length + 6];
        System.arraycopy(arguments, 0, bound, 0, arguments.length);
        bound[arguments.length] = slot;
        bound[arguments.length + 1] = names;
        System.arraycopy(sums, 0, bound, arguments.length + 2, sums.length);
        pipeline.update(with + ADD_TO_ACCOUNTS, bound);
    }
}
