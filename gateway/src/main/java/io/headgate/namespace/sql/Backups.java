package io.headgate.namespace.sql;

import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.codec.Backup;
import io.headgate.namespace.codec.BackupReader;
import io.headgate.namespace.codec.BackupWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes all rows into a backup, and makes rows of one. */
final class Backups {
    static final String ENGINE = "sqlite";

    private static final String TABLES =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name";
    private static final String COLUMNS = "SELECT name, type FROM pragma_table_info(?) ORDER BY cid";
    private static final String TEXT = "TEXT";
    private static final String BLOB = "BLOB";

    private Backups() {}

    /** To be called with a session of its own, in a transaction. */
    static void write(Session session, String namespaceId, Instant now, OutputStream out)
            throws SQLException, IOException {
        BackupWriter writer = new BackupWriter(out, new Backup.Header(ENGINE, namespaceId, now));
        for (String table : tables(session)) {
            List<String> columns = List.copyOf(columns(session, table).keySet());
            writer.table(table, columns);
            try (ResultSet rows = session.open("SELECT " + String.join(", ", columns) + " FROM " + table)) {
                while (rows.next()) {
                    List<@Nullable Object> values = new ArrayList<>(columns.size());
                    for (int i = 1; i <= columns.size(); i++) {
                        values.add(rows.getObject(i));
                    }
                    writer.row(values);
                }
            }
        }
        writer.end();
    }

    private static List<String> tables(Session session) throws SQLException {
        List<String> tables = session.all(TABLES, row -> row.getString(1));
        tables.removeAll(Backup.TRANSIENT_TABLES);
        return tables;
    }

    /** Names and types, in their order. */
    private static Map<String, String> columns(Session session, String table) throws SQLException {
        Map<String, String> columns = new LinkedHashMap<>();
        try (ResultSet rows = session.open(COLUMNS, table)) {
            while (rows.next()) {
                columns.put(rows.getString(1), rows.getString(2));
            }
        }
        return columns;
    }

    /** Fills the tables, which are those of a namespace that was never used. To be called in a transaction. */
    static Backup.Header read(Session session, BackupReader reader) throws SQLException, IOException {
        List<String> tables = tables(session);
        for (String table : tables) {
            if (!Backup.NEVER_EMPTY_TABLES.contains(table)
                    && session.first("SELECT 1 FROM " + table + " LIMIT 1", row -> true) != null) {
                throw new NamespaceException("the namespace is in use: a backup is restored into an empty one only");
            }
        }
        for (String table : tables) {
            session.update("DELETE FROM " + table);
        }
        try {
            return fill(session, reader, tables);
        } catch (SQLException | NamespaceException failed) {
            reader.verifyRest();
            throw failed;
        }
    }

    private static Backup.Header fill(Session session, BackupReader reader, List<String> tables)
            throws SQLException, IOException {
        Target target = null;
        while (true) {
            switch (reader.next()) {
                case Backup.Entry.Table(String name, List<String> columns) ->
                    target = Target.of(session, tables, name, columns, reader.header());
                case Backup.Entry.Row(List<@Nullable Object> values) -> {
                    if (target != null) {
                        target.insert(session, values);
                    }
                }
                case Backup.Entry.End _ -> {
                    return reader.header();
                }
            }
        }
    }

    /** Where rows of the backup go. */
    private record Target(String insert, List<String> types) {
        /** Null if the table is one that only the backup's engine has. */
        static @Nullable Target of(
                Session session, List<String> tables, String name, List<String> columns, Backup.Header header)
                throws SQLException {
            if (!tables.contains(name)) {
                throw unknown(name, header);
            }
            Map<String, String> known = new HashMap<>(columns(session, name));
            List<String> types = new ArrayList<>();
            for (String column : columns) {
                String type = known.get(column);
                if (type == null) {
                    throw unknown(name + "." + column, header);
                }
                types.add(type);
            }
            String insert = "INSERT INTO " + name + " ("
                    + columns.stream().collect(Collectors.joining(", ")) + ") VALUES ("
                    + String.join(", ", Collections.nCopies(columns.size(), "?")) + ")";
            return new Target(insert, types);
        }

        private static NamespaceException unknown(String what, Backup.Header header) {
            return new NamespaceException("the backup, of a namespace in " + header.engine() + ", holds " + what
                    + ", which this Headgate does not know: was it made by a newer one?");
        }

        void insert(Session session, List<@Nullable Object> values) throws SQLException {
            @Nullable Object[] converted = new @Nullable Object[values.size()];
            for (int i = 0; i < converted.length; i++) {
                converted[i] = converted(types.get(i), values.get(i));
            }
            session.update(insert, converted);
        }

        /** What one engine keeps as text another may keep as bytes. */
        private static @Nullable Object converted(String type, @Nullable Object value) {
            return switch (value) {
                case byte[] bytes when type.equals(TEXT) -> new String(bytes, StandardCharsets.UTF_8);
                case String text when type.equals(BLOB) -> text.getBytes(StandardCharsets.UTF_8);
                case null, default -> value;
            };
        }
    }
}
