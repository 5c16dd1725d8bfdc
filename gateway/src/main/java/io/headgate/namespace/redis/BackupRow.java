package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.codec.Codec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row of a backup, whose values are asked for by their columns. What one engine keeps as text another may keep as bytes. */
final class BackupRow {
    private final Map<String, Integer> columns;
    private final List<@Nullable Object> values;

    private BackupRow(Map<String, Integer> columns, List<@Nullable Object> values) {
        this.columns = columns;
        this.values = values;
    }

    /** Where the columns of a table's rows stand. */
    record Layout(BackupTable table, Map<String, Integer> columns) {
        /** @throws NamespaceException if there is something that is not known */
        static Layout of(String name, List<String> columns, String engine) {
            for (BackupTable table : BackupTable.values()) {
                if (table.table().equals(name)) {
                    Map<String, Integer> places = new HashMap<>();
                    for (String column : columns) {
                        if (!table.columns().contains(column)) {
                            throw unknown(name + "." + column, engine);
                        }
                        places.put(column, places.size());
                    }
                    return new Layout(table, places);
                }
            }
            throw unknown(name, engine);
        }

        private static NamespaceException unknown(String what, String engine) {
            return new NamespaceException("the backup, of a namespace in " + engine + ", holds " + what
                    + ", which this Headgate does not know: was it made by a newer one?");
        }

        BackupRow row(List<@Nullable Object> values) {
            return new BackupRow(columns, values);
        }
    }

    private @Nullable Object value(String column) {
        Integer at = columns.get(column);
        return at == null ? null : values.get(at);
    }

    boolean has(String column) {
        return value(column) != null;
    }

    long number(String column) {
        if (value(column) instanceof Long number) {
            return number;
        }
        throw Codec.corrupt();
    }

    long number(String column, long otherwise) {
        return has(column) ? number(column) : otherwise;
    }

    boolean flag(String column) {
        return number(column, 0) != 0;
    }

    String text(String column) {
        return switch (value(column)) {
            case String text -> text;
            case byte[] bytes -> new String(bytes, UTF_8);
            case null, default -> throw Codec.corrupt();
        };
    }

    @Nullable String textOrNull(String column) {
        return has(column) ? text(column) : null;
    }

    byte[] bytes(String column) {
        return switch (value(column)) {
            case byte[] bytes -> bytes;
            case String text -> text.getBytes(UTF_8);
            case null, default -> throw Codec.corrupt();
        };
    }

    byte @Nullable [] bytesOrNull(String column) {
        return has(column) ? bytes(column) : null;
    }
}
