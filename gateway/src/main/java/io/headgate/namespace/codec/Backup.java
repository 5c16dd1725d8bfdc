package io.headgate.namespace.codec;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A namespace in a file: the rows of its tables at one instant, as any engine that keeps rows can write and read them. A line that names
 * the format and its version, then, compressed, a header, tables with their rows, and an end with the number of rows and a digest, without
 * which the file was cut off.
 */
public final class Backup {
    static final String FIRST_LINE = "headgate-backup 1\n";
    static final String DIGEST = "SHA-256";
    static final char HEADER = 'H';
    static final char TABLE = 'T';
    static final char ROW = 'R';
    static final char END = 'E';
    static final int NULL = 0;
    static final int NUMBER = 1;
    static final int BYTES = 2;
    static final int TEXT = 3;
    /** Longer than any value of a row. */
    static final int MOST_BYTES = 64 << 20;

    /**
     * What belongs to the gateways that run, and not to what they keep: leases, and what they tell each other. Gateways that start on a
     * restored namespace begin it anew.
     */
    public static final Set<String> TRANSIENT_TABLES = Set.of(
            "leases",
            "pings",
            "account_shares",
            "cache_state",
            "cache_complaints",
            "oldest_reads",
            "headgate_schema_history");

    /** Tables that hold rows in any namespace, so that one is empty if all others are. */
    public static final Set<String> NEVER_EMPTY_TABLES =
            Set.of("settings", "rebalance", "account_usage", "account_modes", "intents");

    private Backup() {}

    /**
     * What a backup is of.
     *
     * @param engine such as {@code sqlite}
     */
    public record Header(String engine, String namespaceId, Instant madeAt) {}

    /** What a backup holds, in its order. */
    public sealed interface Entry {
        /** The rows that follow are of this table. */
        record Table(String name, List<String> columns) implements Entry {
            public Table {
                columns = List.copyOf(columns);
            }
        }

        /** Values in the order of the columns: null, {@link Long}, {@link String} or {@code byte[]}. */
        record Row(List<@Nullable Object> values) implements Entry {}

        /** Everything was read, and is what was written. */
        record End(long rows) implements Entry {}
    }
}
